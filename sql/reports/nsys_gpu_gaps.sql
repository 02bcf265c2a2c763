-- GPU idle gaps longer than --gpu-gap-us, the longest first. Profiler overhead is not a
-- gap.
-- set: nsys
-- question: idle
-- alias: gpu_gaps gpu-starv
-- position: 340
-- unit: run
-- key: pid, device_id, start
-- measure: duration
-- when: never
-- empty: no_work, no_long_gaps
CREATE VIEW nsys_gpu_gaps AS
WITH device AS MATERIALIZED (
  SELECT run, trace_id, device, min(args_id) AS args_id, min(start_ns) AS first_ns, max(start_ns + dur_ns) AS last_ns
  FROM nsys_work
  WHERE device IS NOT NULL
  GROUP BY run, trace_id, device
),
overhead AS MATERIALIZED (
  SELECT trace.id AS trace_id, event.ts_ns + trace.clock_start_ns AS start_ns, event.dur_ns AS dur_ns
  FROM trace
  CROSS JOIN event ON event.id BETWEEN trace.first_event AND trace.last_event
  JOIN string ON string.id = event.name_id
  JOIN track ON track.id = event.track_id
  WHERE trace.id IN (SELECT trace_id FROM device) AND event.category_id = (SELECT id FROM category WHERE name = 'overhead')
    AND coalesce(CAST(track.process AS INTEGER) = arg(trace.metadata, 'process'), 1)
    AND (string.text LIKE 'CUDA profiling data flush overhead' OR string.text LIKE 'CUDA profiling stop overhead' OR string.text LIKE 'CUDA profiling overhead')
),
used AS (
  SELECT run, trace_id, device, start_ns, start_ns + dur_ns AS end_ns
  FROM nsys_work
  WHERE device IS NOT NULL
  UNION ALL
  SELECT device.run, device.trace_id, device.device, overhead.start_ns, overhead.start_ns + overhead.dur_ns
  FROM device
  JOIN overhead ON overhead.trace_id = device.trace_id AND overhead.start_ns >= device.first_ns AND overhead.start_ns + overhead.dur_ns <= device.last_ns
),
gaps AS (
  SELECT run, trace_id, device, start_ns AS end_ns,
    max(end_ns) OVER (PARTITION BY run, trace_id, device ORDER BY start_ns, end_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS start_ns
  FROM used
)
SELECT
  gaps.run AS run, -- [text] name of the run
  row_number() OVER (PARTITION BY gaps.run ORDER BY gaps.end_ns - gaps.start_ns DESC, gaps.start_ns) AS row, -- "Row#" [integer] position in the list
  gaps.end_ns - gaps.start_ns AS duration, -- "Duration (ns)" [ns] duration of the GPU idle gap
  gaps.start_ns AS start, -- "Start (ns)" [integer] start of the gap (end of the GPU activity before it), on the clock of the file
  process.pid AS pid, -- "PID" [integer] process id
  gaps.device AS device_id, -- "Device ID" [integer] number of the device
  shape.context AS context_id -- "Context ID" [integer] context of the GPU activity before the gap
FROM gaps
JOIN device ON device.run = gaps.run AND device.trace_id = gaps.trace_id AND device.device = gaps.device
JOIN nsys_process AS process ON process.trace_id = gaps.trace_id
LEFT JOIN nsys_shape AS shape ON shape.args_id = device.args_id
WHERE gaps.end_ns > gaps.start_ns AND gaps.end_ns - gaps.start_ns > (SELECT CAST(tpq_option('gpu-gap-us') AS REAL) * 1000)
ORDER BY gaps.run, row
LIMIT (SELECT CASE WHEN tpq_like_reference('nsys: rows of advice') THEN 50 ELSE -1 END);
