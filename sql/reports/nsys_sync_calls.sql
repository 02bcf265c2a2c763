-- Synchronizations of a device or stream, the longest first.
-- set: nsys
-- question: idle
-- alias: cuda_api_sync cuda-sync-api
-- position: 300
-- unit: run
-- key: pid, tid, start
-- measure: duration
-- when: never
-- empty: no_runtime_calls, no_waiting_calls
CREATE VIEW nsys_sync_calls AS
SELECT
  scope.run AS run, -- [text] name of the run
  event.dur_ns AS duration, -- "Duration (ns)" [ns] duration of the runtime call
  event.ts_ns + trace.clock_start_ns AS start, -- "Start (ns)" [integer] start of the runtime call, on the clock of the file
  CAST(track.process AS INTEGER) AS pid, -- "PID" [integer] process id
  CAST(track.thread AS INTEGER) AS tid, -- "TID" [integer] thread id
  string.text || coalesce(version.version, '') AS api_name -- "API Name" [text] name of the runtime call, with the version suffix of the profiler
FROM scope
CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
JOIN trace ON trace.id = scope.trace_id
JOIN string ON string.id = event.name_id
JOIN track ON track.id = event.track_id
LEFT JOIN nsys_call_version AS version ON version.trace_id = scope.trace_id AND version.name = string.text
WHERE event.category_id IN (SELECT id FROM category WHERE role = 'call')
  AND (string.text LIKE 'cudaDeviceSynchronize%' OR string.text LIKE 'cudaStreamSynchronize%' OR string.text LIKE 'hipDeviceSynchronize%' OR string.text LIKE 'hipStreamSynchronize%')
ORDER BY scope.run, event.dur_ns DESC, event.ts_ns + trace.clock_start_ns
LIMIT (SELECT CASE WHEN tpq_like_reference('nsys: rows of advice') THEN 50 ELSE -1 END);
