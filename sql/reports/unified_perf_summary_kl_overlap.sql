-- GPU time by op, each GPU activity counted once, and by concurrent activities on other streams.
-- set: pytorch
-- question: ops
-- position: 55
-- key: name, input_dims, input_type, input_strides, concrete_inputs, overlapping_kernel_names, is_recompute
-- within: op_category, process_name, process_label, thread_name
-- measure: kernel_time_sum, operation_count
-- when: include-overlap-info
-- drop-empty: overlapping_kernels_details_summary, trunc_overlapping_kernels_details, overlap_pct_mean, overlap_pct_median, overlap_pct_std, overlap_pct_min, overlap_pct_max, partners_not_examined, is_recompute, model_note, roofline_bound, call_stack_full, entry_point, num_wrappers, traversal, wrappers
-- drop-with: compute_spec gflops, data_moved_mb gflops, flops_per_byte gflops, tbs_mean gflops, tbs_std gflops, tflops_mean gflops, tflops_std gflops, tbs_median gflops, tbs_min gflops, tbs_max gflops, tflops_median gflops, tflops_min gflops, tflops_max gflops, gflops gflops, roofline_time_us roofline_time_us, pct_roofline_mean roofline_time_us, pct_roofline_median roofline_time_us, pct_roofline_std roofline_time_us, pct_roofline_min roofline_time_us, pct_roofline_max roofline_time_us, peaks roofline_time_us
-- columns-when: entry_point include-call-stack, call_stack_full include-call-stack, num_wrappers debug-call-stack, traversal debug-call-stack, wrappers debug-call-stack, model_note not compat, peaks not compat
-- terminal: name, kernel_time_sum, percentage, overlapping_kernel_names, input_dims, pct_roofline_mean, operation_count, tflops_mean, roofline_bound, is_recompute, tbs_mean, kernel_time_mean, op_category, gflops, compute_spec, cumulative_percentage
-- not-included: not_included_in_ops
-- columns-of: collected_summary
-- empty: no_work, no_ops, no_launchers
CREATE VIEW unified_perf_summary_kl_overlap AS
SELECT
  run, trace_id, name, overlapping_kernel_names, op_category, process_name, process_label, thread_name, input_dims, input_type, input_strides,
  concrete_inputs, is_recompute, ex_uid, operation_count, total_duration_us, mean_duration_us, std_duration_us, gflops, data_moved_mb,
  flops_per_byte, compute_spec, roofline_bound, tbs_mean, tbs_std, tflops_mean, tflops_std, kernel_time_mean, kernel_time_std, kernel_time_sum,
  duration_us_median, duration_us_min, duration_us_max, tbs_median, tbs_min, tbs_max, tflops_median, tflops_min, tflops_max, roofline_time_us,
  pct_roofline_mean, pct_roofline_median, pct_roofline_std, pct_roofline_min, pct_roofline_max, kernel_time_median, kernel_time_min, kernel_time_max,
  kernel_details_summary, trunc_kernel_details, overlapping_kernels_details_summary, trunc_overlapping_kernels_details, overlap_pct_mean,
  overlap_pct_median, overlap_pct_std, overlap_pct_min, overlap_pct_max, partners_not_examined, perf_params, has_perf_model, model_note, peaks,
  entry_point, num_wrappers, traversal, wrappers, call_stack_full, percentage, cumulative_percentage
FROM collected_summary
WHERE beside
ORDER BY run, trace_id, place;
