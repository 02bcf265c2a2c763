-- Kernel time by name.
-- set: rocprof
-- question: kernels first
-- sheet: kernel_summary
-- position: 20
-- first: 5
-- level: kernel
-- traces: rocprof_trace
-- key: name
-- measure: total_ms, count
-- work: GPU time of kernels
-- when: not disable-kernel-summary
-- keep-empty: yes
-- empty: no_work, no_kernels
CREATE VIEW rocprof_kernel_summary AS
WITH sums AS MATERIALIZED (
  SELECT run, trace_id, name, category, count, sum_ns, median_ns, stddev_ns, min_ns, max_ns
  FROM rocprof_kernel_sum
)
SELECT
  sums.run AS run, -- [text] name of the run
  sums.trace_id AS trace_id, -- [integer] id of the trace
  name AS name, -- [kernel] name of the kernel
  count AS count, -- "Count" [integer] number of runs of the kernel
  sum_ns / unit.us / count AS mean_us, -- "Mean Kernel Time (µs)" [us] mean kernel duration
  median_ns / unit.us AS median_us, -- "Median Kernel Time (µs)" [us] median kernel duration
  stddev_ns / unit.us AS stddev_us, -- "Std Kernel Time (µs)" [us] standard deviation of the kernel duration (n - 1)
  min_ns / unit.us AS min_us, -- "Min Kernel Time (µs)" [us] minimum kernel duration
  max_ns / unit.us AS max_us, -- "Max Kernel Time (µs)" [us] maximum kernel duration
  sum_ns * 100.0 / nullif(sum(sum_ns) OVER (PARTITION BY sums.run, sums.trace_id), 0) AS percentage, -- "Percentage (%)" [%] share of the time of all kernels
  sum(sum_ns) OVER (PARTITION BY sums.run, sums.trace_id
    ORDER BY CASE WHEN (SELECT tpq_like_reference('rocprof: cumulative shares')) THEN 0 ELSE -sum_ns END, name) * 100.0
    / nullif(sum(sum_ns) OVER (PARTITION BY sums.run, sums.trace_id), 0) AS cumulative, -- "Cumulative Percentage (%)" [%] cumulative share of the row and all rows above
  sum_ns / unit.ms AS total_ms, -- "Total Kernel Time (ms)" [ms] (lower) sum of kernel durations
  category AS category -- "Category" [text] kind of kernel, by its name
FROM sums
CROSS JOIN rocprof_unit AS unit
ORDER BY sums.run, sums.trace_id, sum_ns DESC, name;
