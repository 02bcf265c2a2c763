-- GEMMs that libraries compute for XLA programs (custom calls).
-- set: jax-analysis
-- question: kernels
-- format: xplane profiles of XLA
-- sheet: gemms
-- position: 40
-- key: batch, m, n, k, beta, type
-- keep-empty: yes
-- empty: no_programs, no_gemms
CREATE VIEW jax_analysis_gemms AS
SELECT
  gemm.run AS run, -- [text] name of the run
  gemm.trace_id AS trace_id, -- [integer] id of the trace
  '%' || gemm.name AS name, -- [text] name of the HLO instruction
  arg(gemm.params, 'B') AS batch, -- "Batch" [integer] number of products in the batch
  arg(gemm.params, 'M') AS m, -- "M" [integer] number of rows of the result
  arg(gemm.params, 'N') AS n, -- "N" [integer] number of columns of the result
  arg(gemm.params, 'K') AS k, -- "K" [integer] extent of the sum
  arg(gemm.params, 'bias') AS beta, -- "Beta" [integer] flag of an added operand: 1 when something is added
  gemm.type AS type -- "Type" [text] dtype of the operands
FROM xla_gemm AS gemm
ORDER BY gemm.run, gemm.trace_id, gemm.id;
