-- Runtime and driver calls in order of start (the layout of nsys stats).
-- set: nsys
-- question: raw
-- alias: cudaapitrace
-- position: 170
-- unit: run
-- key: name, tid, start
-- measure: duration
-- when: never
-- empty: no_runtime_calls
CREATE VIEW cuda_api_trace AS
WITH call_name AS MATERIALIZED (SELECT run, name_id, name FROM nsys_call_name),
priority AS MATERIALIZED (
  SELECT DISTINCT trace.id AS trace_id, thread.key AS thread, thread.value AS priority
  FROM scope
  JOIN trace ON trace.id = scope.trace_id
  CROSS JOIN json_each(trace.metadata, '$.thread_priorities') AS thread
)
SELECT
  scope.run AS run, -- [text] name of the run
  event.ts_ns + trace.clock_start_ns AS start, -- "Start (ns)" [integer] start of the call, on the file's clock
  event.dur_ns AS duration, -- "Duration (ns)" [ns] duration of the call
  coalesce(call_name.name, name.text) AS name, -- "Name" [text] name of the runtime or driver call
  coalesce(arg(args.json, 'result'), 0) AS result, -- "Result" [integer] result code of the call; 0 = success
  event.correlation AS corr_id, -- "CorrID" [integer] correlation id of the call
  CAST(track.process AS INTEGER) AS pid, -- "Pid" [integer] process id of the call
  CAST(track.thread AS INTEGER) AS tid, -- "Tid" [integer] thread id of the call
  priority.priority AS priority, -- "T-Pri" [integer] priority of the thread
  track.thread_name AS thread_name -- "Thread Name" [text] name of the thread
FROM scope
JOIN trace ON trace.id = scope.trace_id
CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event AND event.category_id IN (SELECT id FROM category WHERE role = 'call')
JOIN string AS name ON name.id = event.name_id
JOIN track ON track.id = event.track_id
LEFT JOIN args ON args.id = event.args_id
LEFT JOIN priority ON priority.trace_id = event.trace_id AND priority.thread = track.thread
LEFT JOIN call_name ON call_name.run = scope.run AND call_name.name_id = event.name_id
ORDER BY scope.run, start, event.id;
