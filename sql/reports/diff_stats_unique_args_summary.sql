-- GPU activities that differ between two call trees, equal rows summed. Ops have the name on which
-- both traces agree.
-- set: diff
-- question: compare
-- position: 60
-- unit: pair
-- when: compat, not diff-other
-- drop-empty: source
-- terminal: name, operation_count, cpu_op_name, source, kernel_time_sum, lowest_common_ancestor_name
-- columns-of: diff_stats
-- empty: no_work, no_pair, no_differences
CREATE VIEW diff_stats_unique_args_summary AS
WITH summed AS MATERIALIZED (
  SELECT min(ord) AS ord,
    count(*) AS operation_count, sum(dur_ns) AS dur_ns, sum(dur_ns / 1000.0) AS dur_us
  FROM diff_gpu
  GROUP BY name_key, cpu_op_id, side, busy_ns, lca_key
)
SELECT
  work.run, work.name,
  summed.operation_count AS operation_count, -- [integer] number of GPU activities of the row
  work.op_name AS cpu_op_name, -- [text] name of the nearest op above the GPU activity, as both traces agree on it
  work.cpu_op_uid, work.source, signature.input_dims, signature.input_strides, signature.input_types AS input_type, signature.concrete_inputs,
  work.busy_ns / 1000.0 AS busy_time, work.lca_name AS lowest_common_ancestor_name, work.nn_module_stack,
  replace(work.nn_module_parent, ' ', '') AS nn_module_parent, -- [text] innermost module around the op, without blanks, or root
  summed.dur_us / summed.operation_count AS kernel_time_mean, -- [us] (lower) mean duration of the GPU activities
  summed.dur_us AS kernel_time_sum -- [us] (lower) total duration of the GPU activities
FROM summed
JOIN diff_gpu AS work ON work.ord = summed.ord
LEFT JOIN signature ON signature.op_id = work.op_id
ORDER BY summed.dur_ns DESC, work.name, work.op_name, CAST(work.cpu_op_uid AS TEXT), work.source, signature.input_dims, signature.input_strides, signature.input_types, signature.concrete_inputs, CAST(work.busy_ns / 1000.0 AS TEXT), work.lca_name, work.nn_module_stack;
