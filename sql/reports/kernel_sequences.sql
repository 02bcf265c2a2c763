-- Repeated sequences of GPU activities: candidates for a CUDA graph or a fused kernel. Ops inside
-- an op of the same name and sequences shorter than --sequence-min are not included. With
-- the option op only ops with that text in their names are shown.
-- set: pytorch
-- question: idle
-- words: fusion, graphs
-- position: 357
-- key: op, pattern
-- measure: work_ms, count
-- when: never
-- terminal: count, op, length, work_ms, host_ms, launches_saved, pattern
-- not-included: not_included_without_launch
-- empty: no_work, no_ops, no_launches
CREATE VIEW kernel_sequences AS
SELECT
  sequence.run AS run, -- [text] name of the run
  sequence.trace_id AS trace_id, -- [integer] id of the trace
  op.text AS op, -- [text] name of the op
  sequence.length AS length, -- [integer] number of GPU activities in the sequence
  sequence.count AS count, -- [integer] number of occurrences of the sequence
  sequence.work_ns / 1000000.0 AS work_ms, -- [ms] (lower) total GPU time of the sequences
  sequence.host_ns / 1000000.0 AS host_ms, -- [ms] (lower) total host time of the ops
  (sequence.length - 1) * sequence.count AS launches_saved, -- [integer] number of launches that a CUDA graph would save
  sequence.pattern AS pattern -- [text] names of the GPU activities in order of start, joined by ' | '
FROM work_sequence AS sequence
JOIN string AS op ON op.id = sequence.op_name_id
WHERE (SELECT tpq_option('op')) IS NULL OR instr(op.text, (SELECT tpq_option('op')))
ORDER BY sequence.run, sequence.trace_id, sequence.count DESC, op.text, pattern;
