-- Where two call trees part: each lowest common op above GPU activities that differ.
-- set: diff
-- question: compare
-- position: 20
-- unit: pair
-- when: not compat
-- terminal: name, lowest_common_ancestor_name, busy_time1, busy_time2, delta_us, ratio, share_of_delta, num_kernels1, num_kernels2, input_dims
-- empty: lacks_work, lacks_differences
CREATE VIEW diff_lca AS
WITH total AS MATERIALIZED (
  SELECT sum(busy1_ns) AS all1_ns, sum(busy2_ns) AS all2_ns, sum(abs(busy2_ns - busy1_ns)) AS change_ns
  FROM diff_point
)
SELECT
  point.run AS run, -- [text] run of the baseline
  point.op_name AS name, -- [text] op above the work, by the name that both traces agree on
  point.lca_name AS lowest_common_ancestor_name, -- [text] the call, with | between where names differ
  point.lca_id AS lowest_common_ancestor_id, -- [integer] its number in the merged tree
  point.nn_module_stack AS nn_module_stack, -- [text] modules around the op, outermost first, or root
  point.nn_module_parent AS nn_module_parent, -- [text] the innermost of them
  signature.input_dims AS input_dims, -- "Input Dims" [tuple] dimensions of the op's inputs
  signature.input_types AS input_type, -- "Input type" [tuple] types of the inputs
  signature.input_strides AS input_strides, -- "Input Strides" [tuple] strides of the inputs
  signature.concrete_inputs AS concrete_inputs, -- "Concrete Inputs" [tuple] values of scalar inputs
  point.busy1_ns / 1000.0 AS busy_time1, -- "kernel_time_trace1_us" [us] (lower) time covered by its work in the baseline
  point.busy2_ns / 1000.0 AS busy_time2, -- "kernel_time_trace2_us" [us] (lower) the same in the variant
  (point.busy2_ns - point.busy1_ns) / 1000.0 AS delta_us, -- "delta_us (trace2 - trace1)" (lower) the second less the first
  point.busy2_ns * 1.0 / nullif(point.busy1_ns, 0) AS ratio, -- "speedup (trace2/trace1)" [real] the second by the first: above 1 the variant is slower
  100.0 * abs(point.busy2_ns - point.busy1_ns) / nullif(total.change_ns, 0) AS share_of_delta, -- [%] share of all changes, faster and slower ones
  100.0 * point.busy1_ns / nullif(total.all1_ns, 0) AS pct_of_trace1_total, -- "pct_of_trace1_total (%)" [%] share of the time of all rows in the baseline
  100.0 * point.busy2_ns / nullif(total.all2_ns, 0) AS pct_of_trace2_total, -- "pct_of_trace2_total (%)" [%] the same in the variant
  point.kernels1 AS num_kernels1, -- "num_kernels_trace1" [integer] how much work that is in the baseline
  point.kernels2 AS num_kernels2, -- "num_kernels_trace2" [integer] the same in the variant
  point.kernel_names1 AS kernel_names1, -- "kernel_names_trace1" [text] names of the work in the baseline
  point.kernel_names2 AS kernel_names2 -- "kernel_names_trace2" [text] the same in the variant
FROM diff_point AS point
CROSS JOIN total
LEFT JOIN signature ON signature.op_id = point.op_id
ORDER BY point.place;
