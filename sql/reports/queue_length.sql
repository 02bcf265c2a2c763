-- Queue length: GPU activities launched and not yet started. By device and stream, from the first
-- launch of the device to the last end of its GPU activities. Each GPU activity of a CUDA graph
-- waits by itself.
-- set: pytorch
-- question: idle
-- position: 230
-- key: device, stream
-- when: never
-- not-included: not_included_without_launch
-- empty: no_work, no_launches
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
    interval_deep_ns(launch_ns, wait_ns, (SELECT CAST(tpq_option('queue-full') AS INTEGER))) AS blocked_ns
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
  queues.run AS run, -- [text] name of the run
  queues.trace_id AS trace_id, -- [integer] id of the trace
  queues.device AS device, -- [integer] number of the device
  CASE WHEN is_device THEN 'all' ELSE CAST(stream AS TEXT) END AS stream, -- [text] number of the stream; all = the device
  launches AS launches, -- [integer] number of launched GPU activities
  wait_ns * 1.0 / nullif(span_ns, 0) AS length_mean, -- [real] (higher) mean queue length over time
  most AS length_max, -- [integer] maximum queue length
  (span_ns - waiting_ns) * 100.0 / nullif(span_ns, 0) AS empty_percent, -- [%] (lower) share of the time with an empty queue
  wait_ns / 1000.0 / launches AS wait_mean_us, -- [us] mean time of a GPU activity in the queue
  longest_ns / 1000.0 AS wait_max_us, -- [us] maximum time of a GPU activity in the queue
  waiting_ns / 1000000.0 AS waiting_ms, -- [ms] (lower) time with at least one GPU activity in the queue
  blocked_ns / 1000000.0 AS blocked_ms, -- [ms] (lower) time with a full queue (--queue-full); of streams only
  blocked_ns * 100.0 / nullif(span_ns, 0) AS blocked_percent, -- [%] (lower) time with a full queue, as a share of the time span
  span_ns / 1000000.0 AS span_ms -- [ms] time span of the queue lengths
FROM queues
JOIN spans ON spans.run = queues.run AND spans.trace_id = queues.trace_id AND spans.device IS queues.device
ORDER BY queues.run, queues.trace_id, queues.device, is_device DESC, launches DESC, queues.stream;
