-- tree_rows: the event ?1 first, whatever it is (?2), else roots, those with the most below them
-- first. top: what has depth 0.
WITH root(id, is_out) AS (
  SELECT event.id, ?5 IS category.role
  FROM event JOIN category ON category.id = category_id
  WHERE NOT ?2 AND parent_id IS NULL AND trace_id IN (SELECT trace_id FROM scope)),
top(id) AS (
  SELECT ?1 WHERE ?2
  UNION ALL SELECT id FROM root WHERE NOT is_out
  UNION ALL SELECT below.id FROM root CROSS JOIN descendants(root.id, 1, ?5) AS below WHERE is_out),
walk(id, depth, top) AS (
  SELECT id, 0, id FROM top
  UNION ALL SELECT below.id, below.depth, top.id FROM top CROSS JOIN descendants(top.id, ?3, ?5) AS below WHERE NOT ?4
  UNION ALL SELECT above.id, -row_number() OVER (ORDER BY above.depth), ?1
  FROM ancestors(?1) AS above JOIN event ON event.id = above.id JOIN category ON category.id = category_id
  WHERE ?4 AND category.role IS NOT ?5)
SELECT 'event?trace=' || event.trace_id || '&uid=' || event.uid AS event_key, walk.depth AS depth, walk.id AS id,
  string.text AS name, category.name AS category, event.ts_ns AS ts_ns, event.dur_ns AS dur_ns, event.self_ns AS self_ns,
  (SELECT coalesce(sum(dur_ns), 0) FROM gpu_event WHERE gpu_event.id BETWEEN event.id AND event.last_id) AS gpu_ns,
  (SELECT count(*) FROM gpu_event WHERE gpu_event.id BETWEEN event.id AND event.last_id) AS gpu_events
FROM walk JOIN event ON event.id = walk.id JOIN event AS top ON top.id = walk.top JOIN string ON string.id = event.name_id
JOIN category ON category.id = event.category_id ORDER BY top.id - top.last_id, top.id, iif(?4, -walk.id, walk.id);
