-- Launches by runtime or driver call: launch latency, launch delay and duration of the GPU
-- activity.
-- set: pytorch
-- question: idle
-- position: 325
-- key: call
-- measure: call_ms, launches
-- when: never
-- not-included: not_included_without_launch
-- columns-of: launch_stats
-- empty: no_work, no_launches
CREATE VIEW launch_stats_by_call AS
WITH launch AS (
  SELECT run, trace_id, call_name_id, dur_ns, call_end_ns - call_ts_ns AS call_ns, max(ts_ns - call_end_ns, 0) AS delay_ns
  FROM first_work
),
sums AS (
  SELECT run, trace_id, call_name_id, count(*) AS launches, count(*) FILTER (WHERE dur_ns < call_ns) AS short,
    count(*) FILTER (WHERE call_ns > CAST(round(CAST((SELECT tpq_option('slow-call-us')) AS REAL) * 1000) AS INTEGER)) AS slow_calls,
    count(*) FILTER (WHERE delay_ns > CAST(round(CAST((SELECT tpq_option('late-us')) AS REAL) * 1000) AS INTEGER)) AS late,
    sum(call_ns) AS call_ns, sum(dur_ns) AS work_ns, sum(delay_ns) AS delay_ns,
    median(delay_ns) AS median_ns, percentile(delay_ns, 95) AS p95_ns, max(delay_ns) AS longest_ns
  FROM launch
  GROUP BY run, trace_id, call_name_id
)
SELECT
  sums.run, sums.trace_id,
  string.text AS call, -- [text] name of the runtime call
  launches, short, slow_calls, late, call_ns / 1000000.0 AS call_ms, work_ns / 1000000.0 AS work_ms, delay_ns / 1000000.0 AS delay_ms,
  median_ns / 1000.0 AS delay_median_us, p95_ns / 1000.0 AS delay_p95_us, longest_ns / 1000.0 AS delay_max_us
FROM sums
JOIN string ON string.id = sums.call_name_id
ORDER BY sums.run, sums.trace_id, call_ns DESC, call;
