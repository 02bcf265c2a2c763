-- Estimated time of the selection if something were faster, from a replay of the schedule.
-- Allocators, caches, clocks, kernels that slow each other down and choices that the program makes
-- are not in it. Option what-if asks for other scenarios.
-- set: pytorch
-- question: advice
-- words: speedup, potential
-- position: 375
-- key: scenario
-- measure: saved_ms
-- when: never
-- drop-empty: note
-- terminal: scenario, saved_ms, saved_percent, new_ms, on_path_ms, note, makespan_ms, switches
-- empty: lacks_events
CREATE VIEW what_if AS
SELECT
  run AS run, -- [text] run
  trace_id AS trace_id, -- [integer] trace
  scenario AS scenario, -- [text] what would be faster
  makespan_ns / 1000000.0 AS makespan_ms, -- [ms] what it takes as it is
  new_ns / 1000000.0 AS new_ms, -- [ms] (lower) what it would take
  saved_ns / 1000000.0 AS saved_ms, -- [ms] (higher) the difference
  saved_ns * 100.0 / nullif(makespan_ns, 0) AS saved_percent, -- [%] its share of what it takes
  on_path_ns / 1000000.0 AS on_path_ms, -- [ms] what the critical path itself would lose: no more can be saved
  switches AS switches, -- [integer] moments that would wait for something else
  note AS note -- [text] what could not be done
FROM what_if_trace((SELECT tpq_option('what_if')));
