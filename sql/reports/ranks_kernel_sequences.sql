-- Repeated sequences of GPU activities of each rank: candidates for a CUDA graph or a fused kernel.
-- set: multirank
-- question: ranks
-- position: 189
-- unit: run
-- tab: ranks
-- key: rank, op, pattern
-- measure: work_ms, count
-- when: never
-- terminal: rank, count, op, length, work_ms, host_ms, launches_saved, pattern
-- not-included: not_included_without_launch
-- columns-of: kernel_sequences
-- empty: no_work, no_ops, no_launches
CREATE VIEW ranks_kernel_sequences AS
SELECT
  one.run,
  rank.label AS rank, -- [label] number of the rank
  one.op, one.length, one.count, one.work_ms, one.host_ms, one.launches_saved, one.pattern
FROM kernel_sequences AS one
JOIN run_rank AS rank ON rank.run = one.run AND rank.trace_id = one.trace_id
ORDER BY one.run, rank.place, one.count DESC, one.op, one.pattern;
