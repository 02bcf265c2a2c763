-- Kernels of each rank in order of start, with their op.
-- set: multirank
-- question: ranks
-- sheet: kernels_{}
-- sheet-by: rank
-- position: 10
-- level: kernel
-- key: kernel_name, parent_cpu_op
-- within: rank, uid
-- measure: kernel_duration_us
-- work: GPU time of kernels
-- unit: run
-- when: all-kernels
-- terminal: kernel_name, kernel_duration_us, rank, parent_cpu_op, kernel_stream, uid, input_dims
-- not-included: not_included_besides_kernels
-- empty: no_work, no_kernels
CREATE VIEW ranks_kernels AS
WITH owner AS MATERIALIZED (
  SELECT owned.run AS run, owned.cpu_op_id AS id, event.uid AS uid, event.name_id AS name_id, event.op_id AS op_id, event.args_id AS args_id,
    (SELECT interval_union_ns(ts_ns, dur_ns) FROM linked_work AS work WHERE work.id BETWEEN event.id AND event.last_id AND work.call_id IS NOT NULL) AS busy_ns,
    (SELECT count(*) FROM linked_work AS work WHERE work.id BETWEEN event.id AND event.last_id AND work.call_id IS NOT NULL) AS kernels
  FROM (SELECT DISTINCT run, cpu_op_id FROM kernel_work WHERE cpu_op_id IS NOT NULL) AS owned
  CROSS JOIN event ON event.id = owned.cpu_op_id
)
SELECT
  kernel.run AS run, -- [text] name of the run
  run_rank.label AS rank, -- [label] number of the rank
  kernel.uid AS uid, -- "UID" [integer] position of the event in the file
  name.text AS kernel_name, -- "Kernel name" [kernel] name of the kernel
  kernel.dur_ns / 1000.0 AS kernel_duration_us, -- "Kernel duration (µs)" (lower) duration of the kernel
  kernel.stream AS kernel_stream, -- "Kernel stream" [integer] number of the stream
  owner.uid AS parent_uid, -- "Parent cpu_op UID" [integer] position of the op in the file
  parent.text AS parent_cpu_op, -- "Parent cpu_op" [text] nearest CPU op around the launch
  dims.text AS input_dims, -- "Input dims" [tuple] input shapes of the op
  types.text AS input_types, -- "Input types" [tuple] input dtypes of the op
  strides.text AS input_strides, -- "Input strides" [tuple] input strides of the op
  concrete.text AS concrete_inputs, -- "Concrete Inputs" [tuple] values of the scalar inputs of the op
  arg(args.json, 'kernel_file') AS kernel_file, -- [text] source file of the kernel, as the op states it
  owner.busy_ns / 1000.0 AS parent_busy_us, -- "Parent cpu_op busy time (µs)" busy time of all GPU activities below the op
  owner.kernels AS parent_kernels, -- "Parent cpu_op kernel count" [integer] number of GPU activities below the op
  CASE WHEN owner.kernels = 1 THEN 100.0 ELSE kernel.dur_ns * 100.0 / nullif(owner.busy_ns, 0) END AS percent_of_parent -- "Percent of Parent cpu_op busy time (%)" [%] kernel duration as a share of the busy time below the op
FROM kernel_work AS kernel
JOIN run_rank ON run_rank.run = kernel.run AND run_rank.trace_id = kernel.trace_id
JOIN string AS name ON name.id = kernel.name_id
LEFT JOIN owner ON owner.run = kernel.run AND owner.id = kernel.cpu_op_id
LEFT JOIN string AS parent ON parent.id = owner.name_id
LEFT JOIN op ON op.id = owner.op_id
LEFT JOIN string AS dims ON dims.id = op.dims_id
LEFT JOIN string AS types ON types.id = op.types_id
LEFT JOIN string AS strides ON strides.id = op.strides_id
LEFT JOIN string AS concrete ON concrete.id = op.concrete_id
LEFT JOIN args ON args.id = owner.args_id
ORDER BY kernel.run, run_rank.place, CASE WHEN NOT (SELECT tpq_like_reference('ranks: order of kernels')) THEN kernel.ts_ns END, kernel.uid;
