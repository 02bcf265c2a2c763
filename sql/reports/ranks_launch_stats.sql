-- Launches of each rank: how long the calls took, how long their work, and how late it started.
-- set: multirank
-- position: 174
-- unit: run
-- tab: ranks
-- key: rank
-- measure: call_ms, delay_ms
-- when: never
-- chart: bar rank delay_ms
-- leaves-out: left_out_without_launch
-- empty: lacks_work, lacks_launches
CREATE VIEW ranks_launch_stats AS
SELECT
  one.run AS run, -- [text] run
  rank.label AS rank, -- [label] rank
  one.launches AS launches, -- [integer] calls that launched work
  one.short AS short, -- [integer] those whose work was shorter than the call
  one.slow_calls AS slow_calls, -- [integer] (lower) those that took longer than the option slow_call_us
  one.late AS late, -- [integer] (lower) those whose work started later than the option late_us after the call ended
  one.call_ms AS call_ms, -- [ms] (lower) time of the calls
  one.work_ms AS work_ms, -- [ms] (lower) time of the work that started first
  one.delay_ms AS delay_ms, -- [ms] (lower) from the end of the call to the start of that work, where it had not begun
  one.delay_median_us AS delay_median_us, -- [us] (lower) median of that
  one.delay_p95_us AS delay_p95_us, -- [us] 95th percentile
  one.delay_max_us AS delay_max_us -- [us] (lower) longest
FROM launch_stats AS one
JOIN run_rank AS rank ON rank.run = one.run AND rank.trace_id = one.trace_id
ORDER BY one.run, rank.place;
