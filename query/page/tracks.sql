-- work_of_trace: GPU activities of trace ?4 from event ?2 to ?3, track by track.
SELECT work.id, work.track_id, work.ts_ns, work.dur_ns, work.name_id, work.category_id, event.op_id, work.args_id, work.uid, work.call_id
FROM scope CROSS JOIN gpu_event AS work ON work.id BETWEEN max(first_event, ?2) AND min(last_event, ?3)
CROSS JOIN event ON event.id = work.id WHERE scope.trace_id = ?4 ORDER BY work.track_id, work.ts_ns, work.dur_ns DESC, work.id;

-- all_edges: Links between events, as steps between their ids, without arrows that repeat them.
SELECT json_group_array(json_array(step, reach, kind))
FROM (
  SELECT from_id - lag(from_id, 1, 0) OVER (ORDER BY from_id, to_id) AS step, to_id - from_id AS reach, kind
  FROM edge
  WHERE trace_id IN (SELECT trace_id FROM scope) AND
    (kind <> 'flow' OR NOT EXISTS (SELECT 1 FROM edge AS same WHERE same.from_id = edge.from_id AND same.kind <> 'flow'))
  ORDER BY from_id, to_id);

-- collective_parts: Calls of each collective, longest common time first, and its place among all.
WITH part AS (
  SELECT run, collective, id, wait_ns IS NULL AS is_alone, row_number() OVER
    (PARTITION BY run, collective ORDER BY common_ns DESC, rank DESC, id) AS nth, count(*) OVER (PARTITION BY run, collective) AS parts,
    min(common_ns) OVER (PARTITION BY run, collective, wait_ns IS NULL) AS first_ns
  FROM collective_call),
  numbered AS (
  SELECT run, collective, nth, id, CASE WHEN NOT is_alone THEN dense_rank() OVER (PARTITION BY run, is_alone ORDER BY first_ns, collective)
    - 1 END AS place
  FROM part WHERE parts > 1 ORDER BY run, collective, nth)
SELECT '[' || coalesce(group_concat(list), '') || ']'
FROM (
  SELECT '[' || coalesce(max(CASE nth WHEN 1 THEN place END), 'null') || ',' || group_concat(id) || ']' AS list
  FROM numbered GROUP BY run, collective ORDER BY run, collective);

-- names_of_slices: A name, and what kind of slice is called so: that of GPU activities as timelines have it.
SELECT string.text, CASE category.role WHEN 'gpu' THEN coalesce(kernel_class('timeline', ?2, ?1), 'computation') ELSE category.role END,
  CASE WHEN category.role = 'gpu' THEN kernel_short_name(string.text) END
FROM string JOIN category ON category.id = ?2 WHERE string.id = ?1;

-- signatures_of_ops: Signature of a call.
SELECT dims.text, types.text, concrete.text
FROM op LEFT JOIN string AS dims ON dims.id = op.dims_id LEFT JOIN string AS types ON types.id = op.types_id
LEFT JOIN string AS concrete ON concrete.id = op.concrete_id
WHERE op.id = ?1;
