-- Launches: launch latency, launch delay and duration of the GPU activity. Where a launch starts
-- several GPU activities, the first one counts.
-- set: pytorch
-- question: idle first
-- words: latency, overhead, queue
-- position: 320
-- key: call
-- measure: call_ms, launches
-- when: never
-- not-included: not_included_without_launch
-- empty: no_work, no_launches
CREATE VIEW launch_stats AS
WITH launch AS (
  SELECT run, trace_id, call_name_id, dur_ns, call_end_ns - call_ts_ns AS call_ns, max(ts_ns - call_end_ns, 0) AS delay_ns
  FROM first_work
),
sums AS (
  SELECT run, trace_id, count(*) AS launches, count(*) FILTER (WHERE dur_ns < call_ns) AS short,
    count(*) FILTER (WHERE call_ns > CAST(round(CAST((SELECT tpq_option('slow-call-us')) AS REAL) * 1000) AS INTEGER)) AS slow_calls,
    count(*) FILTER (WHERE delay_ns > CAST(round(CAST((SELECT tpq_option('late-us')) AS REAL) * 1000) AS INTEGER)) AS late,
    sum(call_ns) AS call_ns, sum(dur_ns) AS work_ns, sum(delay_ns) AS delay_ns,
    median(delay_ns) AS median_ns, percentile(delay_ns, 95) AS p95_ns, max(delay_ns) AS longest_ns
  FROM launch
  GROUP BY run, trace_id
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  'all' AS call, -- [text] name of the runtime call: always all; launch_stats_by_call has each call
  launches AS launches, -- [integer] number of launches
  short AS short, -- [integer] number of launches whose GPU activity was shorter than the launch latency
  slow_calls AS slow_calls, -- [integer] (lower) number of launches with a launch latency above --slow-call-us
  late AS late, -- [integer] (lower) number of launches with a launch delay above --late-us
  call_ns / 1000000.0 AS call_ms, -- [ms] (lower) total launch latency
  work_ns / 1000000.0 AS work_ms, -- [ms] (lower) total duration of the first GPU activity of each launch
  delay_ns / 1000000.0 AS delay_ms, -- [ms] (lower) total launch delay; 0 where the GPU activity started before the launch ended
  median_ns / 1000.0 AS delay_median_us, -- [us] (lower) median launch delay
  p95_ns / 1000.0 AS delay_p95_us, -- [us] 95th percentile of the launch delay
  longest_ns / 1000.0 AS delay_max_us -- [us] (lower) maximum launch delay
FROM sums
ORDER BY run, trace_id;
