-- Repeated sequences of GPU activities: candidates for a CUDA graph or a fused kernel. An op inside
-- an op of the same name does not count, nor do sequences shorter than the option sequence_min.
-- With the option op only ops that have it in their names are shown.
-- set: pytorch
-- question: idle
-- words: fusion, graphs
-- position: 357
-- key: op, pattern
-- measure: work_ms, count
-- when: never
-- terminal: count, op, length, work_ms, host_ms, launches_saved, pattern
-- leaves-out: left_out_without_launch
-- empty: lacks_work, lacks_ops, lacks_launches
CREATE VIEW kernel_sequences AS
SELECT
  sequence.run AS run, -- [text] run
  sequence.trace_id AS trace_id, -- [integer] trace
  op.text AS op, -- [text] op
  sequence.length AS length, -- [integer] pieces of work
  sequence.count AS count, -- [integer] how often it occurred
  sequence.work_ns / 1000000.0 AS work_ms, -- [ms] (lower) time of the work
  sequence.host_ns / 1000000.0 AS host_ms, -- [ms] (lower) time of the ops on the host
  (sequence.length - 1) * sequence.count AS launches_saved, -- [integer] launches that a graph would save
  sequence.pattern AS pattern -- [text] names of the work in the order of starts, joined by ' | '
FROM work_sequence AS sequence
JOIN string AS op ON op.id = sequence.op_name_id
WHERE (SELECT tpq_option('op')) IS NULL OR instr(op.text, (SELECT tpq_option('op')))
ORDER BY sequence.run, sequence.trace_id, sequence.count DESC, op.text, pattern;
