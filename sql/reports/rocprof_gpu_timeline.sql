-- GPU time in kernels and memcpy, as shares of the profiled time. Idle time includes the profiled
-- time before the first and after the last GPU activity; gpu_timeline and headline do not count it.
-- set: rocprof
-- question: time
-- sheet: gpu_timeline
-- position: 10
-- first: 10
-- traces: rocprof_trace
-- key: type
-- measure: time_ms
-- total: total_time
-- keep-empty: yes
-- empty: no_work, no_kernels
CREATE VIEW rocprof_gpu_timeline AS
WITH work AS (
  SELECT chosen.run AS run, chosen.trace_id AS trace_id, event.ts_ns AS ts_ns, event.dur_ns AS dur_ns,
    event.category_id = (SELECT id FROM category WHERE name = 'kernel') AS is_kernel
  FROM rocprof_trace AS chosen
  CROSS JOIN gpu_event AS event ON event.id BETWEEN chosen.first_event AND chosen.last_event
),
covered AS (
  SELECT run, trace_id, interval_union_ns(ts_ns, dur_ns) FILTER (WHERE is_kernel) AS kernel_ns,
    coalesce(interval_union_ns(ts_ns, dur_ns) FILTER (WHERE NOT is_kernel), 0) AS memory_ns,
    interval_union_ns(ts_ns, dur_ns) AS busy_ns, max(ts_ns + dur_ns) - min(ts_ns) AS span_ns
  FROM work
  GROUP BY run, trace_id
  HAVING max(is_kernel)
),
sums AS MATERIALIZED (
  SELECT covered.run AS run, covered.trace_id AS trace_id, kernel_ns, memory_ns, busy_ns,
    coalesce(CAST(arg(trace.metadata, 'fini_time') AS INTEGER) - CAST(arg(trace.metadata, 'init_time') AS INTEGER), span_ns) AS total_ns
  FROM covered
  JOIN trace ON trace.id = covered.trace_id
),
kinds (position, type) AS (VALUES (1, 'total_time'), (2, 'kernel'), (3, 'memory'), (4, 'busy_time'), (5, 'idle')),
parts AS (
  SELECT run, trace_id, total_ns, position, type,
    CASE position WHEN 1 THEN total_ns WHEN 2 THEN kernel_ns WHEN 3 THEN memory_ns WHEN 4 THEN busy_ns ELSE max(0, total_ns - busy_ns) END AS ns
  FROM sums CROSS JOIN kinds
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  type AS type, -- [text] kind of time; kernels of all GPUs together
  ns / 1000000.0 AS time_ms, -- "time ms" [ms] time of the kind
  CASE WHEN position = 1 THEN 100.0 WHEN total_ns > 0 THEN 100.0 * ns / total_ns ELSE 0.0 END AS percent -- [%] share of the total time
FROM parts
ORDER BY run, trace_id, position;
