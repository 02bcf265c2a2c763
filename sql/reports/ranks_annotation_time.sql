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
-- empty: no_work
CREATE VIEW ranks_annotation_time AS
SELECT
  one.run AS run, -- [text] name of the run
  rank.label AS rank, -- [label] number of the rank
  one.name AS name, -- [text] name of the range
  one.works AS works, -- [integer] number of GPU activities launched in the ranges
  one.sum_ms AS sum_ms, -- [ms] (lower) sum of durations of the GPU activities
  one.busy_ms AS busy_ms, -- [ms] (lower) busy time of the GPU activities
  one.host_ms AS host_ms, -- [ms] (lower) duration of the ranges on the host
  one.calls AS calls, -- [integer] number of ranges with the name
  one.percent AS percent, -- [%] share of the sum of busy times
  one.gpu_ranges_ms AS gpu_ranges_ms -- [ms] duration of the GPU ranges with the name, where recorded
FROM annotation_time AS one
JOIN run_rank AS rank ON rank.run = one.run AND rank.trace_id = one.trace_id
ORDER BY one.run, one.name, rank.place;
