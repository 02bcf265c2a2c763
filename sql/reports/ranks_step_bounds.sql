-- The bound of each profiler step on each rank: shows a rank that is launch-bound or blocked where
-- others are not.
-- set: multirank
-- question: ranks
-- position: 176
-- unit: run
-- tab: ranks
-- key: step, rank
-- measure: host_ms, span_ms
-- when: never
-- columns-when: path_host_percent with-path, path_device_percent with-path, path_comm_percent with-path
-- chart: heat step rank span_ms
-- not-included: not_included_without_launch
-- columns-of: step_bounds
-- empty: no_steps
CREATE VIEW ranks_step_bounds AS
SELECT
  one.run,
  rank.label AS rank, -- [label] number of the rank
  one.step, one.host_ms, one.works, one.span_ms, one.busy_ms, one.idle_ms, one.starved_ms, one.blocked_ms, one.loader_ms, one.path_host_percent,
  one.path_device_percent, one.path_comm_percent, one.verdict
FROM step_bounds AS one
JOIN run_rank AS rank ON rank.run = one.run AND rank.trace_id = one.trace_id
ORDER BY one.run, one.step, rank.place;
