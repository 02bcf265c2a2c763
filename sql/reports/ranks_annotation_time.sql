-- GPU time by host range (record_function, profiler steps) for each rank.
-- set: multirank
-- question: ranks
-- position: 177
-- unit: run
-- tab: ranks
-- key: name, rank
-- measure: busy_ms, sum_ms, works
-- when: never
-- drop-empty: gpu_ranges_ms
-- empty: lacks_work
CREATE VIEW ranks_annotation_time AS
SELECT
  one.run AS run, -- [text] run
  rank.label AS rank, -- [label] rank
  one.name AS name, -- [text] name of the range
  one.works AS works, -- [integer] pieces of work that it launched
  one.sum_ms AS sum_ms, -- [ms] (lower) sum of their durations
  one.busy_ms AS busy_ms, -- [ms] (lower) time in which at least one of them ran
  one.host_ms AS host_ms, -- [ms] (lower) time of the ranges on the host
  one.calls AS calls, -- [integer] ranges of that name
  one.percent AS percent, -- [%] share of the sum of busy times
  one.gpu_ranges_ms AS gpu_ranges_ms -- [ms] time of the accelerator's own ranges of that name, where the trace has them
FROM annotation_time AS one
JOIN run_rank AS rank ON rank.run = one.run AND rank.trace_id = one.trace_id
ORDER BY one.run, one.name, rank.place;
