-- GPU time by op with FLOPs, bytes, rates and roofline %. Each GPU activity counts once; ops are
-- the outermost that have a model, and whatever launches GPU activities outside of those.
-- set: pytorch
-- question: ops first
-- words: flops, tflops, compute-bound, memory-bound, slowest
-- position: 55
-- level: op_shape
-- key: name, input_dims, input_type, input_strides, concrete_inputs, is_recompute
-- within: op_category, process_name, process_label, thread_name
-- measure: kernel_time_sum, operation_count
-- work: GPU time of ops
-- figures: collected_figures
-- drop-empty: overlapping_kernels_details_summary, trunc_overlapping_kernels_details, overlap_pct_mean, overlap_pct_median, overlap_pct_std, overlap_pct_min, overlap_pct_max, partners_not_examined, is_recompute, model_note, roofline_bound, call_stack_full, entry_point, num_wrappers, traversal, wrappers
-- drop-with: compute_spec gflops, data_moved_mb gflops, flops_per_byte gflops, tbs_mean gflops, tbs_std gflops, tflops_mean gflops, tflops_std gflops, tbs_median gflops, tbs_min gflops, tbs_max gflops, tflops_median gflops, tflops_min gflops, tflops_max gflops, gflops gflops, roofline_time_us roofline_time_us, pct_roofline_mean roofline_time_us, pct_roofline_median roofline_time_us, pct_roofline_std roofline_time_us, pct_roofline_min roofline_time_us, pct_roofline_max roofline_time_us, peaks roofline_time_us
-- columns-when: entry_point include-call-stack, call_stack_full include-call-stack, num_wrappers debug-call-stack, traversal debug-call-stack, wrappers debug-call-stack, model_note not compat, peaks not compat, ratio diff-other, delta_us diff-other, lca_count diff-other, lca_id diff-other, lca_name diff-other, lca_time1 diff-other, lca_time2 diff-other, lca_shared diff-other and not compat
-- terminal: name, kernel_time_sum, delta_us, ratio, percentage, input_dims, pct_roofline_mean, operation_count, tflops_mean, roofline_bound, is_recompute, tbs_mean, kernel_time_mean, op_category, gflops, compute_spec, cumulative_percentage
-- not-included: not_included_in_ops, not_included_without_limits
-- columns-of: collected_summary
-- empty: no_work, no_ops, no_launchers
CREATE VIEW unified_perf_summary AS
WITH asked AS (
  SELECT 1 AS one WHERE (SELECT tpq_option('diff-other')) IS NOT NULL
), work AS MATERIALIZED (
  SELECT diff.id AS id, diff.lca_id AS lca_id
  FROM asked CROSS JOIN diff_gpu AS diff
  WHERE diff.is_in1 AND diff.lca_id IS NOT NULL
), point AS MATERIALIZED (
  SELECT diff.lca_id AS lca_id, diff.lca_name AS lca_name, diff.busy1_ns AS busy1_ns, diff.busy2_ns AS busy2_ns, diff.kernels2 AS kernels2
  FROM asked CROSS JOIN diff_point AS diff
), reached AS MATERIALIZED (
  SELECT DISTINCT call.run AS run, call.trace_id AS trace_id, call.row_id AS row_id, work.lca_id AS lca_id
  FROM asked CROSS JOIN collected_work AS call CROSS JOIN work ON work.id = call.id
), shared AS MATERIALIZED (
  SELECT lca_id FROM reached GROUP BY lca_id HAVING count(*) > 1
), in_order AS (
  SELECT reached.run AS run, reached.trace_id AS trace_id, reached.row_id AS row_id,
    point.lca_id AS lca_id, point.lca_name AS lca_name, point.busy1_ns AS busy1_ns, point.busy2_ns AS busy2_ns, point.kernels2 AS kernels2,
    reached.lca_id IN (SELECT lca_id FROM shared) AS is_shared
  FROM reached CROSS JOIN point ON point.lca_id = reached.lca_id
  ORDER BY reached.run, reached.trace_id, reached.row_id, reached.lca_id
),
-- With --diff-other: of each row of collected_row what the lowest calls of both traces
-- above its work take in either. A call above work of several rows counts in each of them.
diff_call AS (
  SELECT run, trace_id, row_id, sum(busy1_ns) AS busy1_ns, sum(busy2_ns) AS busy2_ns, sum(kernels2 > 0) AS lca_count, group_concat(lca_id, '; ') AS lca_ids,
    group_concat(lca_name, '; ') AS lca_names, max(is_shared) AS is_shared
  FROM in_order
  GROUP BY run, trace_id, row_id
)
SELECT
  row.run, row.trace_id, row.name, row.op_category, row.process_name, row.process_label, row.thread_name, row.input_dims, row.input_type,
  row.input_strides, row.concrete_inputs, row.is_recompute, row.ex_uid, row.operation_count, row.total_duration_us, row.mean_duration_us,
  row.std_duration_us, row.gflops, row.data_moved_mb, row.flops_per_byte, row.compute_spec, row.roofline_bound, row.tbs_mean, row.tbs_std,
  row.tflops_mean, row.tflops_std, row.kernel_time_mean, row.kernel_time_std, row.kernel_time_sum,
  difference.busy2_ns * 1.0 / nullif(difference.busy1_ns, 0) AS ratio, -- "speedup (trace2/trace1)" [real] GPU time of the row in the other trace over GPU time in the trace itself, with --diff; above 1 the other trace is slower
  difference.busy2_ns / 1000.0 - row.kernel_time_sum AS delta_us, -- "delta_us (trace2 - trace1)" (lower) GPU time of the row in the other trace minus GPU time in the trace itself, with --diff
  difference.lca_count AS lca_count, -- "lca_count_trace2" [integer] number of lowest common ancestors above the GPU activities of the row, with GPU activities in the other trace
  difference.lca_ids AS lca_id, -- [text] ids of the lowest common ancestors in the merged tree
  difference.lca_names AS lca_name, -- [text] names of the lowest common ancestors
  difference.busy1_ns / 1000.0 AS lca_time1, -- "lca_total_kernel_time_trace1_us" [us] (lower) busy time of all GPU activities below the lowest common ancestors, in the trace itself
  difference.busy2_ns / 1000.0 AS lca_time2, -- "lca_total_kernel_time_trace2_us" [us] (lower) busy time of all GPU activities below the lowest common ancestors, in the other trace
  difference.is_shared AS lca_shared, -- [boolean] whether other rows count one of the lowest common ancestors, too; such times do not add up
  row.duration_us_median, row.duration_us_min, row.duration_us_max, row.tbs_median, row.tbs_min, row.tbs_max, row.tflops_median, row.tflops_min,
  row.tflops_max, row.roofline_time_us, row.pct_roofline_mean, row.pct_roofline_median, row.pct_roofline_std, row.pct_roofline_min,
  row.pct_roofline_max, row.kernel_time_median, row.kernel_time_min, row.kernel_time_max, row.kernel_details_summary, row.trunc_kernel_details,
  row.overlapping_kernels_details_summary, row.trunc_overlapping_kernels_details, row.overlap_pct_mean, row.overlap_pct_median, row.overlap_pct_std,
  row.overlap_pct_min, row.overlap_pct_max, row.partners_not_examined, row.perf_params, row.has_perf_model, row.model_note, row.peaks,
  row.entry_point, row.num_wrappers, row.traversal, row.wrappers, row.call_stack_full, row.percentage, row.cumulative_percentage
FROM collected_summary AS row
LEFT JOIN diff_call AS difference ON difference.run = row.run AND difference.trace_id = row.trace_id AND difference.row_id = row.row_id
WHERE NOT row.beside
ORDER BY row.run, row.trace_id, row.place;
