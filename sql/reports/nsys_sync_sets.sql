-- Synchronous memset of pinned or managed memory, the longest first.
-- set: nsys
-- question: memory
-- alias: cuda_memset_sync cuda-sync-memset
-- position: 330
-- unit: run
-- key: pid, stream_id, start
-- measure: duration
-- when: never
-- columns-of: nsys_pageable_copies
-- empty: no_work, no_waited_sets
CREATE VIEW nsys_sync_sets AS
SELECT
  run, dur_ns AS duration, start_ns AS start,
  source AS mem_kind, -- "Mem Kind" [text] kind of the memory
  bytes / 1000000.0 AS moved, -- "Bytes (MB)" [MB ~3] bytes set by the memset
  pid, device AS device_id, context AS context_id, green_context AS green_context_id, stream AS stream_id, call_name AS api_name
FROM nsys_moved
WHERE place = 0 AND source IN ('Pinned', 'Managed') AND (call LIKE 'cudaMemset%' OR call LIKE 'hipMemset%') AND call NOT LIKE '%async%'
ORDER BY run, dur_ns DESC, start_ns
LIMIT (SELECT CASE WHEN tpq_like_reference('nsys: rows of advice') THEN 50 ELSE -1 END);
