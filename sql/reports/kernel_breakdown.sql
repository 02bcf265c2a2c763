-- GPU time by kind and name, with count and spread.
-- set: pytorch
-- question: kernels
-- position: 330
-- key: kind, name
-- measure: sum_ms, count
-- work: GPU time of kernels and copies
-- when: never
-- empty: no_work
CREATE VIEW kernel_breakdown AS
WITH sums AS (
  SELECT run, trace_id, kind, name_id, count(*) AS count, sum(dur_ns) AS sum_ns, stddev_samp(dur_ns) AS deviation_ns, min(dur_ns) AS least_ns, max(dur_ns) AS most_ns
  FROM analysed_work
  GROUP BY run, trace_id, kind, name_id
)
SELECT
  sums.run AS run, -- [text] name of the run
  sums.trace_id AS trace_id, -- [integer] id of the trace
  kind AS kind, -- [text] kind of GPU activity: computation, communication or memory (memcpy and memset)
  string.text AS name, -- [kernel] name of the GPU activity
  count AS count, -- [integer] number of GPU activities of the name
  sum_ns / 1000000.0 AS sum_ms, -- [ms] (lower) total duration of the GPU activities
  sum_ns / 1000.0 / count AS mean_us, -- [us] (lower) mean duration of a GPU activity
  coalesce(deviation_ns, 0) / 1000.0 AS std_us, -- [us] standard deviation (n - 1) of the duration; 0 for one GPU activity
  least_ns / 1000.0 AS min_us, -- [us] minimum duration of a GPU activity
  most_ns / 1000.0 AS max_us, -- [us] (lower) maximum duration of a GPU activity
  sum_ns * 100.0 / nullif(sum(sum_ns) OVER (PARTITION BY sums.run, sums.trace_id), 0) AS percent -- [%] share of the total duration of all GPU activities
FROM sums
JOIN string ON string.id = sums.name_id
ORDER BY sums.run, sums.trace_id, sum_ns DESC, kind, name;
