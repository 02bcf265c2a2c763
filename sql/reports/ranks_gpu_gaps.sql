-- Gaps of the devices of each rank, as gpu_gaps says of one: over all streams of the device, and what
-- the thread that ended them did meanwhile. Gaps shorter than the option gap_min_us are left out.
-- set: multirank
-- position: 187
-- unit: run
-- tab: ranks
-- key: rank, device, from_ms
-- measure: gap_ms
-- when: never
-- terminal: rank, gap_ms, cause, before, after, from_ms, device, sync_ms, call_ms, op_ms, outside_ms, launch_ms
-- empty: lacks_work, lacks_device_gaps
CREATE VIEW ranks_gpu_gaps AS
SELECT
  one.run AS run, -- [text] run
  rank.label AS rank, -- [label] rank
  one.device AS device, -- [integer] number of the device
  one.from_ms AS from_ms, -- [ms] start of the gap, from the start of the trace
  one.gap_ms AS gap_ms, -- [ms] (lower) its length
  one.before AS before, -- [kernel] work that ended last before it
  one.after AS after, -- [kernel] work that ended it
  one.cause AS cause, -- [text] the greatest part; unknown where no call is known
  one.sync_ms AS sync_ms, -- [ms] in calls that wait
  one.call_ms AS call_ms, -- [ms] in other calls
  one.op_ms AS op_ms, -- [ms] in ops
  one.outside_ms AS outside_ms, -- [ms] in neither
  one.launch_ms AS launch_ms -- [ms] from the start of the call to that of the work
FROM gpu_gaps AS one
JOIN run_rank AS rank ON rank.run = one.run AND rank.trace_id = one.trace_id
ORDER BY one.run, rank.place, one.device, one.from_ms;
