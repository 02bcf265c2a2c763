-- Basis of the critical path: edges by kind, unused records, and checks of the graph.
-- set: pytorch
-- question: steps
-- position: 374
-- key: subject
-- measure: makespan_ms
-- when: never
-- not-included: not_included_handovers
-- empty: no_events
CREATE VIEW critical_path_graph AS
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  'graph' AS subject, -- [text] subject of the row
  (end_ns - begin_ns) / 1000000.0 AS makespan_ms, -- [ms] (lower) time from the start of the selection to the end of the critical path
  latency_ns / 1000.0 AS latency_us, -- [us] launch delay onto an idle stream
  gap_ns / 1000.0 AS gap_us, -- [us] minimum gap between two GPU activities of a stream
  return_ns / 1000.0 AS return_us, -- [us] return time of a synchronization that waited
  call_ns / 1000.0 AS call_us, -- [us] duration of a synchronization that had nothing to wait for
  thread_pairs AS thread_pairs, -- [text] source of the pairs of host threads that hand over to each other: arrows, sequence (sequence numbers of autograd), turns or none
  nodes AS nodes, -- [integer] number of nodes of the graph, each a moment
  edges_chain AS edges_chain, -- [integer] number of edges along host threads
  edges_handover AS edges_handover, -- [integer] number of edges from host thread to host thread
  edges_span AS edges_span, -- [integer] number of edges of GPU activities, from start to end
  edges_launch AS edges_launch, -- [integer] number of edges from launches to GPU activities
  edges_stream AS edges_stream, -- [integer] number of edges along streams
  edges_wait AS edges_wait, -- [integer] number of edges from stream to stream
  edges_sync AS edges_sync, -- [integer] number of edges from GPU activities to the synchronizations that wait for them
  dropped_launches AS dropped_launches, -- [integer] number of launches not used: later than their GPU activity
  dropped_waits + dropped_syncs AS dropped_waits, -- [integer] number of waits not used: contradicted by the times
  dropped_records AS dropped_records, -- [integer] number of wait records not used: they name no event of the trace
  dropped_outside AS dropped_outside, -- [integer] number of waits not used: their GPU activity ended before the selection
  had_cycle AS had_cycle, -- [integer] flag of a cycle: 1 where edges backwards in time were removed to break it
  is_exact AND is_whole AND NOT has_negative_lag AND NOT has_negative_slack AS holds -- [integer] result of the graph checks: 1 when a replay gives every time, nothing is early, and the path has no hole
FROM path_graph
ORDER BY run, trace_id;
