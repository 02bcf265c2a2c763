-- What bounds each profiler step on each rank: a rank that is starved or blocked where others are not.
-- set: multirank
-- position: 176
-- unit: run
-- tab: ranks
-- key: step, rank
-- measure: host_ms, span_ms
-- when: never
-- columns-when: path_host_percent with_path, path_device_percent with_path, path_comm_percent with_path
-- chart: heat step rank span_ms
-- leaves-out: left_out_without_launch
-- empty: lacks_steps
CREATE VIEW ranks_step_bounds AS
SELECT
  one.run AS run, -- [text] run
  rank.label AS rank, -- [label] rank
  one.step AS step, -- [integer] number of the step
  one.host_ms AS host_ms, -- [ms] (lower) its mark on the host
  one.works AS works, -- [integer] pieces of work that were launched in it
  one.span_ms AS span_ms, -- [ms] (lower) from their first start to their last end
  one.busy_ms AS busy_ms, -- [ms] time with at least one of them
  one.idle_ms AS idle_ms, -- [ms] (lower) the rest
  one.starved_ms AS starved_ms, -- [ms] (lower) part of that in gaps whose end was launched after they began
  one.blocked_ms AS blocked_ms, -- [ms] (lower) time of the step's thread in calls that wait
  one.loader_ms AS loader_ms, -- [ms] (lower) time of DataLoader ranges that begin in it
  one.path_host_percent AS path_host_percent, -- [%] (lower) share of the step's critical path that the host, launches and loading bound (option with_path)
  one.path_device_percent AS path_device_percent, -- [%] share that computation, copies and the gaps between these bound
  one.path_comm_percent AS path_comm_percent, -- [%] (lower) share that communication bounds; the rest is not explained
  one.verdict AS verdict -- [text] device, host, communication (option with_path), mixed or no work
FROM step_bounds AS one
JOIN run_rank AS rank ON rank.run = one.run AND rank.trace_id = one.trace_id
ORDER BY one.run, one.step, rank.place;
