-- trace_list: The traces, in the order in which blocks number them; with ?1 clocks of ranks are asked for.
SELECT json_group_array(json(object))
FROM (
  SELECT json_object('id', trace.id, 'run', run.name, 'rank', CAST(trace.rank AS TEXT), 'file', replace(trace.path,
    rtrim(trace.path, replace(trace.path, '/', '')), ''), 'format', trace.format, 'bytes', trace.file_bytes, 'events',
    trace.last_event - trace.first_event + 1, 'offset', coalesce(run_rank.start_ns - min(run_rank.start_ns) OVER (PARTITION BY
    run_rank.run), 0), 'unsure', coalesce(CASE WHEN ?1 THEN (SELECT abs(late_ns) + spread_ns FROM rank_clock WHERE
    rank_clock.trace_id = trace.id) END, 0), 'start', strftime('%Y-%m-%d %H:%M:%SZ', trace.wall_start_ns / 1000000000,
    'unixepoch')) AS object
  FROM trace JOIN run ON run.id = trace.run_id LEFT JOIN run_rank ON run_rank.run = run.name AND run_rank.trace_id = trace.id
  WHERE trace.id IN (SELECT trace_id FROM scope) ORDER BY run.name, trace.rank, trace.id);

-- health_marks: Worst examples of checks that are not passed.
SELECT ',"marks":' || coalesce(json_group_array(json_object('trace_id', verdict.trace_id, 'check', "check", 'verdict', verdict,
  'at', ts_ns)), '[]')
FROM health_verdict AS verdict JOIN event ON event.id = verdict.example_id
WHERE verdict IN ('broken', 'warning');
