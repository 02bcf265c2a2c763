-- What did the backward pass run for each op of the forward, and for how long?
WITH linked AS (
  SELECT forward.name_id AS forward_name_id, back.name_id AS back_name_id, forward.id AS forward_id, forward.last_id AS forward_last_id, back.id AS back_id, back.last_id AS back_last_id
  FROM scope
  CROSS JOIN edge ON edge.from_id BETWEEN scope.first_event AND scope.last_event AND edge.kind = 'forward_backward'
  JOIN event AS forward ON forward.id = edge.from_id
  JOIN event AS back ON back.id = edge.to_id
),
timed AS (
  SELECT forward_name_id, back_name_id, (SELECT sum(dur_ns) FROM gpu_event WHERE id BETWEEN forward_id AND forward_last_id) AS forward_ns,
    (SELECT sum(dur_ns) FROM gpu_event WHERE id BETWEEN back_id AND back_last_id) AS back_ns
  FROM linked
)
SELECT forward.text AS forward_op, back.text AS backward_op, count(*) AS links, coalesce(sum(forward_ns), 0) / 1e6 AS forward_ms, coalesce(sum(back_ns), 0) / 1e6 AS backward_ms
FROM timed
JOIN string AS forward ON forward.id = forward_name_id
JOIN string AS back ON back.id = back_name_id
GROUP BY forward.text, back.text
ORDER BY coalesce(sum(forward_ns), 0) + coalesce(sum(back_ns), 0) DESC, forward_op, backward_op
LIMIT 30;
