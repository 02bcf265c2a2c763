-- Kernel time by kind.
-- set: rocprof
-- question: kernels
-- sheet: kernel_summary_by_category
-- position: 30
-- first: 5
-- traces: rocprof_trace
-- key: category
-- measure: total_ms, count
-- when: not disable-kernel-summary
-- keep-empty: yes
-- chart: bar category total_ms
-- empty: no_work, no_kernels
CREATE VIEW rocprof_kernel_summary_by_category AS
WITH sums AS MATERIALIZED (
  SELECT run, trace_id, category, sum(count) AS count, sum(sum_ns) AS sum_ns
  FROM rocprof_kernel_sum
  GROUP BY run, trace_id, category
)
SELECT
  sums.run AS run, -- [text] name of the run
  sums.trace_id AS trace_id, -- [integer] id of the trace
  category AS category, -- "op category" [text] kind of kernel, by its name
  count AS count, -- "Count" [integer] number of kernel runs
  sum_ns / unit.ms AS total_ms, -- "total_direct_kernel_time_ms" [ms] (lower) sum of kernel durations
  sum_ns * 100.0 / nullif(sum(sum_ns) OVER (PARTITION BY sums.run, sums.trace_id), 0) AS percentage, -- "Percentage (%)" [%] share of the time of all kernels
  sum(sum_ns) OVER (PARTITION BY sums.run, sums.trace_id
    ORDER BY CASE WHEN (SELECT tpq_like_reference('rocprof: cumulative shares')) THEN 0 ELSE -sum_ns END, category) * 100.0
    / nullif(sum(sum_ns) OVER (PARTITION BY sums.run, sums.trace_id), 0) AS cumulative -- "Cumulative Percentage (%)" [%] cumulative share of the row and all rows above
FROM sums
CROSS JOIN rocprof_unit AS unit
ORDER BY sums.run, sums.trace_id, sum_ns DESC, category;
