-- Busy time of each rank by the kinds of GPU activity that ran at the same moment.
-- set: multirank
-- question: ranks
-- position: 172
-- unit: run
-- tab: ranks
-- key: kinds, rank
-- measure: time_ms
-- when: never
-- empty: no_work
CREATE VIEW ranks_kind_overlap AS
SELECT
  one.run AS run, -- [text] name of the run
  rank.label AS rank, -- [label] number of the rank
  one.kinds AS kinds, -- [text] kinds of GPU activity that run together, with no other kind
  one.time_ms AS time_ms, -- [ms] time with exactly these kinds running
  one.percent AS percent -- [%] share of the busy time
FROM kind_overlap AS one
JOIN run_rank AS rank ON rank.run = one.run AND rank.trace_id = one.trace_id
ORDER BY one.run, rank.place, one.time_ms DESC, one.kinds;
