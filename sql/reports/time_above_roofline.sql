-- Ops by the time above their roofline minimum. Only ops with a performance model are included;
-- where the limit is not known, a note says why. Memcpy between host and device is compared with
-- the bandwidth of the link.
-- set: pytorch
-- question: efficiency
-- words: potential, speedup
-- alias: headroom
-- position: 70
-- key: name, input_dims, input_types, input_strides, concrete_inputs, compute_spec, peak_spec, peak_reason
-- measure: kernel_time_ms, calls
-- when: never
-- drop-empty: peak_reason, note
-- terminal: name, above_roofline_ms, kernel_time_ms, input_dims, roofline_pct, bound, calls, roofline_time_ms, note
-- not-included: not_included_without_model, not_included_in_ops
-- empty: no_work, no_ops, no_shapes, no_models
CREATE VIEW time_above_roofline AS
WITH grouped AS (
  SELECT run, trace_id, op_id, compute_spec, peak_spec, peak_reason, peak_tflops, device, kind, mem_bw_gbps, link_gbps, count(*) AS calls,
    sum(kernel_ns) AS kernel_ns, sum(flops) AS flops, sum(bytes) AS bytes, sum(link_bytes) AS link_bytes, sum(link_ns) AS link_ns
  FROM bounded_call
  WHERE flops > 0 AND bytes IS NOT NULL
  GROUP BY run, trace_id, op_id, compute_spec, peak_spec, peak_reason, peak_tflops, device, kind, mem_bw_gbps, link_gbps
),
limited AS (
  SELECT run, trace_id, op_id, compute_spec, peak_spec, peak_reason, device, kind, calls, kernel_ns,
    flops / (peak_tflops * 1e3) AS compute_ns, bytes / mem_bw_gbps AS memory_ns,
    coalesce(link_bytes / link_gbps, CASE WHEN link_ns * 2 < kernel_ns OR link_ns IS NULL THEN 0 END) AS link_ns,
    coalesce(link_ns * 2 >= kernel_ns, 0) AS is_copy
  FROM grouped
),
bounded AS (
  SELECT run, trace_id, op_id, compute_spec, peak_spec, peak_reason, device, kind, calls, kernel_ns, compute_ns, memory_ns, link_ns, is_copy,
    CASE WHEN is_copy THEN link_ns ELSE max(compute_ns, memory_ns, link_ns) END AS least_ns
  FROM limited
)
SELECT
  bounded.run AS run, -- [text] name of the run
  bounded.trace_id AS trace_id, -- [integer] id of the trace
  signature.name AS name, -- [text] name of the op
  signature.input_dims AS input_dims, -- [tuple] input shapes of the op
  signature.input_types AS input_types, -- [tuple] input dtypes of the op
  signature.input_strides AS input_strides, -- [tuple] input strides of the op
  signature.concrete_inputs AS concrete_inputs, -- [tuple] values of the scalar inputs
  bounded.calls AS calls, -- [integer] number of ops of the row
  bounded.kernel_ns / 1000000.0 AS kernel_time_ms, -- [ms] (lower) busy time of the GPU activities below the ops
  bounded.least_ns / 1000000.0 AS roofline_time_ms, -- [ms] roofline minimum: the shortest time that the device's peaks allow
  (bounded.kernel_ns - bounded.least_ns) / 1000000.0 AS above_roofline_ms, -- [ms] (lower) estimated saving (upper bound): time above the roofline minimum
  bounded.least_ns * 100.0 / nullif(bounded.kernel_ns, 0) AS roofline_pct, -- (higher) roofline %: the roofline minimum as a share of the time
  CASE WHEN bounded.least_ns IS NULL THEN NULL WHEN bounded.is_copy OR bounded.link_ns > max(bounded.compute_ns, bounded.memory_ns) THEN 'link'
    WHEN bounded.compute_ns >= bounded.memory_ns THEN 'compute' ELSE 'memory' END AS bound, -- [text] bound of the op: compute, memory or the link to the host
  bounded.compute_spec AS compute_spec, -- [text] kind of peak for the op, by dtype
  bounded.device AS device, -- [text] device whose peaks are used
  bounded.kind AS peak_kind, -- [text] origin of the peak: achievable (measured), peak (stated by the maker) or given (set by an option)
  CASE WHEN bounded.is_copy THEN NULL ELSE bounded.peak_spec END AS peak_spec, -- [text] kind of peak that is used
  CASE WHEN bounded.is_copy THEN NULL ELSE bounded.peak_reason END AS peak_reason, -- [text] reason for another peak than compute_spec: the kernel's name, or allow_tf32 of the op or trace
  CASE WHEN bounded.least_ns IS NOT NULL THEN NULL WHEN bounded.device IS NULL THEN 'the device is not known; --gpu-arch-platform names it'
    WHEN bounded.is_copy THEN 'no bandwidth is known for the link to the host'
    ELSE 'no peak is known for ' || coalesce(bounded.compute_spec, 'this type') END AS note -- [text] reason why no limit is stated
FROM bounded
JOIN signature ON signature.op_id = bounded.op_id
ORDER BY bounded.run, bounded.trace_id, above_roofline_ms DESC, signature.name, signature.input_dims, signature.input_types, bounded.op_id;
