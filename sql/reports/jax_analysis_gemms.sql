-- The matrix products of the programs: custom calls of libraries.
-- set: jax-analysis
-- sheet: gemms
-- position: 40
-- keep-empty: yes
CREATE VIEW jax_analysis_gemms AS
SELECT
  gemm.run AS run, -- run
  gemm.trace_id AS trace_id, -- trace
  '%' || gemm.name AS name, -- name of the instruction
  arg(gemm.params, 'B') AS batch, -- "Batch" products
  arg(gemm.params, 'M') AS m, -- "M" rows
  arg(gemm.params, 'N') AS n, -- "N" columns
  arg(gemm.params, 'K') AS k, -- "K" extent that is summed over
  arg(gemm.params, 'bias') AS beta, -- "Beta" 1 when something is added
  gemm.type AS type -- "Type" type of the operands
FROM xla_gemm AS gemm
ORDER BY gemm.run, gemm.trace_id, gemm.id;
