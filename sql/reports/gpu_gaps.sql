-- GPU idle gaps with their cause, longest first. A gap is split by what the launching thread did: synchronization,
-- another runtime call, an op, or none of them. The last part is the launch that ended the gap. Range and frame are
-- what the thread was in at the middle of the gap.
-- Gaps shorter than --gap-min-us are not included.
-- set: pytorch
-- question: idle first
-- words: bubbles, longest, starvation
-- position: 311
-- without-ops: 50, rocprof 50
-- key: device, from_ms
-- measure: gap_ms
-- when: never
-- wide: range, frame
-- terminal: gap_ms, cause, range, frame, from_ms, device, before, after, sync_ms, call_ms, op_ms, outside_ms, launch_ms
-- empty: no_work, no_device_gaps
CREATE VIEW gpu_gaps AS
SELECT
  gap.run AS run, -- [text] name of the run
  gap.trace_id AS trace_id, -- [integer] id of the trace
  gap.device AS device, -- [integer] number of the device
  gap.from_ns / 1000000.0 AS from_ms, -- [ms] start of the gap, from the start of the trace
  (gap.to_ns - gap.from_ns) / 1000000.0 AS gap_ms, -- [ms] (lower) duration of the gap
  before.text AS before, -- [kernel] name of the GPU activity before the gap
  after.text AS after, -- [kernel] name of the GPU activity after the gap
  CASE max(sync_ns, call_ns, op_ns, outside_ns, launch_ns)
    WHEN sync_ns THEN 'sync'
    WHEN call_ns THEN 'runtime call'
    WHEN op_ns THEN 'host op'
    WHEN outside_ns THEN 'host outside ops'
    WHEN launch_ns THEN 'launched, waiting'
    ELSE 'unknown' END AS cause, -- [text] cause with the largest part of the gap; unknown where the launch was not recorded
  range.text AS range, -- [text] innermost range of the launching thread; the profiler step where there is no other
  frame.text AS frame, -- [text] innermost Python frame of the launching thread, of the program's own code if there is one
  sync_ns / 1000000.0 AS sync_ms, -- [ms] part of the gap in synchronization of the launching thread
  call_ns / 1000000.0 AS call_ms, -- [ms] part of the gap in other runtime calls of the launching thread
  op_ns / 1000000.0 AS op_ms, -- [ms] part of the gap in ops of the launching thread, outside of runtime calls
  outside_ns / 1000000.0 AS outside_ms, -- [ms] part of the gap outside of ops and runtime calls of the launching thread
  launch_ns / 1000000.0 AS launch_ms -- [ms] part of the gap from the start of the launch to the start of the GPU activity
FROM device_gap AS gap
JOIN string AS after ON after.id = gap.name_id
LEFT JOIN string AS before ON before.id = gap.before_name_id
LEFT JOIN string AS range ON range.id = gap.range_name_id
LEFT JOIN string AS frame ON frame.id = gap.frame_name_id
ORDER BY gap.run, gap.trace_id, gap.to_ns - gap.from_ns DESC, gap.device, gap.from_ns;
