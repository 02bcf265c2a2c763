-- What the critical path across ranks was computed from: edges, clock corrections, checks. It counts
-- the collectives that joined ranks and the kernels that could not be joined.
-- set: multirank
-- question: ranks
-- position: 184
-- unit: run
-- key: subject
-- measure: makespan_ms
-- when: never
-- empty: lacks_events, lacks_ranks
CREATE VIEW ranks_critical_path_graph AS
SELECT
  run AS run, -- [text] run
  'graph' AS subject, -- [text] what the row is about
  (end_ns - begin_ns) / 1000000.0 AS makespan_ms, -- [ms] (lower) from the beginning of the first rank to the end of the path
  path_ns / 1000000.0 AS path_ms, -- [ms] what the path takes
  (end_ns - begin_ns - path_ns) / 1000000.0 AS start_skew_ms, -- [ms] how much later than the first rank the path begins
  ranks AS ranks, -- [integer] ranks
  collectives AS collectives, -- [integer] collectives
  joined AS joined, -- [integer] those in which ranks wait for each other
  refused AS refused, -- [integer] those that cannot be one: their kernels are not all running at any time
  hops AS hops, -- [integer] how often the path goes to another rank
  (SELECT group_concat(printf('%d: %.3f us', rank, offset_ns / 1000.0), ', ') FROM rank_path_clock AS clock WHERE clock.run = graph.run AND offset_ns <> 0) AS offsets, -- [text] clocks that were moved, by rank
  latency_ns / 1000.0 AS latency_us, -- [us] what a launch takes onto an idle stream
  gap_ns / 1000.0 AS gap_us, -- [us] what a stream needs between two pieces of work
  return_ns / 1000.0 AS return_us, -- [us] what a call that waited needs to return
  call_ns / 1000.0 AS call_us, -- [us] what such a call takes that need not wait
  nodes AS nodes, -- [integer] moments
  had_cycle AS had_cycle, -- [integer] 1 when edges were taken out because they closed a circle
  dropped_joins AS dropped_joins, -- [integer] collectives that were, because ranks have them in another order
  is_exact AND is_whole AND NOT has_negative_lag AND NOT has_negative_slack AS holds -- [integer] 1 when replaying gives every time, nothing is early, and the path has no hole
FROM rank_path_graph AS graph
ORDER BY run;
