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
-- empty: no_work
CREATE VIEW ranks_comm_overlap AS
SELECT
  one.run AS run, -- [text] name of the run
  rank.label AS rank, -- [label] number of the rank
  one.communication_ms AS communication_ms, -- [ms] (lower) communication time
  one.exposed_ms AS exposed_ms, -- [ms] (lower) exposed communication time
  one.overlap_ms AS overlap_ms, -- [ms] (higher) overlapped communication time
  one.overlap_percent AS overlap_percent -- [%] (higher) share of the communication that is overlapped; empty without communication
FROM comm_overlap AS one
JOIN run_rank AS rank ON rank.run = one.run AND rank.trace_id = one.trace_id
ORDER BY one.run, rank.place;
