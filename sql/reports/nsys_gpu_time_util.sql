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
WITH low AS (
  SELECT run, trace_id, device, place, start_ns, dur_ns, used_ns, args_id,
    place - row_number() OVER (PARTITION BY run, trace_id, device ORDER BY place) AS island
  FROM device_stretch
  WHERE used_ns * 100.0 / nullif(dur_ns, 0) < (SELECT CAST(tpq_option('gpu-use-percent') AS REAL))
),
joined AS (
  SELECT run, trace_id, device, min(args_id) AS args_id, min(start_ns) AS start_ns, sum(dur_ns) AS dur_ns, sum(used_ns) * 100.0 / nullif(sum(dur_ns), 0) AS use
  FROM low
  GROUP BY run, trace_id, device, island
)
SELECT
  joined.run AS run, -- [text] name of the run
  row_number() OVER (PARTITION BY joined.run ORDER BY CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(joined.use, 1) ELSE joined.use END, joined.dur_ns, joined.start_ns) AS row, -- "Row#" [integer] position in the list
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(joined.use, 1) ELSE joined.use END AS in_use, -- "In-Use (%)" [%] GPU utilization: share of the region in which the GPU is busy
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
