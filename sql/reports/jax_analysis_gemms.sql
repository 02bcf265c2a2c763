-- GEMMs that libraries compute for XLA programs (custom calls).
-- set: jax-analysis
-- question: kernels
-- format: xplane profiles of XLA
-- sheet: gemms
-- position: 40
-- key: batch, m, n, k, beta, type
-- keep-empty: yes
-- empty: lacks_programs, lacks_gemms
CREATE VIEW jax_analysis_gemms AS
SELECT
  gemm.run AS run, -- [text] run
  gemm.trace_id AS trace_id, -- [integer] trace
  '%' || gemm.name AS name, -- [text] name of the instruction
  arg(gemm.params, 'B') AS batch, -- "Batch" [integer] products
  arg(gemm.params, 'M') AS m, -- "M" [integer] rows
  arg(gemm.params, 'N') AS n, -- "N" [integer] columns
  arg(gemm.params, 'K') AS k, -- "K" [integer] extent that is summed over
  arg(gemm.params, 'bias') AS beta, -- "Beta" [integer] 1 when something is added
  gemm.type AS type -- "Type" [text] type of the operands
FROM xla_gemm AS gemm
ORDER BY gemm.run, gemm.trace_id, gemm.id;
