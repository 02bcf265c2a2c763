-- Synchronous memcpy, the longest first. Small copies to a device and copies within a device are
-- not included.
-- set: nsys
-- question: memory
-- alias: cuda_memcpy_sync cuda-sync-memcpy
-- position: 320
-- unit: run
-- key: pid, stream_id, start
-- measure: duration
-- when: never
-- columns-of: nsys_pageable_copies
-- empty: no_work, no_waited_copies
CREATE VIEW nsys_sync_copies AS
SELECT
  run, dur_ns AS duration, start_ns AS start, source AS src_kind, target AS dst_kind,
  bytes / 1000000.0 AS moved,
  pid, device AS device_id, context AS context_id, green_context AS green_context_id, stream AS stream_id, call_name AS api_name
FROM nsys_moved
WHERE place > 0 AND (call LIKE 'cudaMemcpy%' OR call LIKE 'hipMemcpy%') AND call NOT LIKE '%Async%'
  AND NOT (place = 1 AND bytes <= 64000)
  AND (source_device = target_device) IS NOT TRUE
ORDER BY run, dur_ns DESC, start_ns
LIMIT (SELECT CASE WHEN tpq_like_reference('nsys: rows of advice') THEN 50 ELSE -1 END);
