-- Async memcpy from or to pageable memory, the longest first. Pageable memory makes them
-- synchronous.
-- set: nsys
-- question: memory
-- alias: cuda_memcpy_async cuda-async-memcpy
-- position: 310
-- unit: run
-- key: pid, stream_id, start
-- measure: duration
-- when: never
-- empty: lacks_work, lacks_pageable_copies
CREATE VIEW nsys_pageable_copies AS
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
WHERE place > 0 AND (source = 'Pageable' OR target = 'Pageable')
  AND (call LIKE 'cudaMemcpy%Async%' OR call LIKE 'hipMemcpy%Async%')
ORDER BY run, dur_ns DESC, start_ns
LIMIT (SELECT CASE WHEN tpq_like_reference('nsys: rows of advice') THEN 50 ELSE -1 END);
