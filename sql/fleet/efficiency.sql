-- Roofline efficiency of runs, by roofline table and by the peak that bounds the calls.
-- set: fleet
-- question: efficiency
-- position: 30
-- unit: run
-- key: sheet, compute_spec
-- measure: tflops, tbs
-- total: kernel_us
-- not-included: not_included_without_model
-- empty: no_ops, no_shapes, no_models
CREATE VIEW fleet_efficiency AS
WITH grouped AS (
  SELECT run AS run, sheet AS sheet, compute_spec AS compute_spec, count(*) AS calls, sum(kernel_ns) AS kernel_ns, sum(flops) AS flops, sum(bytes) AS bytes
  FROM fact_call
  WHERE status = 'ok' AND is_nested = 0
  GROUP BY run, sheet, compute_spec
)
SELECT
  run AS run, -- [text] name of the run
  sheet AS sheet, -- [text] roofline table of the calls
  compute_spec AS compute_spec, -- [text] kind of peak that bounds the calls
  CAST(calls AS BIGINT) AS calls, -- [integer] calls that have a model
  CAST(kernel_ns AS DOUBLE PRECISION) / 1000 AS kernel_us, -- [us] (lower) GPU busy time below the calls
  CASE WHEN kernel_ns > 0 THEN CAST(flops AS DOUBLE PRECISION) / 1000 / CAST(kernel_ns AS DOUBLE PRECISION) END AS tflops, -- [TFLOP/s] (higher) floating-point operations of the calls over their GPU busy time
  CASE WHEN kernel_ns > 0 THEN CAST(bytes AS DOUBLE PRECISION) / 1000 / CAST(kernel_ns AS DOUBLE PRECISION) END AS tbs -- [TB/s] (higher) bytes that the calls have to move over their GPU busy time
FROM grouped
ORDER BY run, kernel_ns DESC, sheet NULLS LAST, compute_spec NULLS LAST;
