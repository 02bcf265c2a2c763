-- Gaps between pieces of work on a device that are longer than the option gpu_gap_us, the longest first. Time of the profiler itself is none.
-- set: nsys
-- alias: gpu_gaps gpu-starv
-- position: 340
-- unit: run
-- key: pid, device_id, start
-- measure: duration
-- when: never
-- empty: lacks_work, lacks_long_gaps
CREATE VIEW nsys_gpu_gaps AS
WITH busy AS (
  SELECT work.run AS run, work.trace_id AS trace_id, work.device AS device, work.start_ns AS start_ns, work.dur_ns AS dur_ns, work.args_id AS args_id
  FROM nsys_work AS work
  WHERE work.device IS NOT NULL
),
span AS (
  SELECT run, trace_id, device, min(start_ns) AS first_ns, max(start_ns + dur_ns) AS last_ns, min(args_id) AS args_id
  FROM busy
  GROUP BY run, trace_id, device
),
overhead AS (
  SELECT span.run AS run, span.trace_id AS trace_id, span.device AS device, event.ts_ns + trace.clock_start_ns AS start_ns, event.dur_ns AS dur_ns
  FROM span
  JOIN trace ON trace.id = span.trace_id
  CROSS JOIN event ON event.id BETWEEN trace.first_event AND trace.last_event
  JOIN string ON string.id = event.name_id
  WHERE event.category_id = (SELECT id FROM category WHERE name = 'overhead')
    AND (string.text LIKE 'CUDA profiling data flush overhead' OR string.text LIKE 'CUDA profiling stop overhead' OR string.text LIKE 'CUDA profiling overhead')
    AND event.ts_ns + trace.clock_start_ns >= span.first_ns AND event.ts_ns + event.dur_ns + trace.clock_start_ns <= span.last_ns
),
taken AS (
  SELECT run, trace_id, device, start_ns, dur_ns FROM busy
  UNION ALL
  SELECT run, trace_id, device, start_ns, dur_ns FROM overhead
),
ordered AS (
  SELECT run, trace_id, device, start_ns,
    max(start_ns + dur_ns) OVER (PARTITION BY run, trace_id, device ORDER BY start_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS end_ns
  FROM taken
),
gaps AS (
  SELECT run, trace_id, device, end_ns AS start_ns, start_ns - end_ns AS dur_ns
  FROM ordered
  WHERE start_ns - end_ns > (SELECT CAST(tpq_option('gpu_gap_us') AS REAL) * 1000)
)
SELECT
  gaps.run AS run, -- [text] run
  row_number() OVER (PARTITION BY gaps.run ORDER BY gaps.dur_ns DESC, gaps.start_ns) AS row, -- "Row#" [integer] place in the list
  gaps.dur_ns AS duration, -- "Duration (ns)" [ns] duration of the gap
  gaps.start_ns AS start, -- "Start (ns)" [integer] end of the work before it, on the file's clock
  process.pid AS pid, -- "PID" [integer] process
  gaps.device AS device_id, -- "Device ID" [integer] device
  shape.context AS context_id -- "Context ID" [integer] context of work there
FROM gaps
JOIN nsys_process AS process ON process.trace_id = gaps.trace_id
JOIN span ON span.run = gaps.run AND span.trace_id = gaps.trace_id AND span.device = gaps.device
LEFT JOIN nsys_shape AS shape ON shape.args_id = span.args_id
ORDER BY gaps.run, row
LIMIT (SELECT CASE WHEN tpq_like_reference('nsys: rows of advice') THEN 50 ELSE -1 END);
