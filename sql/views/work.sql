-- Basis of several reports.

-- Categories of ops by the name of their model, where op_category does not say. The table is apart from
-- that one, so that either is looked up by its index.
CREATE VIEW category_of_model AS
SELECT
  op AS op, -- name of the op
  category AS category, -- category of the op
  source = 'tpq' AS place -- the least holds
FROM perf_model
WHERE match = 'exact' AND category <> 'other'
  AND profile IN ('both', CASE WHEN (SELECT tpq_like_reference('categories of ops')) THEN 'compat' ELSE 'fixed' END);

-- Traces with ops. Of the others the host's side says nothing, and reports about ops leave them out.
CREATE VIEW trace_with_ops AS
SELECT
  scope.run AS run, -- name of the run
  scope.trace_id AS trace_id -- id of the trace
FROM (SELECT DISTINCT run, trace_id FROM scope) AS scope
JOIN trace ON trace.id = scope.trace_id
WHERE EXISTS (
  SELECT 1 FROM event
  WHERE event.id BETWEEN trace.first_event AND trace.last_event
  AND event.category_id IN (SELECT id FROM category WHERE name IN ('cpu_op', 'python_func')));

-- The kind of work by its name, for every name of selected GPU activities.
CREATE VIEW work_class AS
SELECT
  work.run AS run, -- name of the run
  work.trace_id AS trace_id, -- id of the trace
  work.category_id AS category_id, -- kind of event
  work.name_id AS name_id, -- name of the GPU activity
  kernel_class('timeline', work.category_id, work.name_id) AS class -- computation, communication or memcpy
FROM (
  SELECT DISTINCT scope.run AS run, scope.trace_id AS trace_id, gpu_event.category_id AS category_id, gpu_event.name_id AS name_id
  FROM scope
  CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
) AS work;

-- GPU activities that the timeline is made of: all of it; with --compat only what is linked to a
-- call, unless --include-unlinked-kernels is set.
CREATE VIEW timeline_work AS
SELECT
  scope.run AS run, -- name of the run
  scope.trace_id AS trace_id, -- id of the trace
  CASE WHEN linked_work.call_id IS NULL THEN scope.is_recompute * 0 ELSE scope.is_recompute END AS is_recompute, -- whether it recomputes activations: where it was launched says so
  linked_work.id AS id, -- id of the event
  linked_work.device AS device, -- number of the device
  linked_work.ts_ns AS ts_ns, -- start, from the start of the trace
  linked_work.dur_ns AS dur_ns, -- duration of the GPU activity
  kernel_class('timeline', linked_work.category_id, linked_work.name_id) AS class -- computation, communication or memcpy
FROM scope
CROSS JOIN linked_work ON linked_work.id BETWEEN scope.first_event AND scope.last_event
WHERE linked_work.call_id IS NOT NULL OR (SELECT tpq_option('include-unlinked-kernels')) IS NOT NULL
OR NOT (SELECT tpq_like_reference('timeline: work without a launcher'));

-- The same for questions of time: what may run in the selected time, whoever launched it.
CREATE VIEW window_timeline_work AS
SELECT
  scope.run AS run, -- name of the run
  scope.trace_id AS trace_id, -- id of the trace
  linked_work.ts_ns AS ts_ns, -- start, from the start of the trace
  linked_work.dur_ns AS dur_ns, -- duration of the GPU activity
  kernel_class('timeline', linked_work.category_id, linked_work.name_id) AS class -- computation, communication or memcpy
FROM window_scope AS scope
CROSS JOIN linked_work ON linked_work.id BETWEEN scope.first_event AND scope.last_event
WHERE linked_work.call_id IS NOT NULL OR (SELECT tpq_option('include-unlinked-kernels')) IS NOT NULL
OR NOT (SELECT tpq_like_reference('timeline: work without a launcher'));

-- Only what rows of unified_perf_summary are told apart by, with their time and calls, for which no
-- roofline need be known.
CREATE VIEW collected_figures AS
SELECT
  call.run AS run, -- name of the run
  call.trace_id AS trace_id, -- id of the trace
  name.text || coalesce('->' || kernel.text || ' (Synthetic Op)', '') AS name, -- [call] name of the op; of a GPU activity in no such op, its launch and its own name
  dims.text AS input_dims, -- [tuple] dimensions of the inputs
  types.text AS input_type, -- [tuple] types of the inputs
  strides.text AS input_strides, -- [tuple] strides of the inputs
  concrete.text AS concrete_inputs, -- [tuple] values of scalar inputs
  call.is_recompute AS is_recompute, -- [boolean] whether it recomputes activations
  call.calls AS operation_count, -- [integer] number of calls
  call.kernel_us AS kernel_time_sum -- [us] GPU busy time below the calls
