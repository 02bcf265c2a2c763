-- HLO instructions that have a model, a sheet for each category, with FLOPs, bytes and rates. An
-- execution of an instruction counts with all its kernels, under the name of the longest one.
-- set: jax
-- question: efficiency
-- format: xplane profiles of XLA
-- position: 90
-- key: sheet, name, params
-- measure: kernel_time_sum, name_count
-- sheet-by: sheet
-- sheet-names: SELECT 'op_' || replace(lower(category), ' ', '_') FROM kernel_category WHERE purpose GLOB 'xla*'
-- unfold: params param uid
-- drop-empty: gflops, data_moved_mb, flops_per_byte, tbs_mean, tbs_median, tbs_std, tbs_min, tbs_max, tflops_mean, tflops_median, tflops_std, tflops_min, tflops_max, kernel_time_std
-- terminal: name, kernel_time_sum, tflops_mean, params, name_count, tbs_mean, gflops, data_moved_mb, kernel_time_mean
-- empty: no_xla_kernels, no_programs
CREATE VIEW jax_op AS
WITH usable AS MATERIALIZED (
  SELECT instruction.id AS id, instruction.target AS target, instruction.input_dims AS input_dims, instruction.input_types AS input_types,
    metric.flops AS flops, metric.bytes AS bytes, metric.params AS params, metric.sheet AS model, metric.category AS model_category
  FROM xla_instruction AS instruction
  CROSS JOIN op_metric AS metric ON metric.op_id = instruction.op_id
  WHERE metric.status IN ('ok', 'no_bytes')
),
kernel AS MATERIALIZED (
  SELECT kernel.run AS run, kernel.trace_id AS trace_id, kernel.uid AS uid, kernel.name AS name, kernel.category AS category,
    kernel.track_id AS track_id, kernel.dur_ps AS dur_ps, kernel.instruction_id AS instruction_id, kernel.execution AS execution
  FROM xla_kernel AS kernel
  WHERE kernel.instruction_id IN (SELECT id FROM usable)
),
call AS (
  SELECT run, trace_id, uid, name, category, track_id, dur_ps, instruction_id
  FROM kernel
  WHERE (SELECT tpq_like_reference('jax: kernels of a call'))
  UNION ALL
  SELECT run, trace_id, min(uid), value_at_least(name, -dur_ps), value_at_least(category, -dur_ps), track_id, sum(dur_ps), instruction_id
  FROM kernel
  WHERE NOT (SELECT tpq_like_reference('jax: kernels of a call'))
  GROUP BY run, trace_id, track_id, instruction_id, execution
),
modelled AS MATERIALIZED (
  SELECT call.run AS run, call.trace_id AS trace_id, call.uid AS uid, call.name AS name, call.track_id AS track_id, call.dur_ps AS dur_ps,
    usable.input_dims AS input_dims, usable.input_types AS input_types, usable.flops AS flops, usable.bytes AS bytes,
    'op_' || replace(lower(CASE WHEN call.category = 'Uncategorized Events/XLA' THEN coalesce(usable.model_category, 'other') ELSE call.category END), ' ', '_') AS sheet,
    usable.flops / 1e12 / nullif(call.dur_ps / 1e12, 0) AS tflops, usable.bytes / 1e12 / nullif(call.dur_ps / 1e12, 0) AS tbs,
    CASE WHEN usable.model = 'GEMM' AND gemm_transposes(call.name) IS NOT NULL
      THEN rtrim(usable.params, '}') || ',"transpose":' || gemm_transposes(call.name) || '}' ELSE usable.params END AS params
  FROM call
  JOIN usable ON usable.id = call.instruction_id
  WHERE NOT (SELECT tpq_like_reference('jax: fusions around a product'))
  OR usable.target <> '' AND call.category = CASE usable.model WHEN 'GEMM' THEN 'GEMM' WHEN 'CONV' THEN 'Conv' ELSE call.category END
),
grouped AS (
  SELECT run, trace_id, sheet, name, params, count(*) AS calls, min(uid) AS uid, sum(dur_ps) AS ps,
    avg(tbs) AS tbs_mean, median(tbs) AS tbs_median, stddev_samp(tbs) AS tbs_std, min(tbs) AS tbs_min, max(tbs) AS tbs_max,
    avg(tflops) AS tflops_mean, median(tflops) AS tflops_median, stddev_samp(tflops) AS tflops_std, min(tflops) AS tflops_min, max(tflops) AS tflops_max,
    median(dur_ps) / 1000000.0 AS middle, stddev_samp(dur_ps) / 1000000.0 AS deviation, stddev_pop(dur_ps) / 1000000.0 AS spread,
    min(dur_ps) / 1000000.0 AS least, max(dur_ps) / 1000000.0 AS most
  FROM modelled
  GROUP BY run, trace_id, sheet, name, params
)
SELECT
  grouped.run AS run, -- [text] name of the run
  grouped.trace_id AS trace_id, -- [integer] id of the trace
  grouped.sheet AS sheet, -- [text] category of the HLO instruction
  grouped.name AS name, -- [kernel] name of the longest kernel of an execution; with --compat of each kernel
  grouped.params AS params, -- [text] parameters of the performance model, a JSON object
  example.flops / 1e9 AS gflops, -- "GFLOPS_first" [GFLOP] floating-point operations of an execution
  example.bytes / 1048576.0 AS data_moved_mb, -- "Data Moved (MB)_first" [MiB] bytes read and written by an execution
  example.flops * 1.0 / nullif(example.bytes, 0) AS flops_per_byte, -- "FLOPS/Byte_first" [real] arithmetic intensity of the instruction
  grouped.tbs_mean AS tbs_mean, -- "TB/s_mean" [TB/s] (higher) mean achieved bandwidth
  grouped.tbs_median AS tbs_median, -- "TB/s_median" [TB/s] median achieved bandwidth
  grouped.tbs_std AS tbs_std, -- "TB/s_std" [TB/s] standard deviation of the achieved bandwidth
  grouped.tbs_min AS tbs_min, -- "TB/s_min" [TB/s] minimum achieved bandwidth
  grouped.tbs_max AS tbs_max, -- "TB/s_max" [TB/s] maximum achieved bandwidth
  grouped.tflops_mean AS tflops_mean, -- "TFLOPS/s_mean" [TFLOP/s] (higher) mean achieved TFLOP/s
  grouped.tflops_median AS tflops_median, -- "TFLOPS/s_median" [TFLOP/s] median achieved TFLOP/s
  grouped.tflops_std AS tflops_std, -- "TFLOPS/s_std" [TFLOP/s] standard deviation of the achieved TFLOP/s
  grouped.tflops_min AS tflops_min, -- "TFLOPS/s_min" [TFLOP/s] minimum achieved TFLOP/s
  grouped.tflops_max AS tflops_max, -- "TFLOPS/s_max" [TFLOP/s] maximum achieved TFLOP/s
  CASE WHEN NOT (SELECT tpq_like_reference('jax: processes of calls')) THEN coalesce(track.process_name, 'Unknown') ELSE 'Unknown' END AS process_name, -- "process_name_first" [text] name of the process
  'Unknown' AS process_label, -- "process_label_first" [text] labels of the process
  track.thread_name AS thread_name, -- "thread_name_first" [text] name of the stream
  '[' || json_record('name', grouped.name, 'count', grouped.calls, 'total_duration_us', grouped.ps / 1000000.0,
    'mean_duration_us', grouped.ps / 1000000.0 / grouped.calls, 'median_duration_us', grouped.middle, 'std_dev_duration_us', grouped.spread,
    'min_duration_us', grouped.least, 'max_duration_us', grouped.most) || ']' AS kernel_details, -- "kernel_details__summarize_kernel_stats" [list] kernel statistics over all executions
  example.input_dims AS input_dims, -- "Input Dims_first" [tuple] input shapes of the HLO instruction
  example.input_types AS input_type, -- "Input type_first" [tuple] input dtypes of the HLO instruction
  grouped.ps / 1000000.0 / grouped.calls AS kernel_time_mean, -- "Kernel Time (µs)_mean" [us] (lower) mean kernel time of an execution
  grouped.middle AS kernel_time_median, -- "Kernel Time (µs)_median" [us] median kernel time of an execution
  grouped.deviation AS kernel_time_std, -- "Kernel Time (µs)_std" [us] standard deviation of the kernel time of an execution
  grouped.least AS kernel_time_min, -- "Kernel Time (µs)_min" [us] minimum kernel time of an execution
  grouped.most AS kernel_time_max, -- "Kernel Time (µs)_max" [us] maximum kernel time of an execution
  grouped.ps / 1000000.0 AS kernel_time_sum, -- "Kernel Time (µs)_sum" [us] (lower) total kernel time of all executions
  grouped.calls AS name_count, -- [integer] number of executions
  grouped.uid AS uid -- "UID_first" [integer] position of the first kernel in the file
FROM grouped
JOIN modelled AS example ON example.run = grouped.run AND example.trace_id = grouped.trace_id AND example.uid = grouped.uid
JOIN track ON track.id = example.track_id
ORDER BY instr('|op_gemm|op_fa_bwd|op_fa_fwd|op_fa_v3|op_conv|op_te|', '|' || grouped.sheet || '|') = 0,
  instr('|op_gemm|op_fa_bwd|op_fa_fwd|op_fa_v3|op_conv|op_te|', '|' || grouped.sheet || '|'), grouped.sheet,
  grouped.run, grouped.trace_id, grouped.ps DESC, grouped.uid;
