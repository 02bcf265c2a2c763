-- Basis of the critical path across ranks: joined collectives, kernels that could not be joined,
-- clock corrections, and checks of the graph.
-- set: multirank
-- question: ranks
-- position: 184
-- unit: run
-- key: subject
-- measure: makespan_ms
-- when: never
-- empty: no_events, no_ranks
CREATE VIEW ranks_critical_path_graph AS
SELECT
  run AS run, -- [text] name of the run
  'graph' AS subject, -- [text] subject of the row
  (end_ns - begin_ns) / 1000000.0 AS makespan_ms, -- [ms] (lower) makespan: from the start of the first rank to the end of the path
  path_ns / 1000000.0 AS path_ms, -- [ms] length of the critical path
  (end_ns - begin_ns - path_ns) / 1000000.0 AS start_skew_ms, -- [ms] start of the path, from the start of the first rank
  ranks AS ranks, -- [integer] number of ranks
  collectives AS collectives, -- [integer] number of collectives
  joined AS joined, -- [integer] number of collectives where ranks wait for each other
  refused AS refused, -- [integer] number of refused collectives: no moment has all their kernels running
  hops AS hops, -- [integer] number of changes of the path to another rank
  (SELECT group_concat(printf('%d: %.3f us', rank, offset_ns / 1000.0), ', ') FROM rank_path_clock AS clock WHERE clock.run = graph.run AND offset_ns <> 0) AS offsets, -- [text] clock offsets by rank
  latency_ns / 1000.0 AS latency_us, -- [us] launch latency onto an idle stream
  gap_ns / 1000.0 AS gap_us, -- [us] gap between two GPU activities of a stream
  return_ns / 1000.0 AS return_us, -- [us] time of a synchronization to return after its wait
  call_ns / 1000.0 AS call_us, -- [us] duration of a synchronization without a wait
  thread_pairs AS thread_pairs, -- [text] source of the pairs of host threads that hand over to each other: arrows, sequence (sequence numbers of autograd), turns or none
  nodes AS nodes, -- [integer] number of nodes of the graph
  had_cycle AS had_cycle, -- [integer] 1 where edges of a cycle were removed
  dropped_joins AS dropped_joins, -- [integer] number of collectives dropped because ranks have them in another order
  is_exact AND is_whole AND NOT has_negative_lag AND NOT has_negative_slack AS holds -- [integer] 1 where the replay gives every recorded time, no event is early, and the path has no hole
FROM rank_path_graph AS graph
ORDER BY run;
