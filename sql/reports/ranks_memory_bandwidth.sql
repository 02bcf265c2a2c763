-- Memcpy and memset of each rank: bytes, time and bandwidth.
-- set: multirank
-- question: ranks
-- position: 175
-- unit: run
-- tab: ranks
-- key: kind, rank
-- measure: active_ms, bytes
-- when: never
-- drop-empty: percent_of_link
-- columns-of: memory_bandwidth
-- empty: no_work, no_copies
CREATE VIEW ranks_memory_bandwidth AS
SELECT
  one.run,
  rank.label AS rank, -- [label] number of the rank
  one.kind, one.copies, one.bytes, one.active_ms, one.gbps_active, one.gbps_mean, one.gbps_median, one.gbps_peak, one.percent_of_link
FROM memory_bandwidth AS one
JOIN run_rank AS rank ON rank.run = one.run AND rank.trace_id = one.trace_id
ORDER BY one.run, one.kind, rank.place;
