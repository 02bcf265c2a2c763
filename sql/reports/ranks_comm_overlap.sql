-- Exposed and overlapped communication of each rank.
-- set: multirank
-- question: ranks
-- position: 171
-- unit: run
-- tab: ranks
-- key: rank
-- measure: exposed_ms, communication_ms
-- when: never
-- chart: bar rank exposed_ms
-- not-included: not_included_memcpy
-- columns-of: comm_overlap
-- empty: no_work
CREATE VIEW ranks_comm_overlap AS
SELECT
  one.run,
  rank.label AS rank, -- [label] number of the rank
  one.communication_ms, one.exposed_ms, one.overlap_ms, one.overlap_percent
FROM comm_overlap AS one
JOIN run_rank AS rank ON rank.run = one.run AND rank.trace_id = one.trace_id
ORDER BY one.run, rank.place;
