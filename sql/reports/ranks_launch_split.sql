-- Launches of each rank by runtime call and kernel: launch latency, launch delay, kernel duration.
-- Of a call with several GPU activities, the first one counts.
-- set: multirank
-- question: ranks
-- position: 188
-- unit: run
-- tab: ranks
-- key: rank, call, name
-- measure: total_ms, count
-- when: never
-- not-included: not_included_without_launch
-- columns-of: launch_split
-- empty: no_work, no_launches
CREATE VIEW ranks_launch_split AS
SELECT
  one.run,
  rank.label AS rank, -- [label] number of the rank
  one.call, one.name, one.count, one.queued, one.call_ms, one.queue_ms, one.work_ms, one.total_ms, one.total_mean_us, one.total_max_us
FROM launch_split AS one
JOIN run_rank AS rank ON rank.run = one.run AND rank.trace_id = one.trace_id
ORDER BY one.run, rank.place, one.total_ms DESC, one.call, one.name;
