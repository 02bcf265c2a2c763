-- GPU idle gaps with their cause. A gap is split into the parts that the launching thread spent
-- waiting, in another call, in an op or in nothing, and the launch that ended the gap. Gaps shorter
-- than the option gap_min_us are left out.
-- set: pytorch
-- question: idle first
-- words: bubbles, longest, starvation
-- position: 311
-- without-ops: 50, rocprof 50
-- key: device, from_ms
-- measure: gap_ms
-- when: never
-- terminal: gap_ms, cause, before, after, from_ms, device, sync_ms, call_ms, op_ms, outside_ms, launch_ms
-- empty: lacks_work, lacks_device_gaps
CREATE VIEW gpu_gaps AS
SELECT
  gap.run AS run, -- [text] run
  gap.trace_id AS trace_id, -- [integer] trace
  gap.device AS device, -- [integer] number of the device
  gap.from_ns / 1000000.0 AS from_ms, -- [ms] start of the gap, from the start of the trace
  (gap.to_ns - gap.from_ns) / 1000000.0 AS gap_ms, -- [ms] (lower) its length
  before.text AS before, -- [kernel] work that ended last before it
  after.text AS after, -- [kernel] work that ended it
  CASE max(sync_ns, call_ns, op_ns, outside_ns, launch_ns)
    WHEN sync_ns THEN 'sync'
    WHEN call_ns THEN 'runtime call'
    WHEN op_ns THEN 'host op'
    WHEN outside_ns THEN 'host outside ops'
    WHEN launch_ns THEN 'launched, waiting'
    ELSE 'unknown' END AS cause, -- [text] the greatest part; unknown where no call is known
  sync_ns / 1000000.0 AS sync_ms, -- [ms] in calls that wait
  call_ns / 1000000.0 AS call_ms, -- [ms] in other calls
  op_ns / 1000000.0 AS op_ms, -- [ms] in ops
  outside_ns / 1000000.0 AS outside_ms, -- [ms] in neither
  launch_ns / 1000000.0 AS launch_ms -- [ms] from the start of the call to that of the work
FROM device_gap AS gap
JOIN string AS after ON after.id = gap.name_id
JOIN string AS before ON before.id = gap.before_name_id
ORDER BY gap.run, gap.trace_id, gap.device, gap.from_ns;
