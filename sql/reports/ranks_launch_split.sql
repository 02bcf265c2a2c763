-- Launches of each rank by call and kernel, as launch_split says of one: the call, the wait behind it,
-- the work. Of a call with several pieces of work the one that starts first counts.
-- set: multirank
-- position: 188
-- unit: run
-- tab: ranks
-- key: rank, call, name
-- measure: total_ms, count
-- when: never
-- leaves-out: left_out_without_launch
-- empty: lacks_work, lacks_launches
CREATE VIEW ranks_launch_split AS
SELECT
  one.run AS run, -- [text] run
  rank.label AS rank, -- [label] rank
  one.call AS call, -- [text] name of the call
  one.name AS name, -- [kernel] name of the work
  one.count AS count, -- [integer] how often
  one.queued AS queued, -- [integer] those whose work started after the call had ended
  one.call_ms AS call_ms, -- [ms] (lower) time of the calls
  one.queue_ms AS queue_ms, -- [ms] (lower) from the end of the call to the start of the work, of those
  one.work_ms AS work_ms, -- [ms] (lower) time of the work
  one.total_ms AS total_ms, -- [ms] (lower) from the start of the call to the end of the work
  one.total_mean_us AS total_mean_us, -- [us] (lower) mean of that
  one.total_max_us AS total_max_us -- [us] (lower) longest
FROM launch_split AS one
JOIN run_rank AS rank ON rank.run = one.run AND rank.trace_id = one.trace_id
ORDER BY one.run, rank.place, one.total_ms DESC, one.call, one.name;
