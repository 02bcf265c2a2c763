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
-- empty: no_work, no_pageable_copies
CREATE VIEW nsys_pageable_copies AS
SELECT
  run AS run, -- [text] name of the run
  dur_ns AS duration, -- "Duration (ns)" [ns] duration of the GPU activity
  start_ns AS start, -- "Start (ns)" [integer] start of the GPU activity, on the clock of the file
  source AS src_kind, -- "Src Kind" [text] kind of the source memory
  target AS dst_kind, -- "Dst Kind" [text] kind of the destination memory
  bytes / 1000000.0 AS moved, -- "Bytes (MB)" [MB ~3] bytes moved
  pid AS pid, -- "PID" [integer] process id
  device AS device_id, -- "Device ID" [integer] number of the device
  context AS context_id, -- "Context ID" [integer] context id
  green_context AS green_context_id, -- "Green Context ID" [integer] green context: part of the device in use
  stream AS stream_id, -- "Stream ID" [integer] number of the stream
  call_name AS api_name -- "API Name" [text] name of the runtime call, with the version suffix of the profiler
FROM nsys_moved
WHERE place > 0 AND (source = 'Pageable' OR target = 'Pageable')
  AND (call LIKE 'cudaMemcpy%Async%' OR call LIKE 'hipMemcpy%Async%')
ORDER BY run, dur_ns DESC, start_ns
LIMIT (SELECT CASE WHEN tpq_like_reference('nsys: rows of advice') THEN 50 ELSE -1 END);
