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
SELECT
  gaps.run AS run, -- [text] name of the run
  row_number() OVER (PARTITION BY gaps.run ORDER BY gaps.dur_ns DESC, gaps.start_ns) AS row, -- "Row#" [integer] position in the list
  gaps.dur_ns AS duration, -- "Duration (ns)" [ns] duration of the GPU idle gap
  gaps.start_ns AS start, -- "Start (ns)" [integer] start of the gap (end of the GPU activity before it), on the clock of the file
  process.pid AS pid, -- "PID" [integer] process id
  gaps.device AS device_id, -- "Device ID" [integer] number of the device
  shape.context AS context_id -- "Context ID" [integer] context of the GPU activity before the gap
FROM device_pause AS gaps
JOIN nsys_process AS process ON process.trace_id = gaps.trace_id
LEFT JOIN nsys_shape AS shape ON shape.args_id = gaps.args_id
ORDER BY gaps.run, row
LIMIT (SELECT CASE WHEN tpq_like_reference('nsys: rows of advice') THEN 50 ELSE -1 END);
