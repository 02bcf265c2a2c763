-- GPU idle gaps of each rank with their cause, longest first. Gaps shorter than --gap-min-us are not
-- included.
-- set: multirank
-- question: ranks
-- position: 187
-- unit: run
-- tab: ranks
-- key: rank, device, from_ms
-- measure: gap_ms
-- when: never
-- wide: range, frame
-- terminal: rank, gap_ms, cause, range, frame, from_ms, device, before, after, sync_ms, call_ms, op_ms, outside_ms, launch_ms
-- columns-of: gpu_gaps
-- empty: no_work, no_device_gaps
CREATE VIEW ranks_gpu_gaps AS
SELECT
  one.run,
  rank.label AS rank, -- [label] number of the rank
  one.device, one.from_ms, one.gap_ms, one.before, one.after, one.cause, one.range, one.frame, one.sync_ms, one.call_ms, one.op_ms, one.outside_ms, one.launch_ms
FROM gpu_gaps AS one
JOIN run_rank AS rank ON rank.run = one.run AND rank.trace_id = one.trace_id
ORDER BY one.run, one.gap_ms DESC, rank.place, one.device, one.from_ms;
