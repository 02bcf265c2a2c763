-- Kernel time by name.
-- set: jax
-- question: kernels first
-- format: xplane profiles of XLA
-- sheet: kernel_launchers_summary
-- position: 40
-- first: 5
-- level: op
-- key: name
-- measure: total_direct_kernel_time_ms, count
-- work: GPU time of ops
-- chart: bar name total_direct_kernel_time_ms
-- alias: ops_summary
-- keep-empty: yes
-- columns-when: total_direct_kernel_time_sum compat, total_subtree_kernel_time_sum compat
-- terminal: name, total_direct_kernel_time_ms, percentage, count, categories, cumulative_percentage, time_ms_per_gpu
-- not-included: not_included_by_filters
-- empty: no_xla_kernels
CREATE VIEW jax_kernel_launchers_summary AS
WITH kernel AS MATERIALIZED (
  SELECT run, trace_id, pid, category, dur_ps, name FROM xla_listed_kernel
),
grouped AS (
  SELECT run, trace_id, name, category, sum(dur_ps) AS ps, count(*) AS count
  FROM kernel
  GROUP BY run, trace_id, name, category
),
summed AS (
  SELECT run, trace_id, name, sum(ps) AS ps, sum(count) AS count, json_list(category) AS categories
  FROM (SELECT run, trace_id, name, category, ps, count FROM grouped ORDER BY run, trace_id, name, category)
  GROUP BY run, trace_id, name
),
gpus AS (
  SELECT run, trace_id, count(DISTINCT pid) AS gpus FROM kernel GROUP BY run, trace_id
)
SELECT
  summed.run AS run, -- [text] name of the run
  summed.trace_id AS trace_id, -- [integer] id of the trace
  summed.name AS name, -- [kernel] name of the kernels
  summed.ps / 1000000.0 AS total_direct_kernel_time_sum, -- [us] total kernel duration
  summed.ps / 1000000.0 AS total_subtree_kernel_time_sum, -- [us] total kernel duration, as total_direct_kernel_time_sum
  summed.ps / 1000000000.0 AS total_direct_kernel_time_ms, -- [ms] (lower) total kernel duration in ms
  summed.ps / 1000000000.0 AS total_subtree_kernel_time_ms, -- [ms] total kernel duration in ms, as total_direct_kernel_time_ms
  summed.count AS count, -- "Count" [integer] number of kernels
  summed.categories AS categories, -- "Categories" [list] categories of the kernels
  summed.ps * 100.0 / nullif(sum(summed.ps) OVER (PARTITION BY summed.run, summed.trace_id), 0) AS percentage, -- "Percentage (%)" [%] share of the total kernel duration of all rows
  sum(summed.ps) OVER (PARTITION BY summed.run, summed.trace_id ORDER BY summed.ps DESC, summed.name ROWS UNBOUNDED PRECEDING) * 100.0
    / nullif(sum(summed.ps) OVER (PARTITION BY summed.run, summed.trace_id), 0) AS cumulative_percentage, -- "Cumulative Percentage (%)" [%] cumulative share of this row and all rows above
  summed.ps / 1000000000.0 / gpus.gpus AS time_ms_per_gpu -- "time ms per gpu" [ms] total kernel duration per device
FROM summed
JOIN gpus ON gpus.run = summed.run AND gpus.trace_id = summed.trace_id
ORDER BY summed.run, summed.trace_id, summed.ps DESC, summed.name;
