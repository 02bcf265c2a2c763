-- Launches: launch latency, launch delay and duration of the GPU activity. Of a call with several
-- pieces of work the one that starts first counts.
-- set: pytorch
-- question: idle first
-- words: latency, overhead, queue
-- position: 320
-- key: call
-- measure: call_ms, launches
-- when: never
-- leaves-out: left_out_without_launch
-- empty: lacks_work, lacks_launches
CREATE VIEW launch_stats AS
WITH launch AS (
  SELECT run, trace_id, call_name_id, dur_ns, call_end_ns - call_ts_ns AS call_ns, max(ts_ns - call_end_ns, 0) AS delay_ns
  FROM first_work
),
sums AS (
  SELECT run, trace_id, count(*) AS launches, count(*) FILTER (WHERE dur_ns < call_ns) AS short,
    count(*) FILTER (WHERE call_ns > CAST(round(CAST((SELECT tpq_option('slow_call_us')) AS REAL) * 1000) AS INTEGER)) AS slow_calls,
    count(*) FILTER (WHERE delay_ns > CAST(round(CAST((SELECT tpq_option('late_us')) AS REAL) * 1000) AS INTEGER)) AS late,
    sum(call_ns) AS call_ns, sum(dur_ns) AS work_ns, sum(delay_ns) AS delay_ns,
    median(delay_ns) AS median_ns, percentile(delay_ns, 95) AS p95_ns, max(delay_ns) AS longest_ns
  FROM launch
  GROUP BY run, trace_id
)
SELECT
  run AS run, -- [text] run
  trace_id AS trace_id, -- [integer] trace
  'all' AS call, -- [text] all; launch_stats_by_call has each
  launches AS launches, -- [integer] calls that launched work
  short AS short, -- [integer] those whose work was shorter than the call
  slow_calls AS slow_calls, -- [integer] (lower) those that took longer than the option slow_call_us
  late AS late, -- [integer] (lower) those whose work started later than the option late_us after the call ended
  call_ns / 1000000.0 AS call_ms, -- [ms] (lower) time of the calls
  work_ns / 1000000.0 AS work_ms, -- [ms] (lower) time of the work that started first
  delay_ns / 1000000.0 AS delay_ms, -- [ms] (lower) from the end of the call to the start of that work, where it had not begun
  median_ns / 1000.0 AS delay_median_us, -- [us] (lower) median of that
  p95_ns / 1000.0 AS delay_p95_us, -- [us] 95th percentile
  longest_ns / 1000.0 AS delay_max_us -- [us] (lower) longest
FROM sums
ORDER BY run, trace_id;
