-- marks_of_threads: steps and ranges from ?2 to ?3 of trace ?1, with their threads.
SELECT signpost.ts_ns, signpost.dur_ns, coalesce(track.process, ''), coalesce(track.thread, ''),
  signpost.id IN (SELECT id FROM step_mark WHERE trace_id = ?1 AND kind = 'step'),
  signpost.name REGEXP '(?i)DataLoader|data_?load'
FROM signpost JOIN track ON track.id = signpost.track_id
WHERE signpost.id BETWEEN ?2 AND ?3 AND signpost.kind IN ('step', 'range');
