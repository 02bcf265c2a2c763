-- GPU time by op and arguments: calls and kernels of each distinct call.
-- set: pytorch
-- question: ops
-- position: 40
-- key: name, input_dims, input_type, input_strides, concrete_inputs, parent_module, num_kernels, is_recompute
-- within: op_category, process_name, process_label, thread_name
-- measure: total_direct_kernel_time_sum, operation_count
-- work: GPU time of ops
-- alias: ops_all
-- drop-empty: parent_module, call_stack, num_kernels, is_recompute, first_occurrence_time
-- terminal: name, total_direct_kernel_time_sum, percentage, input_dims, operation_count, total_direct_kernel_time_mean, op_category, is_recompute, cumulative_percentage, input_type
-- not-included: not_included_in_ops, not_included_beyond_topk_ops
-- empty: no_work, no_ops, no_launchers
CREATE VIEW ops_unique_args AS
WITH grouped AS MATERIALIZED (
  SELECT run, trace_id, is_recompute, num_kernels, parent_module, name_id, category, op_id, same_track_id,
    count(*) AS operation_count,
    min(ts_ns) AS first_ns, min(position) AS position,
    median(direct_ns) / 1000.0 AS direct_median, median(subtree_ns) / 1000.0 AS subtree_median,
    stddev_samp(direct_ns) / 1000.0 AS direct_std, stddev_samp(subtree_ns) / 1000.0 AS subtree_std,
    min(direct_ns) / 1000.0 AS direct_min, min(subtree_ns) / 1000.0 AS subtree_min,
    max(direct_ns) / 1000.0 AS direct_max, max(subtree_ns) / 1000.0 AS subtree_max,
    sum(direct_ns) AS direct_ns, sum(subtree_ns) AS subtree_ns,
    value_at_least(launcher_id, position) AS launcher_id,
    kernel_details(position, kernels) AS kernel_details,
    kernel_details_short(position, kernels) AS kernel_details_short
  FROM launcher_work
  WHERE trace_id IN (SELECT trace_id FROM trace_with_ops)
  GROUP BY run, trace_id, is_recompute, num_kernels, parent_module, name_id, category, op_id, same_track_id
),
numbered AS (
  SELECT grouped.run, grouped.trace_id, grouped.is_recompute, grouped.num_kernels, grouped.parent_module, grouped.name_id,
    grouped.category, grouped.op_id, grouped.same_track_id, grouped.operation_count, grouped.direct_median,
    grouped.subtree_median, grouped.direct_std, grouped.subtree_std, grouped.direct_min, grouped.subtree_min,
    grouped.direct_max, grouped.subtree_max, grouped.direct_ns, grouped.subtree_ns, grouped.launcher_id,
    grouped.kernel_details, grouped.kernel_details_short,
    event.uid AS uid,
    grouped.first_ns - min(grouped.first_ns) OVER (PARTITION BY grouped.run, grouped.trace_id) AS occurrence_ns,
    sum(grouped.direct_ns) OVER (PARTITION BY grouped.run, grouped.trace_id) AS all_ns,
    sum(grouped.direct_ns) OVER in_order AS so_far_ns,
    row_number() OVER in_order AS place
  FROM grouped
  JOIN event ON event.id = grouped.launcher_id
  WINDOW in_order AS (PARTITION BY grouped.run, grouped.trace_id ORDER BY grouped.direct_ns DESC, CASE WHEN (SELECT tpq_like_reference('calls: the first ones')) THEN event.uid ELSE grouped.position END, event.uid ROWS UNBOUNDED PRECEDING)
)
SELECT
  numbered.run AS run, -- [text] name of the run
  numbered.trace_id AS trace_id, -- [integer] id of the trace
  name.text AS name, -- [text] name of the op
  numbered.category AS op_category, -- "op category" [text] category of the op
  numbered.parent_module AS parent_module, -- [text] nn.Module around the op, with --group-by-parent-module
  coalesce(track.process_name, 'Unknown') AS process_name, -- [text] name of the process
  coalesce(track.process_labels, 'Unknown') AS process_label, -- [text] labels of the process
  coalesce(track.thread_name, 'Unknown') AS thread_name, -- [text] name of the thread
  dims.text AS input_dims, -- "Input Dims" [tuple] shapes of the inputs
  types.text AS input_type, -- "Input type" [tuple] dtypes of the inputs
  strides.text AS input_strides, -- "Input Strides" [tuple] strides of the inputs
  concrete.text AS concrete_inputs, -- "Concrete Inputs" [tuple] values of the scalar inputs
  numbered.num_kernels AS num_kernels, -- [integer] kernels per call of the op, with --group-by-num-kernels
  numbered.is_recompute AS is_recompute, -- [boolean] whether the op recomputes activations
  numbered.operation_count AS operation_count, -- [integer] number of calls of the op
  CASE WHEN (SELECT tpq_option('include-first-occurrence-time')) IS NOT NULL THEN numbered.occurrence_ns / 1000.0 END AS first_occurrence_time, -- [us] start of the first call, from the first call of all rows
  numbered.direct_ns / 1000.0 / numbered.operation_count AS total_direct_kernel_time_mean, -- [us] mean busy time of the GPU activities that a call launches directly
  numbered.subtree_ns / 1000.0 / numbered.operation_count AS total_subtree_kernel_time_mean, -- [us] mean busy time of all GPU activities below a call
  numbered.direct_median AS total_direct_kernel_time_median, -- [us] median direct GPU busy time of a call
  numbered.subtree_median AS total_subtree_kernel_time_median, -- [us] median subtree GPU busy time of a call
  numbered.direct_std AS total_direct_kernel_time_std, -- [us] standard deviation of the direct GPU busy time of a call
  numbered.subtree_std AS total_subtree_kernel_time_std, -- [us] standard deviation of the subtree GPU busy time of a call
  numbered.direct_min AS total_direct_kernel_time_min, -- [us] minimum direct GPU busy time of a call
  numbered.subtree_min AS total_subtree_kernel_time_min, -- [us] minimum subtree GPU busy time of a call
  numbered.direct_max AS total_direct_kernel_time_max, -- [us] maximum direct GPU busy time of a call
  numbered.subtree_max AS total_subtree_kernel_time_max, -- [us] maximum subtree GPU busy time of a call
  numbered.direct_ns / 1000.0 AS total_direct_kernel_time_sum, -- [us] (lower) sum of the direct GPU busy times of the calls
  numbered.subtree_ns / 1000.0 AS total_subtree_kernel_time_sum, -- [us] sum of the subtree GPU busy times of the calls
  numbered.uid AS ex_uid, -- "ex_UID" [integer] position of the first call in the file
  CASE WHEN (SELECT tpq_option('inference')) IS NOT NULL AND (SELECT tpq_option('include-call-stack')) IS NOT NULL THEN module_stack(numbered.launcher_id, name.text) END AS call_stack, -- [list] first call of the op and each nn.Module around it
  numbered.kernel_details AS kernel_details_summary, -- [list] kernels of a call, with statistics over all calls
  numbered.kernel_details_short AS trunc_kernel_details, -- [list] kernels of a call with statistics, shortened
  numbered.direct_ns * 100.0 / nullif(numbered.all_ns, 0) AS percentage, -- "Percentage (%)" [%] share of the sum over all rows, by GPU time
  numbered.so_far_ns * 100.0 / nullif(numbered.all_ns, 0) AS cumulative_percentage -- "Cumulative Percentage (%)" [%] cumulative share of the row and all rows above
FROM numbered
JOIN string AS name ON name.id = numbered.name_id
JOIN track ON track.id = numbered.same_track_id
LEFT JOIN op ON op.id = numbered.op_id
LEFT JOIN string AS dims ON dims.id = op.dims_id
LEFT JOIN string AS types ON types.id = op.types_id
LEFT JOIN string AS strides ON strides.id = op.strides_id
LEFT JOIN string AS concrete ON concrete.id = op.concrete_id
WHERE (SELECT tpq_option('topk-ops')) IS NULL OR numbered.place <= (SELECT CAST(tpq_option('topk-ops') AS INTEGER))
ORDER BY numbered.run, numbered.trace_id, numbered.place;
