-- marked_ranges: Ranges and steps that programs marked, with the thread of each.
SELECT signpost.id, signpost.ts_ns, signpost.dur_ns, event.name_id, signpost.id IN
  (SELECT id FROM step_mark WHERE trace_id = ?1 AND kind = 'step'), thread.id
FROM trace CROSS JOIN signpost ON signpost.id BETWEEN trace.first_event AND trace.last_event JOIN event ON event.id = signpost.id
JOIN track AS mark ON mark.id = signpost.track_id
LEFT JOIN track AS thread ON thread.trace_id = trace.id AND thread.kind = 'thread' AND thread.process = mark.process AND thread.thread =
  mark.thread WHERE trace.id = ?1 AND signpost.kind IN ('step', 'range') ORDER BY signpost.id;
