-- Calls of one kind of op against the roofline, also those inside others and those without work.
-- set: pytorch
-- position: 57
-- sheet-by: sheet
-- unfold: params param uid
-- drop-empty: overlapping_kernel_names, overlapping_kernel_names_first, overlapping_kernels_details, trunc_overlapping_kernels_details, overlap_pct_mean, overlap_pct_median, overlap_pct_std, overlap_pct_min, overlap_pct_max, partners_left_out, num_kernels, is_recompute, model_note, nested_count
-- drop-with: roofline_time_us roofline_time_us, roofline_bound roofline_time_us, pct_roofline_mean roofline_time_us, pct_roofline_median roofline_time_us, pct_roofline_std roofline_time_us, pct_roofline_min roofline_time_us, pct_roofline_max roofline_time_us, peaks roofline_time_us
-- columns-when: nested_count not compat, model_note not compat, peaks not compat
-- terminal: name, name_count, kernel_time_sum, is_recompute, num_kernels, model_note, tflops_mean, tbs_mean, pct_roofline_mean, roofline_bound, params, kernel_time_mean, nested_count, gflops, compute_spec, uid
CREATE VIEW roofline AS
WITH row AS (
  SELECT sheet AS whole_sheet, NULL AS is_parted, * FROM roofline_row WHERE trace_id IN (SELECT trace_id FROM trace_with_ops)
  UNION ALL
  SELECT sheet || '_kl_overlap', 1, * FROM roofline_overlap_row
  WHERE trace_id IN (SELECT trace_id FROM trace_with_ops) AND (SELECT tpq_option('include_overlap_info')) IS NOT NULL
),
bounded AS MATERIALIZED (
  SELECT call.*, limits.device AS device, limits.kind AS kind, call.sheet GLOB '*_bwd' AS is_bwd,
    CASE WHEN call.sheet GLOB '*_[fb]wd' THEN substr(call.sheet, 1, length(call.sheet) - 4) ELSE call.sheet END AS family,
    roofline_us(nullif(call.flops, 0), call.bytes, CAST(arg(limits.peaks, call.compute_spec) AS REAL), limits.mem_bw_gbps) AS least_us,
    call.flops / (CAST(arg(limits.peaks, call.compute_spec) AS REAL) * 1e3) >= call.bytes / limits.mem_bw_gbps AS is_compute,
    sum(call.kernel_us) OVER alike AS alike_us, min(call.uid) OVER alike AS alike_uid
  FROM row AS call
  LEFT JOIN roofline_limits AS limits ON limits.run = call.run AND limits.trace_id = call.trace_id
  WINDOW alike AS (PARTITION BY call.run, call.trace_id, call.whole_sheet, call.is_appended, call.name_id, call.params, call.num_kernels, call.is_recompute)
),
placed AS (
  SELECT bounded.*,
    instr('|GEMM|SDPA|CONV|InferenceAttention|BinaryElementwise|GroupedGEMM|MoE_comm|SSM|RoPE|CrossEntropy|UnaryElementwise|MoE_fused|MoE_unfused|MoE_aux|RMSNorm|elementwise|GroupQuant|FusedRoPE|CustomCollective|mHC|Normalization|Reduce|', '|' || family || '|') AS family_place,
    row_number() OVER (PARTITION BY run, trace_id, whole_sheet ORDER BY is_appended, alike_us DESC, alike_uid, kernel_us DESC, uid) AS place
  FROM bounded
)
SELECT
  placed.run AS run, -- run
  placed.trace_id AS trace_id, -- trace
  placed.whole_sheet AS sheet, -- kind of op and direction
  name.text AS name, -- name of the op; of a backward pass the forward op's
  CASE WHEN placed.is_parted THEN placed.overlapping_names END AS overlapping_kernel_names, -- [list] on sheets that part calls by it: kernels of other ops that ran beside a call's on other streams
  CASE WHEN placed.is_parted IS NULL THEN placed.overlapping_names END AS overlapping_kernel_names_first, -- [list] on other sheets: the same of the first call
  placed.params AS params, -- parameters that the model shows, JSON object
  placed.num_kernels AS num_kernels, -- kernels of a call, with the option group_by_num_kernels
  placed.is_recompute AS is_recompute, -- [boolean] whether it recomputes activations
  placed.flops / 1e9 AS gflops, -- "GFLOPS_first" [GFLOP] operations of a call
  placed.bytes / 1048576.0 AS data_moved_mb, -- "Data Moved (MB)_first" [MiB] bytes that a call reads and writes
  placed.flops * 1.0 / nullif(max(placed.bytes, 0), 0) AS flops_per_byte, -- "FLOPS/Byte_first" operations for each byte
  placed.tbs_mean AS tbs_mean, -- "TB/s_mean" [TB/s] (higher) bytes moved in a second: mean
  placed.tbs_median AS tbs_median, -- "TB/s_median" [TB/s] median
  placed.tbs_std AS tbs_std, -- "TB/s_std" [TB/s] standard deviation
  placed.tbs_min AS tbs_min, -- "TB/s_min" [TB/s] least
  placed.tbs_max AS tbs_max, -- "TB/s_max" [TB/s] most
  placed.tflops_mean AS tflops_mean, -- "TFLOPS/s_mean" [TFLOP/s] (higher) operations in a second: mean
  placed.tflops_median AS tflops_median, -- "TFLOPS/s_median" [TFLOP/s] median
  placed.tflops_std AS tflops_std, -- "TFLOPS/s_std" [TFLOP/s] standard deviation
  placed.tflops_min AS tflops_min, -- "TFLOPS/s_min" [TFLOP/s] least
  placed.tflops_max AS tflops_max, -- "TFLOPS/s_max" [TFLOP/s] most
  coalesce(track.process_name, 'Unknown') AS process_name, -- "process_name_first" name of the process
  coalesce(track.process_labels, 'Unknown') AS process_label, -- "process_label_first" labels of the process
  coalesce(track.thread_name, 'Unknown') AS thread_name, -- "thread_name_first" name of the thread
  placed.compute_spec AS compute_spec, -- "Compute Spec" kind of peak that bounds it: matrix or vector, and precision
  placed.least_us AS roofline_time_us, -- "Roofline Time (µs)_first" [us] least time that the accelerator needs for a call
  CASE WHEN placed.least_us IS NOT NULL THEN CASE WHEN placed.is_compute THEN 'COMPUTE_BOUND' ELSE 'MEMORY_BOUND' END END AS roofline_bound, -- "Roofline Bound_first" what bounds it
  placed.least_us * 100 * placed.per_us_mean AS pct_roofline_mean, -- "Pct Roofline_mean" [%] (higher) share of the time of a call that is needed: mean
  placed.least_us * 100 * placed.per_us_median AS pct_roofline_median, -- "Pct Roofline_median" [%] median
  placed.least_us * 100 * placed.per_us_std AS pct_roofline_std, -- "Pct Roofline_std" [%] standard deviation
  placed.least_us * 100 * placed.per_us_min AS pct_roofline_min, -- "Pct Roofline_min" [%] least
  placed.least_us * 100 * placed.per_us_max AS pct_roofline_max, -- "Pct Roofline_max" [%] most
  placed.kernel_details AS kernel_details, -- "kernel_details__summarize_kernel_stats" [list] the kernels of a call with statistics over all calls
  placed.kernel_details_short AS trunc_kernel_details, -- [list] the same, shortened
  placed.overlapping_details AS overlapping_kernels_details, -- "overlapping_kernels_details__summarize_kernel_stats" [list] what ran beside a call's kernels, with statistics over all calls
  placed.overlapping_details_short AS trunc_overlapping_kernels_details, -- [list] the same, shortened
  placed.overlap_pct_mean AS overlap_pct_mean, -- part of a call's time in which other work ran beside it, as a fraction: mean
  placed.overlap_pct_median AS overlap_pct_median, -- its median
  placed.overlap_pct_std AS overlap_pct_std, -- its standard deviation
  placed.overlap_pct_min AS overlap_pct_min, -- its least value
  placed.overlap_pct_max AS overlap_pct_max, -- its greatest value
  nullif(placed.partners_left_out, 0) AS partners_left_out, -- work that was not looked at because nearly everything overlaps
  dims.text AS input_dims, -- "Input Dims_first" [list] dimensions of the inputs of the first call
  types.text AS input_type, -- "Input type_first" [list] types of them
  strides.text AS input_strides, -- "Input Strides_first" [list] strides of them
  concrete.text AS concrete_inputs, -- "Concrete Inputs_first" [list] values of scalar inputs
  placed.kernel_us_mean AS kernel_time_mean, -- "Kernel Time (µs)_mean" [us] (lower) time covered by the work below a call: mean
  placed.kernel_us_median AS kernel_time_median, -- "Kernel Time (µs)_median" [us] median
  placed.kernel_us_std AS kernel_time_std, -- "Kernel Time (µs)_std" [us] standard deviation
  placed.kernel_us_min AS kernel_time_min, -- "Kernel Time (µs)_min" [us] least
  placed.kernel_us_max AS kernel_time_max, -- "Kernel Time (µs)_max" [us] most
  placed.kernel_us AS kernel_time_sum, -- "Kernel Time (µs)_sum" [us] (lower) sum
  placed.calls AS name_count, -- calls
  placed.uid AS uid, -- "UID_first" place of the first call in the file
  nullif(placed.nested_calls, 0) AS nested_count, -- calls of these inside another call of this sheet, whose time is counted there, too
  CASE WHEN placed.status = 'fail' THEN placed.reason END AS model_note, -- why the model gives no figures
  placed.device || ' ' || placed.kind AS peaks -- accelerator and kind of its peaks
FROM placed
JOIN string AS name ON name.id = placed.name_id
JOIN track ON track.id = placed.track_id
LEFT JOIN op ON op.id = placed.op_id
LEFT JOIN string AS dims ON dims.id = op.dims_id
LEFT JOIN string AS types ON types.id = op.types_id
LEFT JOIN string AS strides ON strides.id = op.strides_id
LEFT JOIN string AS concrete ON concrete.id = op.concrete_id
WHERE (SELECT tpq_option('topk_roofline_ops')) IS NULL OR placed.place <= (SELECT CAST(tpq_option('topk_roofline_ops') AS INTEGER))
ORDER BY placed.family_place = 0, placed.family_place, placed.family, placed.is_parted, placed.is_bwd, placed.run, placed.trace_id, placed.place;
