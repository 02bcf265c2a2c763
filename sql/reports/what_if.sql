-- Estimated time of the selection if something were faster, from a replay of the schedule. The
-- replay does not model allocators, caches, clocks, contention between kernels, or choices of the
-- program. Option what-if asks for other scenarios.
-- set: pytorch
-- question: advice
-- words: speedup, potential
-- position: 375
-- key: scenario
-- measure: saved_ms
-- when: never
-- drop-empty: note
-- terminal: scenario, saved_ms, saved_percent, new_ms, on_path_ms, note, makespan_ms, switches
-- empty: no_events
CREATE VIEW what_if AS
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  scenario AS scenario, -- [text] scenario: the events that become faster
  makespan_ns / 1000000.0 AS makespan_ms, -- [ms] makespan as recorded
  new_ns / 1000000.0 AS new_ms, -- [ms] (lower) makespan after the change
  saved_ns / 1000000.0 AS saved_ms, -- [ms] (higher) estimated saving
  saved_ns * 100.0 / nullif(makespan_ns, 0) AS saved_percent, -- [%] estimated saving as a share of the recorded makespan
  on_path_ns / 1000000.0 AS on_path_ms, -- [ms] saving on the critical path itself; the upper bound of the estimated saving
  switches AS switches, -- [integer] number of nodes that wait for another cause after the change
  note AS note -- [text] note on parts that the replay could not change
FROM what_if_trace((SELECT tpq_option('what-if')));