FROM collected_time AS call
JOIN string AS name ON name.id = call.name_id
LEFT JOIN string AS kernel ON kernel.id = call.kernel_name_id
LEFT JOIN op ON op.id = call.op_id
LEFT JOIN string AS dims ON dims.id = op.dims_id
LEFT JOIN string AS types ON types.id = op.types_id
LEFT JOIN string AS strides ON strides.id = op.strides_id
LEFT JOIN string AS concrete ON concrete.id = op.concrete_id
WHERE call.trace_id IN (SELECT trace_id FROM trace_with_ops)
ORDER BY call.run, call.trace_id, call.kernel_us DESC;

-- Every kernel (not memcpy and memset) with the op that it belongs to. `execute` is an op here.
CREATE VIEW kernel_work AS
SELECT
  scope.run AS run, -- name of the run
  scope.trace_id AS trace_id, -- id of the trace
  linked_work.id AS id, -- id of the event
  linked_work.uid AS uid, -- place in the file
  linked_work.name_id AS name_id, -- name of the kernel
  linked_work.stream AS stream, -- number of the stream
  linked_work.ts_ns AS ts_ns, -- start, from the start of the trace
  linked_work.dur_ns AS dur_ns, -- duration of the kernel
  linked_work.call_id AS call_id, -- id of the runtime call that launched the kernel
  linked_work.cpu_op_id AS cpu_op_id, -- id of the nearest op above the runtime call
  linked_work.launcher_id AS launcher_id, -- id of the op that launched the kernel
  linked_work.args_id AS args_id -- other arguments
FROM scope
CROSS JOIN linked_work ON linked_work.id BETWEEN scope.first_event AND scope.last_event
WHERE linked_work.category_id = (SELECT id FROM category WHERE name = 'kernel');

-- Rows of unified_perf_summary, and once more those of unified_perf_summary_kl_overlap: ops with
-- GPU time, figures of their models and roofline %.
CREATE VIEW collected_summary AS
WITH call AS (
  SELECT 0 AS beside, run, trace_id, row_id, is_recompute, id, pseudo, uid, order_key, name_id, kernel_name_id, category, op_id, track_id, has_model, status,
    reason, params, flops, bytes, compute_spec, calls, kernel_details, kernel_details_short, overlapping_names, overlapping_details,
    overlapping_details_short, partners_not_examined, kernel_us, kernel_us_mean, kernel_us_median, kernel_us_std, kernel_us_min, kernel_us_max, tflops_mean,
    tflops_median, tflops_std, tflops_min, tflops_max, tbs_mean, tbs_median, tbs_std, tbs_min, tbs_max, per_us_mean, per_us_median, per_us_std, per_us_min,
    per_us_max, host_us, host_us_mean, host_us_median, host_us_std, host_us_min, host_us_max, overlap_pct_mean, overlap_pct_median, overlap_pct_std,
    overlap_pct_min, overlap_pct_max
  FROM collected_row
  UNION ALL
  SELECT 1, run, trace_id, row_id, is_recompute, id, pseudo, uid, order_key, name_id, kernel_name_id, category, op_id, track_id, has_model, status, reason, params,
    flops, bytes, compute_spec, calls, kernel_details, kernel_details_short, overlapping_names, overlapping_details, overlapping_details_short,
    partners_not_examined, kernel_us, kernel_us_mean, kernel_us_median, kernel_us_std, kernel_us_min, kernel_us_max, tflops_mean, tflops_median, tflops_std,
    tflops_min, tflops_max, tbs_mean, tbs_median, tbs_std, tbs_min, tbs_max, per_us_mean, per_us_median, per_us_std, per_us_min, per_us_max, host_us,
    host_us_mean, host_us_median, host_us_std, host_us_min, host_us_max, overlap_pct_mean, overlap_pct_median, overlap_pct_std, overlap_pct_min,
    overlap_pct_max
  FROM collected_overlap_row
),
collected AS (
  SELECT
    beside, call.run AS run, call.trace_id AS trace_id, row_id, is_recompute, id, pseudo, uid, order_key, name_id, kernel_name_id, category, op_id, track_id,
    has_model, status, call.reason AS reason, params, flops, bytes, call.compute_spec AS compute_spec, calls, kernel_details, kernel_details_short, overlapping_names,
    overlapping_details, overlapping_details_short, partners_not_examined, kernel_us, kernel_us_mean, kernel_us_median, kernel_us_std, kernel_us_min,
    kernel_us_max, tflops_mean, tflops_median, tflops_std, tflops_min, tflops_max, tbs_mean, tbs_median, tbs_std, tbs_min, tbs_max, per_us_mean,
    per_us_median, per_us_std, per_us_min, per_us_max, host_us, host_us_mean, host_us_median, host_us_std, host_us_min, host_us_max, overlap_pct_mean,
    overlap_pct_median, overlap_pct_std, overlap_pct_min, overlap_pct_max,
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
  FROM call
  LEFT JOIN roofline_limits AS limits ON limits.run = call.run AND limits.trace_id = call.trace_id
  LEFT JOIN peak_rule AS rule ON rule.compute_spec = call.compute_spec AND arg(limits.peaks, call.compute_spec) IS NULL AND coalesce(rule.trace_id, call.trace_id) = call.trace_id AND rule.priority = (
    SELECT min(other.priority) FROM peak_rule AS other WHERE other.compute_spec = call.compute_spec AND coalesce(other.trace_id, call.trace_id) = call.trace_id AND call.kernel_details REGEXP other.pattern
    AND coalesce(other.is_allowed = (SELECT min(below.is_allowed) FROM tf32_call AS below WHERE below.id BETWEEN call.id AND (SELECT first.last_id FROM event AS first WHERE first.id = call.id)), other.is_allowed IS NULL))
  WHERE call.trace_id IN (SELECT trace_id FROM trace_with_ops)
  WINDOW alike AS (PARTITION BY call.run, call.trace_id, call.beside, call.is_recompute, call.name_id, call.kernel_name_id, call.category, call.op_id, call.track_id, CASE WHEN call.beside THEN 0 ELSE call.row_id END)
)
SELECT
  collected.run AS run, -- [text] name of the run
  collected.trace_id AS trace_id, -- [integer] id of the trace
  collected.beside AS beside, -- [boolean] whether overlapping_kernel_names tells rows apart, too; all calls are in both kinds of rows
  collected.row_id AS row_id, -- [integer] row of collected_row or collected_overlap_row
  name.text || coalesce('->' || kernel.text || ' (Synthetic Op)', '') AS name, -- [call] name of the op; outside of such ops: the launcher and the GPU activity
  collected.overlapping_names AS overlapping_kernel_names, -- [list] kernels of other ops that overlap the kernels of the op on other streams
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
  sum(collected.kernel_us) OVER in_order * 100.0 / nullif(sum(collected.kernel_us) OVER whole, 0) AS cumulative_percentage, -- "Cumulative Percentage (%)" [%] cumulative share of the row and all rows above
  row_number() OVER in_order AS place -- [integer] place of the row in the report
