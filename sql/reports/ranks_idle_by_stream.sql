-- Idle time of each rank's streams, by what the GPU activity that ended the gap had waited for.
-- set: multirank
-- question: ranks
-- position: 186
-- unit: run
-- tab: ranks
-- key: rank, device, stream, cause
-- measure: time_ms, gaps
-- when: never
-- columns-of: idle_by_stream
-- empty: no_work, no_gaps
CREATE VIEW ranks_idle_by_stream AS
WITH sums AS (
  SELECT run, trace_id, device, stream, stream_wait AS cause, count(*) AS gaps, sum(ts_ns - stream_until_ns) AS idle_ns, max(ts_ns - stream_until_ns) AS longest_ns,
    sum(max(min(call_ts_ns, ts_ns) - stream_until_ns, 0)) AS unlaunched_ns
  FROM window_work
  WHERE stream_wait IS NOT NULL
  GROUP BY run, trace_id, device, stream, stream_wait
)
SELECT
  sums.run,
  rank.label AS rank, -- [label] number of the rank
  sums.device, sums.stream, sums.cause, sums.gaps, sums.idle_ns / 1000000.0 AS time_ms,
  sums.idle_ns * 100.0 / sum(sums.idle_ns) OVER (PARTITION BY sums.run, sums.trace_id, sums.device, sums.stream) AS percent,
  sums.longest_ns / 1000.0 AS longest_us, sums.idle_ns / 1000.0 / sums.gaps AS mean_us, sums.unlaunched_ns / 1000000.0 AS before_launch_ms
FROM sums
JOIN run_rank AS rank ON rank.run = sums.run AND rank.trace_id = sums.trace_id
ORDER BY sums.run, rank.place, sums.device, sums.stream, sums.idle_ns DESC, sums.cause;
