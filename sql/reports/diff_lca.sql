-- Where two call trees part: each lowest common op above GPU activities that differ.
-- set: diff
-- question: compare
-- position: 20
-- unit: pair
-- when: not compat
-- terminal: name, lowest_common_ancestor_name, busy_time1, busy_time2, delta_us, ratio, share_of_delta, num_kernels1, num_kernels2, input_dims
-- columns-of: diff_stats
-- empty: no_work, no_pair, no_differences
CREATE VIEW diff_lca AS
WITH total AS MATERIALIZED (
  SELECT sum(busy1_ns) AS all1_ns, sum(busy2_ns) AS all2_ns, sum(abs(busy2_ns - busy1_ns)) AS change_ns
  FROM diff_point
)
SELECT
  point.run,
  point.op_name AS name, -- [text] name of the op above the GPU activities, as both traces agree on it
  point.lca_name AS lowest_common_ancestor_name, point.lca_id AS lowest_common_ancestor_id, point.nn_module_stack, point.nn_module_parent,
  signature.input_dims, signature.input_types AS input_type, signature.input_strides, signature.concrete_inputs,
  point.busy1_ns / 1000.0 AS busy_time1, -- "kernel_time_trace1_us" [us] (lower) busy time below the lowest common op in the baseline
  point.busy2_ns / 1000.0 AS busy_time2, -- "kernel_time_trace2_us" [us] (lower) busy time below the lowest common op in the candidate
  (point.busy2_ns - point.busy1_ns) / 1000.0 AS delta_us, -- "delta_us (trace2 - trace1)" (lower) busy time difference, candidate minus baseline
  point.busy2_ns * 1.0 / nullif(point.busy1_ns, 0) AS ratio, -- "speedup (trace2/trace1)" [real] busy time ratio, candidate by baseline; above 1 the candidate is slower
  100.0 * abs(point.busy2_ns - point.busy1_ns) / nullif(total.change_ns, 0) AS share_of_delta, -- [%] share of all changes, slower and faster ones together
  100.0 * point.busy1_ns / nullif(total.all1_ns, 0) AS pct_of_trace1_total, -- "pct_of_trace1_total (%)" [%] share of the busy time of all rows in the baseline
  100.0 * point.busy2_ns / nullif(total.all2_ns, 0) AS pct_of_trace2_total, -- "pct_of_trace2_total (%)" [%] share of the busy time of all rows in the candidate
  point.kernels1 AS num_kernels1, -- "num_kernels_trace1" [integer] number of GPU activities in the baseline
  point.kernels2 AS num_kernels2, -- "num_kernels_trace2" [integer] number of GPU activities in the candidate
  point.kernel_names1 AS kernel_names1, -- "kernel_names_trace1" [text] names of the GPU activities in the baseline
  point.kernel_names2 AS kernel_names2 -- "kernel_names_trace2" [text] names of the GPU activities in the candidate
FROM diff_point AS point
CROSS JOIN total
LEFT JOIN signature ON signature.op_id = point.op_id
ORDER BY point.place;
