-- What copies and sets of each rank moved, and how fast, side by side.
-- set: multirank
-- position: 175
-- unit: run
-- tab: ranks
-- key: kind, rank
-- measure: active_ms, bytes
-- when: never
-- drop-empty: percent_of_link
-- empty: lacks_copies
CREATE VIEW ranks_memory_bandwidth AS
SELECT
  one.run AS run, -- [text] run
  rank.label AS rank, -- [label] rank
  one.kind AS kind, -- [text] from where to where
  one.copies AS copies, -- [integer] copies or sets
  one.bytes AS bytes, -- [bytes] moved by those that state it
  one.active_ms AS active_ms, -- [ms] (lower) time in which at least one of these ran
  one.gbps_active AS gbps_active, -- [GB/s] (higher) bytes in that time
  one.gbps_mean AS gbps_mean, -- [GB/s] mean of the rates
  one.gbps_median AS gbps_median, -- [GB/s] (higher) median of the rates
  one.gbps_peak AS gbps_peak, -- [GB/s] greatest sum of rates of pieces that ran at once
  one.percent_of_link AS percent_of_link -- [%] gbps_active as a share of what the option link_gbps says of this kind
FROM memory_bandwidth AS one
JOIN run_rank AS rank ON rank.run = one.run AND rank.trace_id = one.trace_id
ORDER BY one.run, one.kind, rank.place;
