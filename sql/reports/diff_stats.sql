-- GPU activities that differ between two call trees, with their lowest common op.
-- set: diff
-- question: compare
-- position: 50
-- unit: pair
-- when: compat
-- drop-empty: source
-- terminal: name, cpu_op_name, source, kernel_time, busy_time, lowest_common_ancestor_name
-- empty: no_work, no_pair, no_differences
CREATE VIEW diff_stats AS
SELECT
  work.run AS run, -- [text] name of the baseline run
  work.name AS name, -- [kernel] name of the kernel, memcpy or memset
  work.cpu_op_name AS cpu_op_name, -- [text] name of the nearest op above the GPU activity
  work.cpu_op_uid AS cpu_op_uid, -- [integer] position in the file of the nearest op
  work.source AS source, -- [text] trace of the row: trace1 is the baseline, trace2 the candidate; NULL when both are the same
  signature.input_dims AS input_dims, -- "Input Dims" [tuple] input shapes of the op
  signature.input_strides AS input_strides, -- "Input Strides" [tuple] input strides of the op
  signature.input_types AS input_type, -- "Input type" [tuple] input dtypes of the op
  signature.concrete_inputs AS concrete_inputs, -- "Concrete Inputs" [tuple] values of the scalar inputs
  work.dur_ns / 1000.0 AS kernel_time, -- [us] (lower) duration of the GPU activity
  work.busy_ns / 1000.0 AS busy_time, -- [us] (lower) busy time of the trace below the lowest common op
  work.lca_name AS lowest_common_ancestor_name, -- [text] name of the lowest common op, with | between where names differ
  work.lca_id AS lowest_common_ancestor_id, -- [integer] id of the lowest common op in the merged tree
  work.uid AS gpu_op_uid, -- [integer] position of the GPU activity in the file
  work.nn_module_stack AS nn_module_stack, -- [text] modules around the op, outermost first, or root
  work.nn_module_parent AS nn_module_parent -- [text] innermost module around the op, or root
FROM diff_gpu AS work
LEFT JOIN signature ON signature.op_id = work.op_id
ORDER BY work.ord;
