-- Outermost ops with recorded shapes, longest first, with the ops that they call.
-- set: multirank
-- question: ops
-- position: 200
-- key: name, root
-- within: rank, uid
-- measure: duration_ms, calls
-- unit: run
-- when: never
-- empty: no_shapes
CREATE VIEW ops_with_shapes AS
WITH shaped AS MATERIALIZED (
  SELECT scope.run AS run, scope.trace_id AS trace_id, event.id AS id, event.last_id AS last_id, event.parent_id AS parent_id, event.uid AS uid, event.name_id AS name_id, event.ts_ns AS ts_ns, event.dur_ns AS dur_ns,
    max(event.last_id) OVER (PARTITION BY scope.run, scope.trace_id ORDER BY event.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS covered_to
  FROM scope
  CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
  JOIN op ON op.id = event.op_id
  WHERE op.dims_id IS NOT NULL
),
outer_call AS MATERIALIZED (
  SELECT run, trace_id, id, last_id, parent_id, uid, name_id, ts_ns, dur_ns FROM shaped WHERE covered_to IS NULL OR covered_to < id
),
grouped AS (
  SELECT run, trace_id, name_id,
    CASE WHEN NOT (SELECT tpq_like_reference('calls: the first ones')) THEN value_at_least(id, ts_ns) ELSE min(id) END AS id,
    CASE WHEN NOT (SELECT tpq_like_reference('calls: the first ones')) THEN value_at_least(uid, ts_ns) ELSE min(uid) END AS uid,
    min(ts_ns) AS first_ns, count(*) AS calls, sum(dur_ns) AS dur_ns
  FROM outer_call
  GROUP BY run, trace_id, name_id
),
child AS (
  SELECT grouped.run AS run, grouped.id AS id, string.text AS name, sum(event.dur_ns) AS dur_ns
  FROM grouped
  JOIN outer_call ON outer_call.run = grouped.run AND outer_call.trace_id = grouped.trace_id AND outer_call.name_id = grouped.name_id
  CROSS JOIN event ON event.id BETWEEN outer_call.id + 1 AND outer_call.last_id AND +event.parent_id = outer_call.id
  JOIN string ON string.id = event.name_id
  GROUP BY grouped.run, grouped.id, string.text
),
children AS (
  SELECT run, id, group_concat(name, ', ') AS names, sum(dur_ns) AS dur_ns
  FROM child
  GROUP BY run, id
)
SELECT
  grouped.run AS run, -- [text] name of the run
  run_rank.label AS rank, -- [label] number of the rank
  coalesce((SELECT string.text FROM ancestors(grouped.id) AS above JOIN event ON event.id = above.id JOIN string ON string.id = event.name_id ORDER BY above.depth DESC LIMIT 1), 'nothing') AS root, -- [text] outermost event around the first call
  string.text AS name, -- [text] name of the op
  grouped.uid AS uid, -- "UID" [integer] position of the first call in the file
  grouped.calls AS calls, -- [integer] number of calls of the op
  grouped.dur_ns / 1e6 AS duration_ms, -- (lower) CPU time of all calls
  children.names AS children, -- [text] names of the direct child ops
  children.dur_ns / 1e6 AS children_ms -- CPU time of the direct child ops
FROM grouped
JOIN run_rank ON run_rank.run = grouped.run AND run_rank.trace_id = grouped.trace_id
JOIN string ON string.id = grouped.name_id
LEFT JOIN children ON children.run = grouped.run AND children.id = grouped.id
ORDER BY grouped.run, run_rank.place, grouped.dur_ns DESC, CASE WHEN NOT (SELECT tpq_like_reference('calls: the first ones')) THEN grouped.first_ns END, grouped.uid;
