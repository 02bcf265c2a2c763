-- Queue length of each rank's streams: GPU activities launched and not yet started.
-- set: multirank
-- question: ranks
-- position: 178
-- unit: run
-- tab: ranks
-- key: device, stream, rank
-- measure: length_mean, blocked_ms
-- when: never
-- not-included: not_included_without_launch
-- columns-of: queue_length
-- empty: no_work, no_launches
CREATE VIEW ranks_queue_length AS
SELECT
  one.run,
  rank.label AS rank, -- [label] number of the rank
  one.device, one.stream, one.launches, one.length_mean, one.length_max, one.empty_percent, one.wait_mean_us, one.wait_max_us, one.waiting_ms,
  one.blocked_ms, one.blocked_percent, one.span_ms
FROM queue_length AS one
JOIN run_rank AS rank ON rank.run = one.run AND rank.trace_id = one.trace_id
ORDER BY one.run, rank.place, one.device, one.stream;
