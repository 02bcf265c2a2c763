-- Short kernels by name, for which the launch costs more than the kernel.
-- set: rocprof
-- question: kernels
-- sheet: short_kernels_summary
-- position: 50
-- traces: rocprof_trace
-- key: name
-- measure: duration_sum_us, count
-- when: short-kernel-study
-- keep-empty: yes
-- empty: no_work, no_kernels, no_short_kernels
CREATE VIEW rocprof_short_kernels_summary AS
WITH total AS MATERIALIZED (
  SELECT kernel.trace_id AS trace_id, sum(kernel.dur_ns) AS sum_ns
  FROM rocprof_kernel AS kernel
  GROUP BY kernel.trace_id
),
grouped AS (
  SELECT kernel.run AS run, kernel.trace_id AS trace_id, kernel.name_id AS name_id, count(*) AS count, sum(kernel.dur_ns) AS sum_ns
  FROM rocprof_kernel AS kernel
  CROSS JOIN rocprof_unit AS unit
  WHERE kernel.dur_ns < (SELECT CAST(tpq_option('short-kernel-threshold-us') AS REAL)) * unit.us
  GROUP BY kernel.run, kernel.trace_id, kernel.name_id
)
SELECT
  grouped.run AS run, -- [text] name of the run
  grouped.trace_id AS trace_id, -- [integer] id of the trace
  string.text AS name, -- [kernel] name of the kernel
  grouped.count AS count, -- "Short Kernel count" [integer] number of short runs of the kernel
  grouped.sum_ns / unit.us AS duration_sum_us, -- "Short Kernel duration (µs) sum" [us] (lower) sum of the durations of short runs
  grouped.sum_ns / unit.us / grouped.count AS duration_mean_us, -- "Short Kernel duration (µs) mean" [us] mean duration of the short runs
  grouped.sum_ns * 100.0 / nullif(total.sum_ns, 0) AS percent -- "Short Kernel duration (µs) percent of total time" [%] share of the time of all kernels
FROM grouped
CROSS JOIN rocprof_unit AS unit
JOIN total ON total.trace_id = grouped.trace_id
JOIN string ON string.id = grouped.name_id
ORDER BY grouped.run, grouped.trace_id, grouped.sum_ns DESC, string.text;
