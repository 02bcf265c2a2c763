-- Ops that launched kernels, in order of start.
-- set: pytorch
-- question: ops
-- position: 45
-- key: name, input_dims, input_type, input_strides, concrete_inputs, is_recompute
-- within: uid
-- measure: total_direct_kernel_time
-- work: GPU time of ops
-- alias: ops
-- when: never
-- drop-empty: is_recompute
-- terminal: name, total_direct_kernel_time, direct_kernel_count, ts, input_dims, uid, op_category, is_recompute, total_subtree_kernel_time, input_type
-- not-included: not_included_in_ops
-- columns-of: ops_unique_args
-- empty: no_work, no_launchers
CREATE VIEW kernel_launchers AS
SELECT
  work.run, work.trace_id,
  name.text AS name, -- [text] name of the op, or of the runtime call where there is no op
  work.category AS op_category,
  event.uid AS uid, -- "UID" [integer] position of the op in the file
  work.direct_ns / 1000.0 AS total_direct_kernel_time, -- [us] (lower) busy time of the GPU activities that the op launched itself
  work.subtree_ns / 1000.0 AS total_subtree_kernel_time, -- [us] busy time of all GPU activities below the op
  work.kernel_count AS direct_kernel_count, -- [integer] number of GPU activities that the op launched itself
  work.ts_ns / 1000.0 AS ts, -- [us] start of the op, from the start of the trace
  signature.input_dims AS input_dims, -- "Input Dims" [tuple] input shapes of the op
  signature.input_types AS input_type, -- "Input type" [tuple] input dtypes of the op
  signature.input_strides AS input_strides, -- "Input Strides" [tuple] input strides of the op
  signature.concrete_inputs, coalesce(track.process_name, 'Unknown') AS process_name, coalesce(track.process_labels, 'Unknown') AS process_label,
  coalesce(track.thread_name, 'Unknown') AS thread_name,
  work.is_recompute AS is_recompute -- [boolean] flag of recomputed activations
FROM launcher_work AS work
JOIN event ON event.id = work.launcher_id
JOIN string AS name ON name.id = work.name_id
JOIN track ON track.id = work.track_id
LEFT JOIN signature ON signature.op_id = work.op_id
ORDER BY work.run, work.trace_id, work.position;
