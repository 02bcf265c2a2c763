-- track_rows: A thread of the host that carries marks alone is the same place as the thread.
SELECT track.id, track.kind, track.process, track.thread, track.process_name, track.thread_name, track.process_sort, track.thread_sort,
  EXISTS (SELECT 1 FROM track AS stream WHERE stream.trace_id = ?1 AND stream.kind = 'stream' AND stream.process = track.process),
  (SELECT name FROM device WHERE device.trace_id = ?1 AND CAST(device.ordinal AS TEXT) = track.process LIMIT 1),
  (SELECT format = 'ttmetal' FROM trace WHERE trace.id = ?1), track.process_labels
FROM track WHERE track.trace_id = ?1 ORDER BY track.id;
