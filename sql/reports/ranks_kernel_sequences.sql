-- Sequences of work that ops of a rank launch again and again, as kernel_sequences says of one: what a
-- graph or a fused kernel could take together.
-- set: multirank
-- position: 189
-- unit: run
-- tab: ranks
-- key: rank, op, pattern
-- measure: work_ms, count
-- when: never
-- terminal: rank, count, op, length, work_ms, host_ms, launches_saved, pattern
-- leaves-out: left_out_without_launch
-- empty: lacks_work, lacks_ops, lacks_launches
CREATE VIEW ranks_kernel_sequences AS
SELECT
  one.run AS run, -- [text] run
  rank.label AS rank, -- [label] rank
  one.op AS op, -- [text] op
  one.length AS length, -- [integer] pieces of work
  one.count AS count, -- [integer] how often it occurred
  one.work_ms AS work_ms, -- [ms] (lower) time of the work
  one.host_ms AS host_ms, -- [ms] (lower) time of the ops on the host
  one.launches_saved AS launches_saved, -- [integer] launches that a graph would save
  one.pattern AS pattern -- [text] names of the work in the order of starts, joined by ' | '
FROM kernel_sequences AS one
JOIN run_rank AS rank ON rank.run = one.run AND rank.trace_id = one.trace_id
ORDER BY one.run, rank.place, one.count DESC, one.op, one.pattern;
