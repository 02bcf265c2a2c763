-- Queue length: GPU activities launched and not yet started. Each device, and each of its streams,
-- over the time from the device's first launch to its last end of work. Every GPU event of a graph
-- waits on its own.
-- set: pytorch
-- question: idle
-- position: 230
-- key: device, stream
-- when: never
-- leaves-out: left_out_without_launch
-- empty: lacks_work, lacks_launches
CREATE VIEW queue_length AS
WITH waits AS NOT MATERIALIZED (
  SELECT run, trace_id, device, stream, min(call_ts_ns, ts_ns) AS launch_ns, ts_ns - min(call_ts_ns, ts_ns) AS wait_ns, end_ns
  FROM analysed_work
  WHERE call_ts_ns IS NOT NULL AND NOT call_is_hidden
),
devices AS MATERIALIZED (
  SELECT run, trace_id, device, max(end_ns) - min(launch_ns) AS span_ns, count(*) AS launches, sum(wait_ns) AS wait_ns, max(wait_ns) AS longest_ns,
    interval_depth(launch_ns, wait_ns) AS most, interval_union_ns(launch_ns, wait_ns) AS waiting_ns
  FROM waits
  GROUP BY run, trace_id, device
),
queues AS (
  SELECT run, trace_id, device, stream, 0 AS is_device, count(*) AS launches, sum(wait_ns) AS wait_ns, max(wait_ns) AS longest_ns,
    interval_depth(launch_ns, wait_ns) AS most, interval_union_ns(launch_ns, wait_ns) AS waiting_ns,
    interval_deep_ns(launch_ns, wait_ns, (SELECT CAST(tpq_option('queue_full') AS INTEGER))) AS blocked_ns
  FROM waits
  GROUP BY run, trace_id, device, stream
  UNION ALL
  SELECT run, trace_id, device, NULL, 1, launches, wait_ns, longest_ns, most, waiting_ns, NULL
  FROM devices
),
spans AS (
  SELECT run, trace_id, device, span_ns FROM devices
)
SELECT
  queues.run AS run, -- [text] run
  queues.trace_id AS trace_id, -- [integer] trace
  queues.device AS device, -- [integer] number of the device
  CASE WHEN is_device THEN 'all' ELSE CAST(stream AS TEXT) END AS stream, -- [text] number of the stream; all = the device
  launches AS launches, -- [integer] GPU events
  wait_ns * 1.0 / nullif(span_ns, 0) AS length_mean, -- [real] (higher) mean number of waiting pieces, over time
  most AS length_max, -- [integer] greatest number of waiting pieces
  (span_ns - waiting_ns) * 100.0 / nullif(span_ns, 0) AS empty_percent, -- [%] (lower) share of the time in which nothing waited
  wait_ns / 1000.0 / launches AS wait_mean_us, -- [us] mean time that a piece waited
  longest_ns / 1000.0 AS wait_max_us, -- [us] longest time that a piece waited
  waiting_ns / 1000000.0 AS waiting_ms, -- [ms] (lower) time in which at least one piece waited
  blocked_ns / 1000000.0 AS blocked_ms, -- [ms] (lower) time in which as many waited as a queue holds (option queue_full) and more; of streams
  blocked_ns * 100.0 / nullif(span_ns, 0) AS blocked_percent, -- [%] (lower) share of the time
  span_ns / 1000000.0 AS span_ms -- [ms] time that was looked at
FROM queues
JOIN spans ON spans.run = queues.run AND spans.trace_id = queues.trace_id AND spans.device IS queues.device
ORDER BY queues.run, queues.trace_id, queues.device, is_device DESC, launches DESC, queues.stream;
