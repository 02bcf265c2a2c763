-- Kernel time by category.
-- set: jax
-- question: kernels
-- format: xplane profiles of XLA
-- sheet: kernel_launchers_summary_by_category
-- position: 50
-- first: 5
-- level: category
-- key: op_category
-- measure: total_direct_kernel_time_ms, count
-- work: GPU time of ops
-- alias: ops_summary_by_category
-- keep-empty: yes
-- chart: pie op_category total_direct_kernel_time_ms
-- not-included: not_included_by_filters
-- empty: no_xla_kernels
CREATE VIEW jax_kernel_launchers_summary_by_category AS
WITH kernel AS MATERIALIZED (
  SELECT run, trace_id, pid, category, dur_ps FROM xla_listed_kernel
),
grouped AS (
  SELECT run, trace_id, category, sum(dur_ps) AS ps, count(*) AS count
  FROM kernel
  GROUP BY run, trace_id, category
),
gpus AS (
  SELECT run, trace_id, count(DISTINCT pid) AS gpus FROM kernel GROUP BY run, trace_id
)
SELECT
  grouped.run AS run, -- [text] name of the run
  grouped.trace_id AS trace_id, -- [integer] id of the trace
  grouped.category AS op_category, -- "op category" [text] category of the kernels
  grouped.count AS count, -- "Count" [integer] number of kernels
  grouped.ps / 1000000000.0 AS total_direct_kernel_time_ms, -- [ms] (lower) total kernel duration
  grouped.ps * 100.0 / nullif(sum(grouped.ps) OVER (PARTITION BY grouped.run, grouped.trace_id), 0) AS percentage, -- "Percentage (%)" [%] share of the total kernel duration of all rows
  sum(grouped.ps) OVER (PARTITION BY grouped.run, grouped.trace_id ORDER BY grouped.ps DESC, grouped.category ROWS UNBOUNDED PRECEDING) * 100.0
    / nullif(sum(grouped.ps) OVER (PARTITION BY grouped.run, grouped.trace_id), 0) AS cumulative_percentage, -- "Cumulative Percentage (%)" [%] cumulative share of this row and all rows above
  grouped.ps / 1000000000.0 / gpus.gpus AS time_ms_per_gpu -- "time ms per gpu" [ms] total kernel duration per device
FROM grouped
JOIN gpus ON gpus.run = grouped.run AND gpus.trace_id = grouped.trace_id
ORDER BY grouped.run, grouped.trace_id, grouped.ps DESC, grouped.category;
