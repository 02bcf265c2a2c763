-- GPU activities that differ between two call trees, with their lowest common op.
-- set: diff
-- question: compare
-- position: 50
-- unit: pair
-- when: compat
-- drop-empty: source
-- terminal: name, cpu_op_name, source, kernel_time, busy_time, lowest_common_ancestor_name
-- empty: lacks_work, lacks_differences
CREATE VIEW diff_stats AS
SELECT
  work.run AS run, -- [text] run of the baseline
  work.name AS name, -- [kernel] name of the kernel or copy
  work.cpu_op_name AS cpu_op_name, -- [text] nearest op above it
  work.cpu_op_uid AS cpu_op_uid, -- [integer] place of that in the file
  work.source AS source, -- [text] trace1 for the baseline, trace2 for the variant; empty when both are the same
  signature.input_dims AS input_dims, -- "Input Dims" [tuple] dimensions of the op's inputs
  signature.input_strides AS input_strides, -- "Input Strides" [tuple] strides of the inputs
  signature.input_types AS input_type, -- "Input type" [tuple] types of the inputs
  signature.concrete_inputs AS concrete_inputs, -- "Concrete Inputs" [tuple] values of scalar inputs
  work.dur_ns / 1000.0 AS kernel_time, -- [us] (lower) its duration
  work.busy_ns / 1000.0 AS busy_time, -- [us] (lower) time covered by all work below the lowest common call, in this trace
  work.lca_name AS lowest_common_ancestor_name, -- [text] that call, with | between where names differ
  work.lca_id AS lowest_common_ancestor_id, -- [integer] its number in the merged tree
  work.uid AS gpu_op_uid, -- [integer] place of the work in the file
  work.nn_module_stack AS nn_module_stack, -- [text] modules around the op, outermost first, or root
  work.nn_module_parent AS nn_module_parent -- [text] the innermost of them
FROM diff_gpu AS work
LEFT JOIN signature ON signature.op_id = work.op_id
ORDER BY work.ord;
