-- Where time can be won: calls by how much longer they take than the accelerator would need at
-- least. Only calls with a model, on an accelerator whose peaks are known.
-- set: pytorch
-- position: 70
-- when: never
-- terminal: name, calls, kernel_time_ms, roofline_time_ms, headroom_ms, roofline_pct, bound, input_dims
CREATE VIEW headroom AS
WITH grouped AS (
  SELECT run, trace_id, op_id, compute_spec, count(*) AS calls, sum(kernel_ns) AS kernel_ns, sum(flops) AS flops, sum(bytes) AS bytes
  FROM modelled_call
  WHERE flops > 0 AND bytes IS NOT NULL
  GROUP BY run, trace_id, op_id, compute_spec
),
bounded AS (
  SELECT grouped.run AS run, grouped.trace_id AS trace_id, grouped.op_id AS op_id, grouped.calls AS calls,
    grouped.kernel_ns AS kernel_ns, grouped.compute_spec AS compute_spec, device.device AS device, device.kind AS kind,
    grouped.flops / (CAST(arg(device.peaks, grouped.compute_spec) AS REAL) * 1e3) AS compute_ns,
    grouped.bytes / device.mem_bw_gbps AS memory_ns
  FROM grouped
  JOIN trace_device AS device ON device.run = grouped.run AND device.trace_id = grouped.trace_id
  WHERE arg(device.peaks, grouped.compute_spec) IS NOT NULL
)
SELECT
  bounded.run AS run, -- [text] run
  bounded.trace_id AS trace_id, -- [integer] trace
  signature.name AS name, -- [text] name of the op
  signature.input_dims AS input_dims, -- [tuple] dimensions of the inputs
  signature.input_types AS input_types, -- [tuple] types of the inputs
  bounded.calls AS calls, -- [integer] calls
  bounded.kernel_ns / 1000000.0 AS kernel_time_ms, -- [ms] (lower) time covered by the work below the calls
  max(bounded.compute_ns, bounded.memory_ns) / 1000000.0 AS roofline_time_ms, -- [ms] least time that the accelerator needs
  (bounded.kernel_ns - max(bounded.compute_ns, bounded.memory_ns)) / 1000000.0 AS headroom_ms, -- [ms] (lower) what could be won
  max(bounded.compute_ns, bounded.memory_ns) * 100.0 / nullif(bounded.kernel_ns, 0) AS roofline_pct, -- (higher) share of the time that is needed
  CASE WHEN bounded.compute_ns >= bounded.memory_ns THEN 'compute' ELSE 'memory' END AS bound, -- [text] what bounds it: compute or memory
  bounded.compute_spec AS compute_spec, -- [text] kind of peak
  bounded.device AS device, -- [text] accelerator whose peaks were taken
  bounded.kind AS peak_kind -- [text] achievable: measured at best; peak: as its maker states; given: by an option
FROM bounded
JOIN signature ON signature.op_id = bounded.op_id
ORDER BY bounded.run, bounded.trace_id, headroom_ms DESC, bounded.op_id;
