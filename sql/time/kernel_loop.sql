-- kernels_of_device: Kernels of the device with most of their time.
SELECT coalesce(call_id, work.id), coalesce(call.ts_ns, work.ts_ns), work.ts_ns + work.dur_ns, work.dur_ns, work.name_id
FROM gpu_event AS work LEFT JOIN event AS call ON call.id = call_id
WHERE work.id BETWEEN ?1 AND ?2 AND work.category_id = (SELECT id FROM category WHERE name = 'kernel') AND work.device IS (
  SELECT device
  FROM gpu_event WHERE id BETWEEN ?1 AND ?2 AND category_id = (SELECT id FROM category WHERE name = 'kernel') GROUP BY device
  ORDER BY sum(dur_ns) DESC, device LIMIT 1);

-- touches_of_host: When the host touches a device: copies to and from it, and synchronization.
SELECT coalesce(call.ts_ns, work.ts_ns)
FROM gpu_event AS work JOIN string ON string.id = work.name_id LEFT JOIN event AS call ON call.id = work.call_id
WHERE work.id BETWEEN ?1 AND ?2 AND work.category_id = (SELECT id FROM category WHERE name = 'gpu_memcpy') AND string.text REGEXP
  '(?i)HtoD|DtoH|HostToDevice|DeviceToHost|HOST_TO_DEV|DEVICE_TO_HOST'
UNION ALL SELECT ts_ns
FROM event
WHERE id BETWEEN ?1 AND ?2 AND name_id IN (
  SELECT string.id
  FROM call_kind JOIN string ON string.text = call_kind.name WHERE call_kind.kind IN ('device_sync', 'stream_sync', 'event_sync'));
