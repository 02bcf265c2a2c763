-- Points and lines of a roofline chart: achieved rate by arithmetic intensity, and the peaks of the
-- device. One sheet per device, in workbooks with a chart.
-- set: pytorch
-- question: efficiency
-- position: 58
-- key: sheet, series, name, input_dims
-- within: flops_per_byte, tflops
-- measure: kernel_time_ms
-- when: workbook
-- sheet-by: sheet
-- tab: roofline
-- chart: roofline series flops_per_byte tflops ceiling_tflops
-- terminal: series, name, flops_per_byte, tflops, ceiling_tflops, kernel_time_ms, input_dims
-- empty: no_work, no_ops, no_shapes, no_models
CREATE VIEW roofline_chart AS
WITH point AS MATERIALIZED (
  SELECT call.run AS run, call.trace_id AS trace_id, limits.device AS device, limits.kind AS kind, limits.mem_bw_gbps AS mem_bw_gbps,
    coalesce(rule.peak_spec, call.compute_spec) AS compute_spec,
    CAST(arg(limits.peaks, coalesce(rule.peak_spec, call.compute_spec)) AS REAL) AS peak_tflops,
    call.name_id AS name_id, call.op_id AS op_id, call.category AS op_category, call.uid AS uid,
    call.flops * 1.0 / call.bytes AS flops_per_byte, call.tflops_mean AS tflops, call.kernel_us AS kernel_us
  FROM collected_row AS call
  JOIN trace_device AS limits ON limits.run = call.run AND limits.trace_id = call.trace_id
  LEFT JOIN peak_rule AS rule ON rule.compute_spec = call.compute_spec AND arg(limits.peaks, call.compute_spec) IS NULL AND coalesce(rule.trace_id, call.trace_id) = call.trace_id AND rule.priority = (
    SELECT min(other.priority) FROM peak_rule AS other WHERE other.compute_spec = call.compute_spec AND coalesce(other.trace_id, call.trace_id) = call.trace_id AND call.kernel_details REGEXP other.pattern
    AND coalesce(other.is_allowed = (SELECT min(below.is_allowed) FROM tf32_call AS below WHERE below.id BETWEEN call.id AND (SELECT first.last_id FROM event AS first WHERE first.id = call.id)), other.is_allowed IS NULL))
  WHERE call.flops > 0 AND call.bytes > 0 AND call.tflops_mean > 0
    AND arg(limits.peaks, coalesce(rule.peak_spec, call.compute_spec)) IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM link_rule AS link WHERE call.kernel_details REGEXP link.pattern)
),
span AS (
  SELECT run, trace_id, device, kind, mem_bw_gbps, compute_spec, peak_tflops,
    min(min(flops_per_byte)) OVER (PARTITION BY run, trace_id) / 2 AS least, max(max(flops_per_byte)) OVER (PARTITION BY run, trace_id) * 2 AS most
  FROM point
  GROUP BY run, trace_id, device, kind, mem_bw_gbps, compute_spec, peak_tflops
),
corner AS (
  SELECT run, trace_id, device, kind, mem_bw_gbps, compute_spec, peak_tflops, least AS flops_per_byte FROM span
  UNION ALL
  SELECT run, trace_id, device, kind, mem_bw_gbps, compute_spec, peak_tflops, peak_tflops * 1e3 / mem_bw_gbps FROM span
  WHERE peak_tflops * 1e3 / mem_bw_gbps > least
  UNION ALL
  SELECT run, trace_id, device, kind, mem_bw_gbps, compute_spec, peak_tflops, max(most, peak_tflops * 2e3 / mem_bw_gbps) FROM span
),
drawn AS (
  SELECT run, trace_id, device, kind, 0 AS part, kind || ' ' || printf('%.6g', peak_tflops) || ' TFLOP/s ' || compute_spec AS series, compute_spec, NULL AS name_id, NULL AS op_id, NULL AS op_category,
    flops_per_byte, NULL AS tflops, min(peak_tflops, flops_per_byte * mem_bw_gbps / 1e3) AS ceiling_tflops, NULL AS kernel_us, NULL AS uid
  FROM corner
  UNION ALL
  SELECT run, trace_id, device, kind, 1, 'ops ' || compute_spec, compute_spec, name_id, op_id, op_category, flops_per_byte, tflops,
    min(peak_tflops, flops_per_byte * mem_bw_gbps / 1e3), kernel_us, uid
  FROM point
)
SELECT
  drawn.run AS run, -- [text] name of the run
  drawn.trace_id AS trace_id, -- [integer] id of the trace
  'roofline ' || drawn.device AS sheet, -- [text] name of the device
  drawn.series AS series, -- [text] line of a peak (kind of the TFLOP/s, and peak), or the ops below the line
  name.text AS name, -- [text] name of the op
  dims.text AS input_dims, -- [tuple] input shapes of the op
  drawn.flops_per_byte AS flops_per_byte, -- "FLOPS/Byte" [real] arithmetic intensity
  drawn.tflops AS tflops, -- "TFLOPS/s" [TFLOP/s] (higher) mean achieved TFLOP/s over calls
  drawn.ceiling_tflops AS ceiling_tflops, -- "ceiling TFLOPS/s" [TFLOP/s] roofline: maximum TFLOP/s of the device at the arithmetic intensity
  drawn.kernel_us / 1000.0 AS kernel_time_ms, -- [ms] (lower) busy time of GPU activities below the calls
  drawn.op_category AS op_category, -- "op category" [text] category of the op
  drawn.uid AS uid -- [integer] position of the first call in the file
FROM drawn
LEFT JOIN string AS name ON name.id = drawn.name_id
LEFT JOIN op ON op.id = drawn.op_id
LEFT JOIN string AS dims ON dims.id = op.dims_id
ORDER BY drawn.run, drawn.trace_id, drawn.part, drawn.compute_spec, drawn.kernel_us DESC, drawn.flops_per_byte, drawn.uid;
