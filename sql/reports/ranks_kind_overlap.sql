-- Busy time of each rank by the kinds of GPU activity that ran at the same moment.
-- set: multirank
-- question: ranks
-- position: 172
-- unit: run
-- tab: ranks
-- key: kinds, rank
-- measure: time_ms
-- when: never
-- columns-of: kind_overlap
-- empty: no_work
CREATE VIEW ranks_kind_overlap AS
SELECT
  one.run,
  rank.label AS rank, -- [label] number of the rank
  one.kinds, one.time_ms, one.percent
FROM kind_overlap AS one
JOIN run_rank AS rank ON rank.run = one.run AND rank.trace_id = one.trace_id
ORDER BY one.run, rank.place, one.time_ms DESC, one.kinds;
