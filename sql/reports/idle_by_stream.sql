-- Idle time of each stream, by what the GPU activity that ended the gap had waited for. host_wait is
-- launch-bound: the launch began after the gap began. kernel_wait: it was launched in time, and the
-- gap is shorter than --kernel-wait-us. other: it was launched in time and the gap is longer, or
-- the launch was not recorded. The causes add up to the idle time.
-- set: pytorch
-- question: idle
-- position: 310
-- key: device, stream, cause
-- measure: time_ms, gaps
-- when: never
-- empty: no_work, no_gaps
CREATE VIEW idle_by_stream AS
WITH sums AS (
  SELECT run, trace_id, device, stream, stream_wait AS cause, count(*) AS gaps, sum(ts_ns - stream_until_ns) AS idle_ns, max(ts_ns - stream_until_ns) AS longest_ns,
    sum(max(min(call_ts_ns, ts_ns) - stream_until_ns, 0)) AS unlaunched_ns
  FROM window_work
  WHERE stream_wait IS NOT NULL
  GROUP BY run, trace_id, device, stream, stream_wait
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  device AS device, -- [integer] number of the device
  stream AS stream, -- [integer] number of the stream
  cause AS cause, -- [text] cause of the idle time: host_wait (launch-bound), kernel_wait or other
  gaps AS gaps, -- [integer] number of idle gaps
  idle_ns / 1000000.0 AS time_ms, -- [ms] (lower) idle time of the stream by this cause
  idle_ns * 100.0 / sum(idle_ns) OVER (PARTITION BY run, trace_id, device, stream) AS percent, -- [%] share of the stream's idle time
  longest_ns / 1000.0 AS longest_us, -- [us] (lower) maximum gap duration
  idle_ns / 1000.0 / gaps AS mean_us, -- [us] mean gap duration
  unlaunched_ns / 1000000.0 AS before_launch_ms -- [ms] part of the idle time before the launch began; the rest is between launch and start
FROM sums
ORDER BY run, trace_id, device, stream, idle_ns DESC, cause;
