-- marked_ranges: Ranges and steps that programs marked, with the thread of each.
SELECT signpost.id, signpost.ts_ns, signpost.dur_ns, event.name_id,
  signpost.id IN (SELECT id FROM step_mark WHERE trace_id = ?1 AND kind = 'step'), thread.id
FROM trace CROSS JOIN signpost ON signpost.id BETWEEN trace.first_event AND trace.last_event JOIN event ON event.id = signpost.id
JOIN track AS mark ON mark.id = signpost.track_id
LEFT JOIN track AS thread ON thread.trace_id = trace.id AND thread.kind = 'thread' AND thread.process = mark.process AND
  thread.thread = mark.thread
WHERE trace.id = ?1 AND signpost.kind IN ('step', 'range') ORDER BY signpost.id;

-- works_selected: GPU activities of trace ?1 of run ?2; ?3 and ?4 are categories of copies and
-- sets, as bits.
SELECT work.id, work.ts_ns, work.dur_ns, work.name_id, work.device, work.stream, work.call_id,
  ((?3 >> work.category_id) & 1) + 2 * ((?4 >> work.category_id) & 1), work.category_id, work.launcher_name_id, work.args_id
FROM scope CROSS JOIN gpu_event AS work ON work.id BETWEEN scope.first_event AND scope.last_event
WHERE scope.trace_id = ?1 AND scope.run = ?2;
