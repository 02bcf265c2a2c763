-- work_rows: GPU activities from ?1 to ?2, with their calls.
SELECT gpu_event.id, gpu_event.track_id, gpu_event.ts_ns, gpu_event.dur_ns, device, stream, bytes, gpu_event.name_id, call.id,
  call.ts_ns, call.correlation
FROM gpu_event
LEFT JOIN event AS call ON call.id = call_id AND coalesce(link_id, 0) NOT IN (SELECT id FROM launch_kind WHERE name = 'time')
WHERE gpu_event.id BETWEEN ?1 AND ?2 ORDER BY gpu_event.id;
