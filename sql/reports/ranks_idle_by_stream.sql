-- What each stream of each rank waited for before its work, side by side.
-- set: multirank
-- position: 173
-- unit: run
-- tab: ranks
-- key: device, stream, cause, rank
-- measure: time_ms, gaps
-- when: never
-- empty: lacks_work, lacks_gaps
CREATE VIEW ranks_idle_by_stream AS
SELECT
  one.run AS run, -- [text] run
  rank.label AS rank, -- [name] rank
  one.device AS device, -- [integer] number of the device
  one.stream AS stream, -- [integer] number of the stream
  one.cause AS cause, -- [text] what was waited for
  one.gaps AS gaps, -- [integer] how many gaps
  one.time_ms AS time_ms, -- [ms] (lower) their time
  one.percent AS percent, -- [%] share of the stream's idle time
  one.longest_us AS longest_us, -- [us] (lower) longest gap
  one.mean_us AS mean_us, -- [us] mean gap
  one.before_launch_ms AS before_launch_ms -- [ms] part of the time that passed before the call began; the rest passed between call and start
FROM idle_by_stream AS one
JOIN run_rank AS rank ON rank.run = one.run AND rank.trace_id = one.trace_id
ORDER BY one.run, rank.place, one.device, one.stream, one.time_ms DESC, one.cause;
