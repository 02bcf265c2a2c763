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
-- when: all_kernels
-- terminal: kernel_name, kernel_duration_us, rank, parent_cpu_op, kernel_stream, uid, input_dims
-- leaves-out: left_out_but_kernels
-- empty: lacks_work, lacks_kernels
CREATE VIEW ranks_kernels AS
WITH owner AS MATERIALIZED (
  SELECT owned.run AS run, owned.cpu_op_id AS id, event.uid AS uid, event.name_id AS name_id, event.op_id AS op_id, event.args_id AS args_id,
    (SELECT interval_union_ns(ts_ns, dur_ns) FROM linked_work AS work WHERE work.id BETWEEN event.id AND event.last_id AND work.call_id IS NOT NULL) AS busy_ns,
    (SELECT count(*) FROM linked_work AS work WHERE work.id BETWEEN event.id AND event.last_id AND work.call_id IS NOT NULL) AS kernels
  FROM (SELECT DISTINCT run, cpu_op_id FROM kernel_work WHERE cpu_op_id IS NOT NULL) AS owned
  CROSS JOIN event ON event.id = owned.cpu_op_id
)
SELECT
  kernel.run AS run, -- [text] run
  run_rank.label AS rank, -- [label] rank
  kernel.uid AS uid, -- "UID" [integer] place in the file
  name.text AS kernel_name, -- "Kernel name" [kernel] name of the kernel
  kernel.dur_ns / 1000.0 AS kernel_duration_us, -- "Kernel duration (µs)" (lower) duration
  kernel.stream AS kernel_stream, -- "Kernel stream" [integer] number of the stream
  owner.uid AS parent_uid, -- "Parent cpu_op UID" [integer] place of its op in the file
  parent.text AS parent_cpu_op, -- "Parent cpu_op" [text] nearest op
  dims.text AS input_dims, -- "Input dims" [tuple] dimensions of its inputs
  types.text AS input_types, -- "Input types" [tuple] types of its inputs
  strides.text AS input_strides, -- "Input strides" [tuple] strides of its inputs
  concrete.text AS concrete_inputs, -- "Concrete Inputs" [tuple] values of its scalar inputs
  arg(args.json, 'kernel_file') AS kernel_file, -- [text] file that the op says the kernel is from
  owner.busy_ns / 1000.0 AS parent_busy_us, -- "Parent cpu_op busy time (µs)" time covered by all work below the op
  owner.kernels AS parent_kernels, -- "Parent cpu_op kernel count" [integer] GPU events below the op
  CASE WHEN owner.kernels = 1 THEN 100.0 ELSE kernel.dur_ns * 100.0 / nullif(owner.busy_ns, 0) END AS percent_of_parent -- "Percent of Parent cpu_op busy time (%)" [%] share of the kernel
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
