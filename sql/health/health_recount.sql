-- profiler_steps: Steps of the profiler, in the order of the file.
SELECT signpost.step, signpost.ts_ns, signpost.dur_ns
FROM trace CROSS JOIN signpost ON signpost.id BETWEEN trace.first_event AND trace.last_event
CROSS JOIN event ON event.id = signpost.id CROSS JOIN category ON category.id = event.category_id
WHERE trace.id = ?1 AND signpost.kind = 'step' AND (category.role = 'mark' OR substr(signpost.name, 1, 13) = 'ProfilerStep#')
ORDER BY event.uid, event.id;

-- wanted_checks: Checks that are wanted of a trace: 1 where there is no fact, 2 where its tolerance was
-- another one. A tolerance with two limits has the first as its fact, with what was measured.
SELECT checked."check", 1 + (fact.trace_id IS NOT NULL)
FROM health_check AS checked LEFT JOIN health_fact AS fact ON fact.trace_id = ?1 AND fact."check" = checked."check"
WHERE checked.level = 'trace' AND checked.measure IS NULL AND checked.warning_count IS NOT NULL AND
  (fact.trace_id IS NULL OR (fact.reason IS NULL AND checked.tolerance IS NOT NULL AND (fact.tolerance IS NOT
    CAST(checked.tolerance AS REAL) OR ( instr(checked.tolerance, '..') AND fact.count <> (fact.value < CAST(checked.tolerance AS
    REAL) OR fact.value > CAST(substr(checked.tolerance, instr(checked.tolerance, '..') + 2) AS REAL))))));