FROM collected
JOIN string AS name ON name.id = collected.name_id
LEFT JOIN string AS kernel ON kernel.id = collected.kernel_name_id
JOIN track ON track.id = collected.track_id
LEFT JOIN op ON op.id = collected.op_id
LEFT JOIN string AS dims ON dims.id = op.dims_id
LEFT JOIN string AS types ON types.id = op.types_id
LEFT JOIN string AS strides ON strides.id = op.strides_id
LEFT JOIN string AS concrete ON concrete.id = op.concrete_id
WINDOW whole AS (PARTITION BY collected.run, collected.trace_id, collected.beside),
  in_order AS (PARTITION BY collected.run, collected.trace_id, collected.beside ORDER BY collected.alike_us DESC, collected.alike_key, collected.kernel_us DESC, collected.order_key, collected.uid ROWS UNBOUNDED PRECEDING);

-- Direct GPU time of ops by run, arguments and device, all ranks together. A row needs input shapes.
-- columns-of: ops_unique_args
CREATE VIEW shape_time AS
WITH grouped AS MATERIALIZED (
  SELECT chosen.run AS run, work.name_id AS name_id, op.dims_id AS dims_id, op.types_id AS types_id, op.strides_id AS strides_id, op.concrete_id AS concrete_id,
    device.name AS device, count(*) AS calls, median(work.direct_ns) AS median_ns, sum(work.direct_ns) AS sum_ns, kernel_details(work.launcher_id, work.kernels) AS details
  FROM trace_with_ops AS chosen
  LEFT JOIN device ON device.id = (SELECT id FROM device WHERE trace_id = chosen.trace_id ORDER BY ordinal, id LIMIT 1)
  CROSS JOIN launcher_work AS work ON work.trace_id = chosen.trace_id
  JOIN op ON op.id = work.op_id AND op.dims_id IS NOT NULL
  GROUP BY chosen.run, work.name_id, op.dims_id, op.types_id, op.strides_id, op.concrete_id, device.name
)
SELECT grouped.run AS run, name.text AS name, dims.text AS input_dims, types.text AS input_type, strides.text AS input_strides, concrete.text AS concrete_inputs,
  grouped.device AS device, -- model of the first device of the trace; NULL when not recorded
  grouped.calls AS calls, -- number of calls
  grouped.median_ns AS median_ns, -- median direct GPU time of a call
  grouped.sum_ns AS sum_ns, -- direct GPU time of all calls
  (SELECT json_group_array(kernel) FROM (SELECT DISTINCT value ->> 'name' AS kernel FROM json_each(grouped.details) ORDER BY kernel)) AS kernels -- [list] names of the kernels of the calls
FROM grouped
JOIN string AS name ON name.id = grouped.name_id JOIN string AS dims ON dims.id = grouped.dims_id
LEFT JOIN string AS types ON types.id = grouped.types_id LEFT JOIN string AS strides ON strides.id = grouped.strides_id LEFT JOIN string AS concrete ON concrete.id = grouped.concrete_id;
