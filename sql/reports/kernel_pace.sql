-- Interval between consecutive starts of the same kernel, for kernels with three or more starts.
-- set: pytorch
-- question: kernels
-- position: 355
-- key: name
-- measure: interval_median_us
-- no-sum: yes
-- when: never
-- not-included: not_included_besides_kernels
-- empty: no_kernels
CREATE VIEW kernel_pace AS
WITH sums AS (
  SELECT run, trace_id, name_id, count(*) AS count, median(pace_ns) AS median_ns, avg(pace_ns) AS mean_ns, max(pace_ns) AS longest_ns,
    stddev_samp(pace_ns) AS deviation_ns, avg(dur_ns) AS duration_ns, stddev_samp(dur_ns) AS duration_deviation_ns
  FROM analysed_work
  WHERE category_id = (SELECT id FROM category WHERE name = 'kernel')
  GROUP BY run, trace_id, name_id
  HAVING count(*) >= 3
)
SELECT
  sums.run AS run, -- [text] name of the run
  sums.trace_id AS trace_id, -- [integer] id of the trace
  string.text AS name, -- [kernel] name of the kernel
  count AS count, -- [integer] number of kernels of the name
  median_ns / 1000.0 AS interval_median_us, -- [us] (lower) median interval from start to start
  mean_ns / 1000.0 AS interval_mean_us, -- [us] mean interval from start to start
  longest_ns / 1000.0 AS interval_max_us, -- [us] maximum interval from start to start
  deviation_ns / nullif(mean_ns, 0) AS interval_cv, -- [real] (lower) coefficient of variation of the interval (standard deviation by mean); above 0.5 the pace is uneven
  duration_ns / 1000.0 AS duration_mean_us, -- [us] (lower) mean kernel duration
  duration_deviation_ns / nullif(duration_ns, 0) AS duration_cv -- [real] (lower) coefficient of variation of the kernel duration (standard deviation by mean)
FROM sums
JOIN string ON string.id = sums.name_id
ORDER BY sums.run, sums.trace_id, count DESC, duration_ns DESC, name;
