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
-- empty: no_work, no_ops, no_launchers
CREATE VIEW unified_perf_summary AS
WITH collected AS MATERIALIZED (
  SELECT
    call.run AS run, call.trace_id AS trace_id, call.row_id AS row_id, call.is_recompute AS is_recompute, call.id AS id, call.pseudo AS pseudo, call.uid AS uid, call.order_key AS order_key,
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
  FROM collected_row AS call
  LEFT JOIN roofline_limits AS limits ON limits.run = call.run AND limits.trace_id = call.trace_id
  LEFT JOIN peak_rule AS rule ON rule.compute_spec = call.compute_spec AND arg(limits.peaks, call.compute_spec) IS NULL AND coalesce(rule.trace_id, call.trace_id) = call.trace_id AND rule.priority = (
    SELECT min(other.priority) FROM peak_rule AS other WHERE other.compute_spec = call.compute_spec AND coalesce(other.trace_id, call.trace_id) = call.trace_id AND call.kernel_details REGEXP other.pattern
    AND coalesce(other.is_allowed = (SELECT min(below.is_allowed) FROM tf32_call AS below WHERE below.id BETWEEN call.id AND (SELECT first.last_id FROM event AS first WHERE first.id = call.id)), other.is_allowed IS NULL))
  WHERE call.trace_id IN (SELECT trace_id FROM trace_with_ops)
)
SELECT
  collected.run AS run, -- [text] name of the run
  collected.trace_id AS trace_id, -- [integer] id of the trace
  name.text || coalesce('->' || kernel.text || ' (Synthetic Op)', '') AS name, -- [call] name of the op; outside of such ops: the launcher and the GPU activity
  collected.category AS op_category, -- "op category" [text] category of the op
  coalesce(track.process_name, 'Unknown') AS process_name, -- [text] name of the process
  coalesce(track.process_labels, 'Unknown') AS process_label, -- [text] labels of the process
  coalesce(track.thread_name, 'Unknown') AS thread_name, -- [text] name of the thread
  dims.text AS input_dims, -- "Input Dims" [tuple] shapes of the inputs
  types.text AS input_type, -- "Input type" [tuple] dtypes of the inputs
  strides.text AS input_strides, -- "Input Strides" [tuple] strides of the inputs
  concrete.text AS concrete_inputs, -- "Concrete Inputs" [tuple] values of the scalar inputs
  collected.is_recompute AS is_recompute, -- [boolean] whether the op recomputes activations
  collected.uid AS ex_uid, -- "ex_UID" [integer] position of the first call in the file
  collected.calls AS operation_count, -- [integer] number of calls of the op
  coalesce(collected.host_us, CASE WHEN (SELECT tpq_like_reference('unified_perf_summary: pseudo ops around a launch')) THEN 0.0 END) AS total_duration_us, -- CPU time of the calls; none for pseudo ops around a launch
  collected.host_us_mean AS mean_duration_us, -- mean CPU time of a call
  collected.host_us_std AS std_duration_us, -- standard deviation of the CPU time of a call
  collected.flops / 1e9 AS gflops, -- "GFLOPS" [GFLOP] floating-point operations per call of the op
  collected.bytes / 1048576.0 AS data_moved_mb, -- "Data Moved (MB)" [MiB] bytes read and written per call of the op
  collected.flops * 1.0 / nullif(max(collected.bytes, 0), 0) AS flops_per_byte, -- "FLOPS/Byte" [real] arithmetic intensity
  collected.compute_spec AS compute_spec, -- "Compute Spec" [text] kind of compute peak of the roofline: matrix or vector, and precision
  CASE WHEN collected.least_us IS NOT NULL THEN CASE WHEN collected.is_compute THEN 'COMPUTE_BOUND' ELSE 'MEMORY_BOUND' END END AS roofline_bound, -- "Roofline Bound" [text] roofline bound: compute or memory
  collected.tbs_mean AS tbs_mean, -- "TB/s_mean" [TB/s] (higher) mean achieved bandwidth
  collected.tbs_std AS tbs_std, -- "TB/s_std" [TB/s] standard deviation of the achieved bandwidth
  collected.tflops_mean AS tflops_mean, -- "TFLOPS/s_mean" [TFLOP/s] (higher) mean achieved TFLOP/s
  collected.tflops_std AS tflops_std, -- "TFLOPS/s_std" [TFLOP/s] standard deviation of the achieved TFLOP/s
  collected.kernel_us_mean AS kernel_time_mean, -- "Kernel Time (µs)_mean" [us] (lower) mean busy time of GPU activities below a call of the op
  collected.kernel_us_std AS kernel_time_std, -- "Kernel Time (µs)_std" [us] standard deviation of the busy time below a call
  collected.kernel_us AS kernel_time_sum, -- "Kernel Time (µs)_sum" [us] (lower) sum of the busy times of GPU activities below the calls
  difference.busy2_ns * 1.0 / nullif(difference.busy1_ns, 0) AS ratio, -- "speedup (trace2/trace1)" [real] GPU time of the row in the other trace over GPU time in the trace itself, with --diff; above 1 the other trace is slower
  difference.busy2_ns / 1000.0 - collected.kernel_us AS delta_us, -- "delta_us (trace2 - trace1)" (lower) GPU time of the row in the other trace minus GPU time in the trace itself, with --diff
  difference.lca_count AS lca_count, -- "lca_count_trace2" [integer] number of lowest common ancestors above the GPU activities of the row, with GPU activities in the other trace
  difference.lca_ids AS lca_id, -- [text] ids of the lowest common ancestors in the merged tree
  difference.lca_names AS lca_name, -- [text] names of the lowest common ancestors
  difference.busy1_ns / 1000.0 AS lca_time1, -- "lca_total_kernel_time_trace1_us" [us] (lower) busy time of all GPU activities below the lowest common ancestors, in the trace itself
  difference.busy2_ns / 1000.0 AS lca_time2, -- "lca_total_kernel_time_trace2_us" [us] (lower) busy time of all GPU activities below the lowest common ancestors, in the other trace
  difference.is_shared AS lca_shared, -- [boolean] whether other rows count one of the lowest common ancestors, too; such times do not add up
  collected.host_us_median AS duration_us_median, -- [us] median CPU time of a call
  collected.host_us_min AS duration_us_min, -- [us] minimum CPU time of a call
  collected.host_us_max AS duration_us_max, -- [us] maximum CPU time of a call
  collected.tbs_median AS tbs_median, -- "TB/s_median" [TB/s] median achieved bandwidth
  collected.tbs_min AS tbs_min, -- "TB/s_min" [TB/s] minimum achieved bandwidth
  collected.tbs_max AS tbs_max, -- "TB/s_max" [TB/s] maximum achieved bandwidth
  collected.tflops_median AS tflops_median, -- "TFLOPS/s_median" [TFLOP/s] median achieved TFLOP/s
  collected.tflops_min AS tflops_min, -- "TFLOPS/s_min" [TFLOP/s] minimum achieved TFLOP/s
  collected.tflops_max AS tflops_max, -- "TFLOPS/s_max" [TFLOP/s] maximum achieved TFLOP/s
  collected.least_us AS roofline_time_us, -- "Roofline Time (µs)_first" [us] roofline time: minimum time of a call at the peaks of the device
  collected.least_us * 100 * collected.per_us_mean AS pct_roofline_mean, -- "Pct Roofline_mean" [%] (higher) mean roofline %: roofline time as a share of the time of a call
  collected.least_us * 100 * collected.per_us_median AS pct_roofline_median, -- "Pct Roofline_median" [%] median roofline %
  collected.least_us * 100 * collected.per_us_std AS pct_roofline_std, -- "Pct Roofline_std" [%] standard deviation of the roofline %
  collected.least_us * 100 * collected.per_us_min AS pct_roofline_min, -- "Pct Roofline_min" [%] minimum roofline %
  collected.least_us * 100 * collected.per_us_max AS pct_roofline_max, -- "Pct Roofline_max" [%] maximum roofline %
  collected.kernel_us_median AS kernel_time_median, -- "Kernel Time (µs)_median" [us] median busy time of GPU activities below a call
  collected.kernel_us_min AS kernel_time_min, -- "Kernel Time (µs)_min" [us] minimum busy time of GPU activities below a call
  collected.kernel_us_max AS kernel_time_max, -- "Kernel Time (µs)_max" [us] maximum busy time of GPU activities below a call
  collected.kernel_details AS kernel_details_summary, -- [list] kernels of a call, with statistics over all calls
  collected.kernel_details_short AS trunc_kernel_details, -- [list] kernels of a call with statistics, shortened
  collected.overlapping_details AS overlapping_kernels_details_summary, -- [list] GPU activities that overlap the kernels of a call, with statistics over all calls
  collected.overlapping_details_short AS trunc_overlapping_kernels_details, -- [list] GPU activities that overlap the kernels of a call, shortened
  collected.overlap_pct_mean AS overlap_pct_mean, -- [real] mean overlapped part of the GPU time of a call, as a fraction
  collected.overlap_pct_median AS overlap_pct_median, -- [real] median overlapped part of the GPU time of a call
  collected.overlap_pct_std AS overlap_pct_std, -- [real] standard deviation of the overlapped part of the GPU time of a call
  collected.overlap_pct_min AS overlap_pct_min, -- [real] minimum overlapped part of the GPU time of a call
  collected.overlap_pct_max AS overlap_pct_max, -- [real] maximum overlapped part of the GPU time of a call
  nullif(collected.partners_not_examined, 0) AS partners_not_examined, -- [integer] number of GPU activities not examined because nearly all overlap
  collected.params AS perf_params, -- [list] parameters of the performance model, JSON object
  collected.has_model AS has_perf_model, -- [boolean] whether the op has a performance model
  CASE WHEN collected.status IN ('fail', 'skip') THEN collected.reason
    WHEN collected.least_us IS NOT NULL OR collected.device IS NULL THEN NULL
    WHEN collected.is_copy AND collected.bytes > 0 THEN 'memcpy over the host link: see time_above_roofline'
    WHEN collected.lacks_peak THEN 'no peak is known for ' || coalesce(collected.compute_spec, 'this type') END AS model_note, -- [text] reason why the model gives no figures, or why no roofline is known
  collected.device || ' ' || collected.kind || coalesce(' ' || collected.peak_spec, '') AS peaks, -- [text] device and kind of its peaks; where the device has no peak of Compute Spec: the peak taken and its source, the kernel name or allow_tf32 of the trace
  entry_point(collected.stack, name.text) AS entry_point, -- [text] user frame that stands for the op
  arg(entry_way(collected.stack, name.text), 'num_wrappers') AS num_wrappers, -- [integer] number of wrapper frames between the op and the entry point
  arg(entry_way(collected.stack, name.text), 'traversal') AS traversal, -- [text] direction of the search for the entry point: inward or outward
  arg(entry_way(collected.stack, name.text), 'wrappers') AS wrappers, -- [list] wrapper frames between the op and the entry point
  collected.stack AS call_stack_full, -- [list] call stack of the first call: frames and ops, outermost first, and its kernels
  collected.kernel_us * 100.0 / nullif(sum(collected.kernel_us) OVER whole, 0) AS percentage, -- "Percentage (%)" [%] share of the sum over all rows, by GPU time
  sum(collected.kernel_us) OVER in_order * 100.0 / nullif(sum(collected.kernel_us) OVER whole, 0) AS cumulative_percentage -- "Cumulative Percentage (%)" [%] cumulative share of the row and all rows above
FROM collected
JOIN string AS name ON name.id = collected.name_id
LEFT JOIN string AS kernel ON kernel.id = collected.kernel_name_id
JOIN track ON track.id = collected.track_id
LEFT JOIN op ON op.id = collected.op_id
LEFT JOIN diff_call AS difference ON difference.run = collected.run AND difference.trace_id = collected.trace_id AND difference.row_id = collected.row_id
LEFT JOIN string AS dims ON dims.id = op.dims_id
LEFT JOIN string AS types ON types.id = op.types_id
LEFT JOIN string AS strides ON strides.id = op.strides_id
LEFT JOIN string AS concrete ON concrete.id = op.concrete_id
WINDOW whole AS (PARTITION BY collected.run, collected.trace_id),
  in_order AS (PARTITION BY collected.run, collected.trace_id ORDER BY collected.kernel_us DESC, collected.order_key, collected.uid ROWS UNBOUNDED PRECEDING)
ORDER BY collected.run, collected.trace_id, collected.kernel_us DESC, collected.order_key, collected.uid;
