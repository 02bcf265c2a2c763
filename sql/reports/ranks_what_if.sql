-- Estimated step time of the run if something were faster. Ranks that wait for others gain nothing.
-- With more than 16 ranks, only the ranks with the longest compute time on the critical path are
-- listed. Option what-if asks for other scenarios.
-- set: multirank
-- question: ranks
-- position: 185
-- unit: run
-- key: scenario
-- measure: saved_ms
-- when: never
-- drop-empty: note
-- terminal: scenario, saved_ms, saved_percent, new_ms, on_path_ms, note, makespan_ms, switches
-- not-included: not_included_in_what_if
-- columns-of: what_if
-- empty: no_events, no_ranks
CREATE VIEW ranks_what_if AS
SELECT
  run, scenario, makespan_ns / 1000000.0 AS makespan_ms, new_ns / 1000000.0 AS new_ms, saved_ns / 1000000.0 AS saved_ms,
  saved_ns * 100.0 / nullif(makespan_ns, 0) AS saved_percent, on_path_ns / 1000000.0 AS on_path_ms, switches, note
FROM what_if_ranks((SELECT tpq_option('what-if')));
