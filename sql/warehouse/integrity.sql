-- gpu_activities: Rows of gpu_event repeat those of event.
SELECT format('gpu_event %d differs from its event', g.id)
FROM gpu_event AS g LEFT JOIN event AS e ON e.id = g.id
WHERE e.id IS NULL OR e.trace_id <> g.trace_id OR e.category_id <> g.category_id OR e.name_id <> g.name_id OR e.track_id <> g.track_id OR
  e.ts_ns <> g.ts_ns OR e.dur_ns <> g.dur_ns OR e.args_id IS NOT g.args_id OR e.correlation IS NOT g.correlation OR e.uid <> g.uid OR (
    e.parent_id IS NOT g.call_id AND (e.parent_id IS NOT g.launcher_id OR (
      SELECT launcher.parent_id FROM event AS launcher WHERE launcher.id = g.launcher_id) IS NOT g.call_id))
UNION ALL SELECT format('event %d has no gpu_event', id)
FROM event
WHERE category_id IN (SELECT id FROM category WHERE role = 'gpu') AND NOT EXISTS (SELECT * FROM gpu_event WHERE gpu_event.id = event.id);

-- events_outside: More or fewer events than those of traces.
SELECT format('%d events', count(*) - (SELECT coalesce(sum(last_event - first_event + 1), 0) FROM trace))
FROM event HAVING count(*) <> (SELECT coalesce(sum(last_event - first_event + 1), 0) FROM trace);

-- tracks_outside: Tracks lie in the events of their traces.
SELECT format('track %d: its events are not those of trace %d', track.id, trace.id)
FROM track JOIN trace ON trace.id = track.trace_id
WHERE track.last_event >= track.first_event AND (track.first_event < trace.first_event OR track.last_event > trace.last_event);
