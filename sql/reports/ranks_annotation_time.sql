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
-- columns-of: annotation_time
-- empty: no_work
CREATE VIEW ranks_annotation_time AS
SELECT
  one.run,
  rank.label AS rank, -- [label] number of the rank
  one.name, one.works, one.sum_ms, one.busy_ms, one.host_ms, one.calls, one.percent, one.gpu_ranges_ms
FROM annotation_time AS one
JOIN run_rank AS rank ON rank.run = one.run AND rank.trace_id = one.trace_id
ORDER BY one.run, one.name, rank.place;
