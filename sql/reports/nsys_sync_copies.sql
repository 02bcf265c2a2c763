-- Copies that the host waits for, the longest first; small ones to a device and those within one are none.
-- set: nsys
-- alias: cuda_memcpy_sync cuda-sync-memcpy
-- position: 320
-- unit: run
-- key: pid, stream_id, start
-- measure: duration
-- when: never
-- empty: lacks_work, lacks_waited_copies
CREATE VIEW nsys_sync_copies AS
SELECT
  run AS run, -- [text] run
  dur_ns AS duration, -- "Duration (ns)" [ns] duration
  start_ns AS start, -- "Start (ns)" [integer] start, on the file's clock
  source AS src_kind, -- "Src Kind" [text] kind of memory that it is from
  target AS dst_kind, -- "Dst Kind" [text] kind of memory that it is to
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(bytes / 1000000.0, 3) ELSE bytes / 1000000.0 END AS moved, -- "Bytes (MB)" [MB] moved
  pid AS pid, -- "PID" [integer] process
  device AS device_id, -- "Device ID" [integer] device
  context AS context_id, -- "Context ID" [integer] context
  green_context AS green_context_id, -- "Green Context ID" [integer] part of the device that it may use
  stream AS stream_id, -- "Stream ID" [integer] stream
  call_name AS api_name -- "API Name" [text] name of the call, with the version that the profiler gives it
FROM nsys_moved
WHERE place > 0 AND (call LIKE 'cudaMemcpy%' OR call LIKE 'hipMemcpy%') AND call NOT LIKE '%Async%'
  AND NOT (place = 1 AND bytes <= 64000)
  AND (source_device = target_device) IS NOT TRUE
ORDER BY run, dur_ns DESC, start_ns
LIMIT (SELECT CASE WHEN tpq_like_reference('nsys: rows of advice') THEN 50 ELSE -1 END);
