-- Launches of each rank: launch latency, launch delay and duration of the GPU activity.
-- set: multirank
-- question: ranks
-- position: 174
-- unit: run
-- tab: ranks
-- key: rank
-- measure: call_ms, delay_ms
-- when: never
-- chart: bar rank delay_ms
-- not-included: not_included_without_launch
-- columns-of: launch_stats
-- empty: no_work, no_launches
CREATE VIEW ranks_launch_stats AS
SELECT
  one.run,
  rank.label AS rank, -- [label] number of the rank
  one.launches, one.short, one.slow_calls, one.late, one.call_ms, one.work_ms, one.delay_ms, one.delay_median_us, one.delay_p95_us, one.delay_max_us
FROM launch_stats AS one
JOIN run_rank AS rank ON rank.run = one.run AND rank.trace_id = one.trace_id
ORDER BY one.run, rank.place;
