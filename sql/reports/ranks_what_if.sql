-- What the ranks of a run would take together if something were faster: those that wait for others
-- gain nothing. Of more than 16 ranks those are listed that compute longest on the critical path.
-- Option what-if asks for other scenarios.
-- set: multirank
-- position: 185
-- unit: run
-- key: scenario
-- measure: saved_ms
-- when: never
-- drop-empty: note
-- terminal: scenario, saved_ms, saved_percent, new_ms, on_path_ms, note, makespan_ms, switches
-- leaves-out: left_out_of_what_if
-- empty: lacks_events, lacks_ranks
CREATE VIEW ranks_what_if AS
SELECT
  run AS run, -- [text] run
  scenario AS scenario, -- [text] what would be faster
  makespan_ns / 1000000.0 AS makespan_ms, -- [ms] what it takes as it is
  new_ns / 1000000.0 AS new_ms, -- [ms] (lower) what it would take
  saved_ns / 1000000.0 AS saved_ms, -- [ms] (higher) the difference
  saved_ns * 100.0 / nullif(makespan_ns, 0) AS saved_percent, -- [%] its share of what it takes
  on_path_ns / 1000000.0 AS on_path_ms, -- [ms] what the critical path itself would lose: no more can be saved
  switches AS switches, -- [integer] moments that would wait for something else
  note AS note -- [text] what could not be done
FROM what_if_ranks((SELECT tpq_option('what_if')));
