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
-- columns-of: unified_perf_summary
-- empty: no_work, no_ops, no_launchers
CREATE VIEW unified_perf_summary_kl_overlap AS
WITH collected AS MATERIALIZED (
  SELECT
    call.run AS run, call.trace_id AS trace_id, call.is_recompute AS is_recompute, call.id AS id, call.pseudo AS pseudo, call.uid AS uid, call.order_key AS order_key,
    call.name_id AS name_id, call.kernel_name_id AS kernel_name_id, call.category AS category, call.op_id AS op_id, call.track_id AS track_id,
    call.has_model AS has_model, call.status AS status, call.reason AS reason, call.params AS params, call.flops AS flops, call.bytes AS bytes,
    call.compute_spec AS compute_spec, call.calls AS calls, call.kernel_details AS kernel_details, call.kernel_details_short AS kernel_details_short,
    call.overlapping_names AS overlapping_names, call.overlapping_details AS overlapping_details,
    call.overlapping_details_short AS overlapping_details_short, call.partners_not_examined AS partners_not_examined, call.kernel_us AS kernel_us,
    call.kernel_us_mean AS kernel_us_mean, call.kernel_us_median AS kernel_us_median, call.kernel_us_std AS kernel_us_std,
    call.kernel_us_min AS kernel_us_min, call.kernel_us_max AS kernel_us_max, call.tflops_mean AS tflops_mean, call.tflops_median AS tflops_median,
    call.tflops_std AS tflops_std, call.tflops_min AS tflops_min, call.tflops_max AS tflops_max, call.tbs_mean AS tbs_mean,
    call.tbs_median AS tbs_median, call.tbs_std AS tbs_std, call.tbs_min AS tbs_min, call.tbs_max AS tbs_max, call.per_us_mean AS per_us_mean,
    call.per_us_median AS per_us_median, call.per_us_std AS per_us_std, call.per_us_min AS per_us_min, call.per_us_max AS per_us_max,
    call.host_us AS host_us, call.host_us_mean AS host_us_mean, call.host_us_median AS host_us_median, call.host_us_std AS host_us_std,
    call.host_us_min AS host_us_min, call.host_us_max AS host_us_max, call.overlap_pct_mean AS overlap_pct_mean,
    call.overlap_pct_median AS overlap_pct_median, call.overlap_pct_std AS overlap_pct_std, call.overlap_pct_min AS overlap_pct_min,
    call.overlap_pct_max AS overlap_pct_max,
    limits.device AS device, limits.kind AS kind,
    sum(call.kernel_us) OVER alike AS alike_us, min(call.order_key) OVER alike AS alike_key,
    CASE WHEN NOT EXISTS (
      SELECT 1 FROM link_rule AS link WHERE call.kernel_details REGEXP link.pattern AND (
        SELECT sum(arg(work.value, 'total_duration_us')) FILTER (WHERE arg(work.value, 'name') REGEXP link.pattern) * 2 > sum(arg(work.value, 'total_duration_us'))
        FROM json_each(call.kernel_details) AS work))
      THEN roofline_us(nullif(call.flops, 0), call.bytes, CAST(arg(limits.peaks, coalesce(rule.peak_spec, call.compute_spec)) AS REAL), limits.mem_bw_gbps) END AS least_us,
    call.flops / (CAST(arg(limits.peaks, coalesce(rule.peak_spec, call.compute_spec)) AS REAL) * 1e3) >= call.bytes / limits.mem_bw_gbps AS is_compute,
    limits.device IS NOT NULL AND call.flops > 0 AND arg(limits.peaks, coalesce(rule.peak_spec, call.compute_spec)) IS NULL AS lacks_peak,
    EXISTS (SELECT 1 FROM link_rule AS link WHERE call.kernel_details REGEXP link.pattern) AS is_copy,
    rule.peak_spec || coalesce(' by ' || rule.reason, '') AS peak_spec,
    CASE WHEN (SELECT tpq_option('include-call-stack')) IS NOT NULL
      THEN call_stack(call.id, call.pseudo, CASE WHEN (SELECT tpq_like_reference('call_stack: ways to several GPU activities')) THEN call.kernel_details END) END AS stack
  FROM collected_overlap_row AS call
  LEFT JOIN roofline_limits AS limits ON limits.run = call.run AND limits.trace_id = call.trace_id
  LEFT JOIN peak_rule AS rule ON rule.compute_spec = call.compute_spec AND arg(limits.peaks, call.compute_spec) IS NULL AND coalesce(rule.trace_id, call.trace_id) = call.trace_id AND rule.priority = (
    SELECT min(other.priority) FROM peak_rule AS other WHERE other.compute_spec = call.compute_spec AND coalesce(other.trace_id, call.trace_id) = call.trace_id AND call.kernel_details REGEXP other.pattern
    AND coalesce(other.is_allowed = (SELECT min(below.is_allowed) FROM tf32_call AS below WHERE below.id BETWEEN call.id AND (SELECT first.last_id FROM event AS first WHERE first.id = call.id)), other.is_allowed IS NULL))
  WHERE call.trace_id IN (SELECT trace_id FROM trace_with_ops)
  WINDOW alike AS (PARTITION BY call.run, call.trace_id, call.is_recompute, call.name_id, call.kernel_name_id, call.category, call.op_id, call.track_id)
)
SELECT
  collected.run, collected.trace_id,
  name.text || coalesce('->' || kernel.text || ' (Synthetic Op)', '') AS name,
  collected.overlapping_names AS overlapping_kernel_names, -- [list] kernels of other ops that overlap the kernels of the op on other streams
  collected.category AS op_category, coalesce(track.process_name, 'Unknown') AS process_name,
  coalesce(track.process_labels, 'Unknown') AS process_label, coalesce(track.thread_name, 'Unknown') AS thread_name, dims.text AS input_dims,
  types.text AS input_type, strides.text AS input_strides, concrete.text AS concrete_inputs, collected.is_recompute, collected.uid AS ex_uid,
  collected.calls AS operation_count,
  coalesce(collected.host_us, CASE WHEN (SELECT tpq_like_reference('unified_perf_summary: pseudo ops around a launch')) THEN 0.0 END) AS total_duration_us,
  collected.host_us_mean AS mean_duration_us, collected.host_us_std AS std_duration_us, collected.flops / 1e9 AS gflops,
  collected.bytes / 1048576.0 AS data_moved_mb,
  collected.flops * 1.0 / nullif(max(collected.bytes, 0), 0) AS flops_per_byte,
  collected.compute_spec,
  CASE WHEN collected.least_us IS NOT NULL THEN CASE WHEN collected.is_compute THEN 'COMPUTE_BOUND' ELSE 'MEMORY_BOUND' END END AS roofline_bound,
  collected.tbs_mean, collected.tbs_std, collected.tflops_mean, collected.tflops_std, collected.kernel_us_mean AS kernel_time_mean,
  collected.kernel_us_std AS kernel_time_std, collected.kernel_us AS kernel_time_sum, collected.host_us_median AS duration_us_median,
  collected.host_us_min AS duration_us_min, collected.host_us_max AS duration_us_max, collected.tbs_median, collected.tbs_min, collected.tbs_max,
  collected.tflops_median, collected.tflops_min, collected.tflops_max, collected.least_us AS roofline_time_us,
  collected.least_us * 100 * collected.per_us_mean AS pct_roofline_mean,
  collected.least_us * 100 * collected.per_us_median AS pct_roofline_median,
  collected.least_us * 100 * collected.per_us_std AS pct_roofline_std,
  collected.least_us * 100 * collected.per_us_min AS pct_roofline_min,
  collected.least_us * 100 * collected.per_us_max AS pct_roofline_max,
  collected.kernel_us_median AS kernel_time_median, collected.kernel_us_min AS kernel_time_min, collected.kernel_us_max AS kernel_time_max,
  collected.kernel_details AS kernel_details_summary, collected.kernel_details_short AS trunc_kernel_details,
  collected.overlapping_details AS overlapping_kernels_details_summary,
  collected.overlapping_details_short AS trunc_overlapping_kernels_details,
  collected.overlap_pct_mean, collected.overlap_pct_median, collected.overlap_pct_std, collected.overlap_pct_min, collected.overlap_pct_max,
  nullif(collected.partners_not_examined, 0) AS partners_not_examined, collected.params AS perf_params, collected.has_model AS has_perf_model,
  CASE WHEN collected.status IN ('fail', 'skip') THEN collected.reason
    WHEN collected.least_us IS NOT NULL OR collected.device IS NULL THEN NULL
    WHEN collected.is_copy AND collected.bytes > 0 THEN 'memcpy over the host link: see time_above_roofline'
    WHEN collected.lacks_peak THEN 'no peak is known for ' || coalesce(collected.compute_spec, 'this type') END AS model_note,
  collected.device || ' ' || collected.kind || coalesce(' ' || collected.peak_spec, '') AS peaks,
  entry_point(collected.stack, name.text) AS entry_point,
  arg(entry_way(collected.stack, name.text), 'num_wrappers') AS num_wrappers,
  arg(entry_way(collected.stack, name.text), 'traversal') AS traversal,
  arg(entry_way(collected.stack, name.text), 'wrappers') AS wrappers,
  collected.stack AS call_stack_full,
  collected.kernel_us * 100.0 / nullif(sum(collected.kernel_us) OVER whole, 0) AS percentage,
  sum(collected.kernel_us) OVER in_order * 100.0 / nullif(sum(collected.kernel_us) OVER whole, 0) AS cumulative_percentage
FROM collected
JOIN string AS name ON name.id = collected.name_id
LEFT JOIN string AS kernel ON kernel.id = collected.kernel_name_id
JOIN track ON track.id = collected.track_id
LEFT JOIN op ON op.id = collected.op_id
LEFT JOIN string AS dims ON dims.id = op.dims_id
LEFT JOIN string AS types ON types.id = op.types_id
LEFT JOIN string AS strides ON strides.id = op.strides_id
LEFT JOIN string AS concrete ON concrete.id = op.concrete_id
WINDOW whole AS (PARTITION BY collected.run, collected.trace_id),
  in_order AS (PARTITION BY collected.run, collected.trace_id ORDER BY collected.alike_us DESC, collected.alike_key, collected.kernel_us DESC, collected.order_key, collected.uid ROWS UNBOUNDED PRECEDING)
ORDER BY collected.run, collected.trace_id, collected.alike_us DESC, collected.alike_key, collected.kernel_us DESC, collected.order_key, collected.uid;
