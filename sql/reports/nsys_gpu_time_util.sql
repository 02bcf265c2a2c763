-- Parts of the time in which a device was busy for less than --gpu-use-percent. The time
-- is cut into --gpu-use-chunks parts.
-- set: nsys
-- question: idle
-- alias: gpu_time_util gpu-low-util
-- position: 350
-- unit: run
-- key: pid, device_id, start
-- measure: duration
-- when: never
-- empty: no_work, no_low_use
CREATE VIEW nsys_gpu_time_util AS
WITH RECURSIVE used AS (
  SELECT run, trace_id, device, args_id, start_ns, start_ns + dur_ns AS end_ns
  FROM nsys_work
  WHERE device IS NOT NULL AND abs(start_ns) < 4611686018427387904 AND start_ns + dur_ns < 4611686018427387904 -- else differences are no integers
),
chunk (chunks, place) AS (
  SELECT max(1, CAST((SELECT tpq_option('gpu-use-chunks')) AS INTEGER)), 0
  UNION ALL
  SELECT chunks, place + 1 FROM chunk WHERE place + 1 < chunks
),
device AS MATERIALIZED (
  SELECT run, trace_id, device, min(args_id) AS args_id, min(start_ns) AS first_ns, max(end_ns) - min(start_ns) AS time_ns,
    max(1, (max(end_ns) - min(start_ns) + (SELECT max(chunks) FROM chunk) - 1) / (SELECT max(chunks) FROM chunk)) AS length_ns
  FROM used
  GROUP BY run, trace_id, device
),
stretch AS MATERIALIZED (
  SELECT device.run AS run, device.trace_id AS trace_id, device.device AS device, device.args_id AS args_id, chunk.place AS place,
    device.first_ns + chunk.place * device.length_ns AS start_ns, min(device.length_ns, device.time_ns - chunk.place * device.length_ns) AS dur_ns
  FROM device
  JOIN chunk ON chunk.place = 0 OR chunk.place * device.length_ns < device.time_ns
),
-- GPU activities, cut where stretches end
piece (run, trace_id, device, place, start_ns, until_ns, end_ns, length_ns) AS (
  SELECT used.run, used.trace_id, used.device, (used.start_ns - device.first_ns) / device.length_ns, used.start_ns,
    used.start_ns + device.length_ns - (used.start_ns - device.first_ns) % device.length_ns, used.end_ns, device.length_ns
  FROM used
  JOIN device ON device.run = used.run AND device.trace_id = used.trace_id AND device.device = used.device
  UNION ALL
  SELECT run, trace_id, device, place + 1, until_ns, until_ns + length_ns, end_ns, length_ns
  FROM piece
  WHERE until_ns < end_ns
),
used_stretch AS MATERIALIZED (
  -- the reference counts the time of overlapping GPU activities twice
  SELECT run, trace_id, device, place,
    CASE WHEN (SELECT tpq_like_reference('nsys: use of a device')) THEN sum(min(end_ns, until_ns) - start_ns) ELSE interval_union_ns(start_ns, min(end_ns, until_ns) - start_ns) END AS used_ns
  FROM piece
  GROUP BY run, trace_id, device, place
),
low AS (
  SELECT stretch.run AS run, stretch.trace_id AS trace_id, stretch.device AS device, stretch.start_ns AS start_ns, stretch.dur_ns AS dur_ns,
    coalesce(used.used_ns, 0) AS used_ns, stretch.args_id AS args_id,
    stretch.place - row_number() OVER (PARTITION BY stretch.run, stretch.trace_id, stretch.device ORDER BY stretch.place) AS island
  FROM stretch
  LEFT JOIN used_stretch AS used ON used.run = stretch.run AND used.trace_id = stretch.trace_id AND used.device = stretch.device AND used.place = stretch.place
  WHERE coalesce(used.used_ns, 0) * 100.0 / nullif(stretch.dur_ns, 0) < (SELECT CAST(tpq_option('gpu-use-percent') AS REAL))
),
joined AS (
  SELECT run, trace_id, device, min(args_id) AS args_id, min(start_ns) AS start_ns, sum(dur_ns) AS dur_ns, sum(used_ns) * 100.0 / nullif(sum(dur_ns), 0) AS use
  FROM low
  GROUP BY run, trace_id, device, island
)
SELECT
  joined.run AS run, -- [text] name of the run
  row_number() OVER (PARTITION BY joined.run ORDER BY CASE WHEN (SELECT tpq_like_reference('reports: decimals')) THEN round(joined.use, 1) ELSE joined.use END, joined.dur_ns, joined.start_ns) AS row, -- "Row#" [integer] position in the list
  joined.use AS in_use, -- "In-Use (%)" [% ~1] GPU utilization: share of the region in which the GPU is busy
  joined.dur_ns AS duration, -- "Duration (ns)" [ns] duration of the region
  joined.start_ns AS start, -- "Start (ns)" [integer] start of the region, on the clock of the file
  process.pid AS pid, -- "PID" [integer] process id
  joined.device AS device_id, -- "Device ID" [integer] number of the device
  shape.context AS context_id -- "Context ID" [integer] context of the GPU activities
FROM joined
JOIN nsys_process AS process ON process.trace_id = joined.trace_id
LEFT JOIN nsys_shape AS shape ON shape.args_id = joined.args_id
ORDER BY joined.run, row
LIMIT (SELECT CASE WHEN tpq_like_reference('nsys: rows of advice') THEN 50 ELSE -1 END);
