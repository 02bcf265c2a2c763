-- What the critical path was computed from: edges by kind, what could not be used, and checks of
-- the graph.
-- set: pytorch
-- question: steps
-- position: 374
-- key: subject
-- measure: makespan_ms
-- when: never
-- empty: lacks_events
CREATE VIEW critical_path_graph AS
SELECT
  run AS run, -- [text] run
  trace_id AS trace_id, -- [integer] trace
  'graph' AS subject, -- [text] what the row is about
  (end_ns - begin_ns) / 1000000.0 AS makespan_ms, -- [ms] (lower) from the beginning of what is selected to the end of the path
  latency_ns / 1000.0 AS latency_us, -- [us] what a launch takes onto an idle stream
  gap_ns / 1000.0 AS gap_us, -- [us] what a stream needs between two pieces of work
  return_ns / 1000.0 AS return_us, -- [us] what a call that waited needs to return
  call_ns / 1000.0 AS call_us, -- [us] what such a call takes that need not wait
  nodes AS nodes, -- [integer] moments
  edges_chain AS edges_chain, -- [integer] edges along threads
  edges_handover AS edges_handover, -- [integer] edges from thread to thread
  edges_span AS edges_span, -- [integer] pieces of work
  edges_launch AS edges_launch, -- [integer] edges from calls to work
  edges_stream AS edges_stream, -- [integer] edges along streams
  edges_wait AS edges_wait, -- [integer] edges from stream to stream
  edges_sync AS edges_sync, -- [integer] edges from work to calls that wait for it
  dropped_launches AS dropped_launches, -- [integer] launches that lie behind their work
  dropped_waits + dropped_syncs AS dropped_waits, -- [integer] waits that times contradict
  dropped_records AS dropped_records, -- [integer] records of waiting that name nothing in the trace
  dropped_outside AS dropped_outside, -- [integer] waits for work that had ended before the selection
  had_cycle AS had_cycle, -- [integer] 1 when edges backwards in time were taken out because they closed a circle
  is_exact AND is_whole AND NOT has_negative_lag AND NOT has_negative_slack AS holds -- [integer] 1 when replaying gives every time, nothing is early, and the path has no hole
FROM path_graph
ORDER BY run, trace_id;
