-- The critical path by kind of time: what bounds the selection. The rows add up to the whole path.
-- Effects of allocators, caches, clocks and kernels that slow each other down are not included.
-- set: pytorch
-- question: steps first
-- words: bottleneck
-- position: 371
-- key: kind
-- measure: time_ms, segments
-- total: time_ms
-- when: never
-- chart: bar kind time_ms
-- not-included: not_included_handovers
-- empty: no_events
CREATE VIEW critical_path_sum AS
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  kind AS kind, -- [text] kind of time: host op, runtime call, host outside ops, handover (from thread to thread), data loading, sync return, computation, copy, communication, kernel gap, wait gap, launch call, launch, earlier work (from before the selection), unknown, tail or clock (times that contradict each other)
  bound_by AS bound_by, -- [text] bound of the kind: cpu_bound, data_loading, gpu_compute_bound, gpu_communication_bound, gpu_kernel_kernel_overhead, gpu_kernel_launch_overhead, or the kind
  time_ns / 1000000.0 AS time_ms, -- [ms] (lower) time on the critical path
  time_ns * 100.0 / nullif(sum(time_ns) OVER (PARTITION BY run, trace_id), 0) AS percent, -- [%] share of the critical path
  segments AS segments -- [integer] number of critical path segments of the kind
FROM path_kind
ORDER BY run, trace_id, time_ns DESC, kind;
