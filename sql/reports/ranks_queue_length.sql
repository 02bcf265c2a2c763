-- How much work of each rank waited in the queues of its streams, side by side.
-- set: multirank
-- position: 178
-- unit: run
-- tab: ranks
-- key: device, stream, rank
-- measure: length_mean, blocked_ms
-- when: never
-- leaves-out: left_out_without_launch
-- empty: lacks_work, lacks_launches
CREATE VIEW ranks_queue_length AS
SELECT
  one.run AS run, -- [text] run
  rank.label AS rank, -- [label] rank
  one.device AS device, -- [integer] number of the device
  one.stream AS stream, -- [text] number of the stream; all = the device
  one.launches AS launches, -- [integer] GPU events
  one.length_mean AS length_mean, -- [real] (higher) mean number of waiting pieces, over time
  one.length_max AS length_max, -- [integer] greatest number of waiting pieces
  one.empty_percent AS empty_percent, -- [%] (lower) share of the time in which nothing waited
  one.wait_mean_us AS wait_mean_us, -- [us] mean time that a piece waited
  one.wait_max_us AS wait_max_us, -- [us] longest time that a piece waited
  one.waiting_ms AS waiting_ms, -- [ms] (lower) time in which at least one piece waited
  one.blocked_ms AS blocked_ms, -- [ms] (lower) time in which as many waited as a queue holds (option queue_full) and more; of streams
  one.blocked_percent AS blocked_percent, -- [%] (lower) share of the time
  one.span_ms AS span_ms -- [ms] time that was looked at
FROM queue_length AS one
JOIN run_rank AS rank ON rank.run = one.run AND rank.trace_id = one.trace_id
ORDER BY one.run, rank.place, one.device, one.stream;
