-- Calls of one kind of op against the roofline. Nested calls and calls without GPU activity are
-- included.
-- set: pytorch
-- question: efficiency first
-- words: compute-bound, memory-bound, intensity, flops
-- position: 57
-- key: sheet, name, params, overlapping_kernel_names, num_kernels, is_recompute
-- measure: kernel_time_sum, name_count
-- work: GPU time of calls that models know
-- sheet-by: sheet
-- sheet-names: SELECT coalesce(sheet, replace(replace(category, '_fwd', ''), '_bwd', '')) || column1 FROM perf_model, (VALUES (''), ('_fwd'), ('_bwd'), ('_kl_overlap'), ('_fwd_kl_overlap'), ('_bwd_kl_overlap'))
-- unfold: params param uid
-- drop-empty: overlapping_kernel_names, overlapping_kernel_names_first, overlapping_kernels_details, trunc_overlapping_kernels_details, overlap_pct_mean, overlap_pct_median, overlap_pct_std, overlap_pct_min, overlap_pct_max, partners_not_examined, num_kernels, is_recompute, model_note, nested_count
-- empty-without: gflops, data_moved_mb
-- drop-with: roofline_time_us roofline_time_us, roofline_bound roofline_time_us, pct_roofline_mean roofline_time_us, pct_roofline_median roofline_time_us, pct_roofline_std roofline_time_us, pct_roofline_min roofline_time_us, pct_roofline_max roofline_time_us, peaks roofline_time_us
-- columns-when: nested_count not compat, model_note not compat, peaks not compat
-- terminal: name, kernel_time_sum, pct_roofline_mean, params, tflops_mean, name_count, roofline_bound, is_recompute, num_kernels, model_note, tbs_mean, kernel_time_mean, nested_count, gflops, compute_spec
-- not-included: not_included_beyond_topk_roofline, not_included_without_limits_of_sheet
-- columns-of: collected_summary
-- empty: no_ops, no_shapes, no_work, no_models
CREATE VIEW roofline AS
WITH bounded AS MATERIALIZED (
  SELECT
    call.rowid AS row, call.run AS run, call.trace_id AS trace_id, call.is_recompute AS is_recompute, call.num_kernels AS num_kernels, call.sheet AS sheet,
    call.is_appended AS is_appended, call.uid AS uid, call.order_key AS order_key, call.name_id AS name_id, call.op_id AS op_id, call.track_id AS track_id, call.status AS status,
    call.reason AS reason, call.params AS params, call.flops AS flops, call.bytes AS bytes, call.compute_spec AS compute_spec, call.calls AS calls,
    call.nested_calls AS nested_calls, call.kernel_details AS kernel_details, call.kernel_details_short AS kernel_details_short,
    call.overlapping_names AS overlapping_names, call.overlapping_details AS overlapping_details,
    call.overlapping_details_short AS overlapping_details_short, call.partners_not_examined AS partners_not_examined, call.kernel_us AS kernel_us,
    call.kernel_us_mean AS kernel_us_mean, call.kernel_us_median AS kernel_us_median, call.kernel_us_std AS kernel_us_std,
    call.kernel_us_min AS kernel_us_min, call.kernel_us_max AS kernel_us_max, call.tflops_mean AS tflops_mean, call.tflops_median AS tflops_median,
    call.tflops_std AS tflops_std, call.tflops_min AS tflops_min, call.tflops_max AS tflops_max, call.tbs_mean AS tbs_mean,
    call.tbs_median AS tbs_median, call.tbs_std AS tbs_std, call.tbs_min AS tbs_min, call.tbs_max AS tbs_max, call.per_us_mean AS per_us_mean,
    call.per_us_median AS per_us_median, call.per_us_std AS per_us_std, call.per_us_min AS per_us_min, call.per_us_max AS per_us_max,
    call.overlap_pct_mean AS overlap_pct_mean, call.overlap_pct_median AS overlap_pct_median, call.overlap_pct_std AS overlap_pct_std,
    call.overlap_pct_min AS overlap_pct_min, call.overlap_pct_max AS overlap_pct_max,
    limits.device AS device, limits.kind AS kind, call.sheet GLOB '*_kl_overlap' AS is_parted, call.sheet GLOB '*_bwd*' AS is_bwd,
    replace(replace(replace(call.sheet, '_kl_overlap', ''), '_fwd', ''), '_bwd', '') AS family,
    CASE WHEN NOT EXISTS (
      SELECT 1 FROM link_rule AS link WHERE call.kernel_details REGEXP link.pattern AND (
        SELECT sum(arg(work.value, 'total_duration_us')) FILTER (WHERE arg(work.value, 'name') REGEXP link.pattern) * 2 > sum(arg(work.value, 'total_duration_us'))
        FROM json_each(call.kernel_details) AS work))
      THEN roofline_us(nullif(call.flops, 0), call.bytes, CAST(arg(limits.peaks, coalesce(rule.peak_spec, call.compute_spec)) AS REAL), limits.mem_bw_gbps) END AS least_us,
    call.flops / (CAST(arg(limits.peaks, coalesce(rule.peak_spec, call.compute_spec)) AS REAL) * 1e3) >= call.bytes / limits.mem_bw_gbps AS is_compute,
    limits.device IS NOT NULL AND call.flops > 0 AND arg(limits.peaks, coalesce(rule.peak_spec, call.compute_spec)) IS NULL AS lacks_peak,
    EXISTS (SELECT 1 FROM link_rule AS link WHERE call.kernel_details REGEXP link.pattern) AS is_copy,
    rule.peak_spec || coalesce(' by ' || rule.reason, '') AS peak_spec,
    sum(call.kernel_us) OVER alike AS alike_us, min(call.order_key) OVER alike AS alike_key
  FROM roofline_row AS call
  LEFT JOIN roofline_limits AS limits ON limits.run = call.run AND limits.trace_id = call.trace_id
  LEFT JOIN peak_rule AS rule ON rule.compute_spec = call.compute_spec AND arg(limits.peaks, call.compute_spec) IS NULL AND coalesce(rule.trace_id, call.trace_id) = call.trace_id AND rule.priority = (
    SELECT min(other.priority) FROM peak_rule AS other WHERE other.compute_spec = call.compute_spec AND coalesce(other.trace_id, call.trace_id) = call.trace_id AND call.kernel_details REGEXP other.pattern
    AND coalesce(other.is_allowed = (SELECT min(below.is_allowed) FROM tf32_call AS below WHERE below.id BETWEEN call.id AND (SELECT first.last_id FROM event AS first WHERE first.id = call.id)), other.is_allowed IS NULL))
  WHERE call.trace_id IN (SELECT trace_id FROM trace_with_ops)
  WINDOW alike AS (PARTITION BY call.run, call.trace_id, call.sheet, call.is_appended, call.name_id, call.params, call.num_kernels, call.is_recompute)
),
placed AS (
  SELECT run, trace_id, row,
    instr('|GEMM|SDPA|CONV|InferenceAttention|BinaryElementwise|GroupedGEMM|MoE_comm|SSM|RoPE|CrossEntropy|UnaryElementwise|MoE_fused|MoE_unfused|MoE_aux|RMSNorm|elementwise|GroupQuant|FusedRoPE|CustomCollective|mHC|Normalization|Reduce|', '|' || family || '|') AS family_place,
    row_number() OVER (PARTITION BY run, trace_id, sheet ORDER BY is_appended, alike_us DESC, alike_key, kernel_us DESC, order_key, uid) AS place
  FROM bounded
)
SELECT
  bounded.run, bounded.trace_id,
  bounded.sheet AS sheet, -- [text] kind of op and direction
  name.text AS name, -- [text] name of the op; of a backward pass the forward op's
  CASE WHEN bounded.is_parted THEN bounded.overlapping_names END AS overlapping_kernel_names, -- [list] names of the kernels of other ops that overlap the kernels of a call on other streams; on sheets split by these names
  CASE WHEN NOT bounded.is_parted THEN bounded.overlapping_names END AS overlapping_kernel_names_first, -- [list] names of the overlapping kernels of the first call; on other sheets
  bounded.params AS params, -- [text] parameters of the performance model, JSON object
  bounded.num_kernels AS num_kernels, -- [integer] kernels per call of the op, with --group-by-num-kernels
  bounded.is_recompute,
  bounded.flops / 1e9 AS gflops, -- "GFLOPS_first" [GFLOP] floating-point operations per call of the op
  bounded.bytes / 1048576.0 AS data_moved_mb, -- "Data Moved (MB)_first" [MiB] bytes read and written per call of the op
  bounded.flops * 1.0 / nullif(max(bounded.bytes, 0), 0) AS flops_per_byte, -- "FLOPS/Byte_first" [real] arithmetic intensity
  bounded.tbs_mean, bounded.tbs_median, bounded.tbs_std, bounded.tbs_min, bounded.tbs_max, bounded.tflops_mean, bounded.tflops_median,
  bounded.tflops_std, bounded.tflops_min, bounded.tflops_max,
  coalesce(track.process_name, 'Unknown') AS process_name, -- "process_name_first" [text] name of the process
  coalesce(track.process_labels, 'Unknown') AS process_label, -- "process_label_first" [text] labels of the process
  coalesce(track.thread_name, 'Unknown') AS thread_name, -- "thread_name_first" [text] name of the thread
  bounded.compute_spec, bounded.least_us AS roofline_time_us,
  CASE WHEN bounded.least_us IS NOT NULL THEN CASE WHEN bounded.is_compute THEN 'COMPUTE_BOUND' ELSE 'MEMORY_BOUND' END END AS roofline_bound, -- "Roofline Bound_first" [text] roofline bound: compute or memory
  bounded.least_us * 100 * bounded.per_us_mean AS pct_roofline_mean, bounded.least_us * 100 * bounded.per_us_median AS pct_roofline_median,
  bounded.least_us * 100 * bounded.per_us_std AS pct_roofline_std, bounded.least_us * 100 * bounded.per_us_min AS pct_roofline_min,
  bounded.least_us * 100 * bounded.per_us_max AS pct_roofline_max,
  bounded.kernel_details AS kernel_details, -- "kernel_details__summarize_kernel_stats" [list] kernels of a call, with statistics over all calls
  bounded.kernel_details_short AS trunc_kernel_details,
  bounded.overlapping_details AS overlapping_kernels_details, -- "overlapping_kernels_details__summarize_kernel_stats" [list] GPU activities that overlap the kernels of a call, with statistics over all calls
  bounded.overlapping_details_short AS trunc_overlapping_kernels_details, bounded.overlap_pct_mean, bounded.overlap_pct_median,
  bounded.overlap_pct_std, bounded.overlap_pct_min, bounded.overlap_pct_max, nullif(bounded.partners_not_examined, 0) AS partners_not_examined,
  dims.text AS input_dims, -- "Input Dims_first" [list] input shapes of the first call
  types.text AS input_type, -- "Input type_first" [list] input dtypes of the first call
  strides.text AS input_strides, -- "Input Strides_first" [list] input strides of the first call
  concrete.text AS concrete_inputs, -- "Concrete Inputs_first" [list] values of the scalar inputs
  bounded.kernel_us_mean AS kernel_time_mean, bounded.kernel_us_median AS kernel_time_median, bounded.kernel_us_std AS kernel_time_std,
  bounded.kernel_us_min AS kernel_time_min, bounded.kernel_us_max AS kernel_time_max, bounded.kernel_us AS kernel_time_sum,
  bounded.calls AS name_count, -- [integer] number of calls of the op
  bounded.uid AS uid, -- "UID_first" [integer] position of the first call in the file
  nullif(bounded.nested_calls, 0) AS nested_count, -- [integer] number of calls nested in another call of the sheet; the outer call counts their time too
  CASE WHEN bounded.status = 'fail' THEN bounded.reason
    WHEN bounded.least_us IS NOT NULL OR bounded.device IS NULL THEN NULL
    WHEN bounded.is_copy AND bounded.bytes > 0 THEN 'memcpy over the host link: see time_above_roofline'
    WHEN bounded.lacks_peak THEN 'no peak is known for ' || coalesce(bounded.compute_spec, 'this type') END AS model_note,
  bounded.device || ' ' || bounded.kind || coalesce(' ' || bounded.peak_spec, '') AS peaks
FROM bounded
JOIN placed ON placed.run = bounded.run AND placed.trace_id = bounded.trace_id AND placed.row = bounded.row
JOIN string AS name ON name.id = bounded.name_id
JOIN track ON track.id = bounded.track_id
LEFT JOIN op ON op.id = bounded.op_id
LEFT JOIN string AS dims ON dims.id = op.dims_id
LEFT JOIN string AS types ON types.id = op.types_id
LEFT JOIN string AS strides ON strides.id = op.strides_id
LEFT JOIN string AS concrete ON concrete.id = op.concrete_id
WHERE (SELECT tpq_option('topk-roofline-ops')) IS NULL OR placed.place <= (SELECT CAST(tpq_option('topk-roofline-ops') AS INTEGER))
ORDER BY placed.family_place = 0, placed.family_place, bounded.family, bounded.is_parted, bounded.is_bwd, bounded.run, bounded.trace_id, placed.place;
