-- marks_of_steps: Ranges that may mark steps: signposts, and library calls of pftrace.
SELECT id, kind, name, step, ts_ns, dur_ns, track_id FROM signpost WHERE id BETWEEN ?1 AND ?2
UNION ALL SELECT event.id, 'range', string.text, NULL, event.ts_ns, event.dur_ns, event.track_id
FROM trace CROSS JOIN event ON event.id BETWEEN ?1 AND ?2 JOIN string ON string.id = event.name_id
WHERE trace.id = ?3 AND trace.format = 'pftrace' AND event.category_id = (SELECT id FROM category WHERE name = 'library_call');
