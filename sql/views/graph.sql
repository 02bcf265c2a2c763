-- Annotations of graph nodes for the selected traces: those of --graph-annotations, else those of the
-- ingest. A file is for the
-- rank in its name; one without is for the others.
CREATE VIEW graph_note AS
WITH file AS MATERIALIZED (
  SELECT coalesce(arg(value, 'rank'), -1) AS rank, arg(value, 'notes') AS notes FROM json_each(tpq_option('graph-annotations'))
),
chosen AS MATERIALIZED (
  SELECT DISTINCT scope.run AS run, scope.trace_id AS trace_id,
    CASE WHEN trace.rank IN (SELECT rank FROM file) THEN trace.rank
      WHEN trace.rank IS NULL AND (SELECT count(*) FROM file) = 1 THEN (SELECT rank FROM file)
      ELSE -1 END AS rank
  FROM scope
  JOIN trace ON trace.id = scope.trace_id
)
SELECT
  chosen.run AS run, -- name of the run
  chosen.trace_id AS trace_id, -- id of the trace
  note.key AS node_id, -- id of the graph node, decimal
  nullif(substr(note.value, 1, instr(note.value, char(10)) - 1), '') AS module, -- qualified name of the nn.Module that captured the node
  nullif(substr(note.value, instr(note.value, char(10)) + 1), '') AS op -- name that the annotation gives the node
FROM chosen
CROSS JOIN file ON file.rank = chosen.rank
CROSS JOIN json_each(file.notes) AS note
UNION ALL
SELECT chosen.run, stored.trace_id, stored.node_id, stored.module, stored.op
FROM chosen
CROSS JOIN graph_annotation AS stored ON stored.trace_id = chosen.trace_id
WHERE tpq_option('graph-annotations') IS NULL;

-- Selected traces that may have graph nodes: something launches graphs, or a launch was not recorded.
CREATE VIEW graph_possible AS
SELECT DISTINCT
  scope.run AS run, -- name of the run
  scope.trace_id AS trace_id -- id of the trace
FROM scope
WHERE EXISTS (SELECT 1 FROM graph_call)
  OR EXISTS (SELECT 1 FROM ingest_note AS note WHERE note.trace_id = scope.trace_id AND note.kind = 'gpu_without_launch');

-- GPU activities of CUDA graph nodes, as recorded.
CREATE VIEW graph_node_recorded AS
WITH listed AS MATERIALIZED (
  SELECT DISTINCT gpu_event.args_id AS args_id
  FROM graph_possible AS possible
  CROSS JOIN scope ON scope.trace_id = possible.trace_id
  CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
  WHERE gpu_event.args_id IS NOT NULL
),
-- ids have up to 64 bits: their digits are taken as they stand
cut AS (
  SELECT args.id AS args_id, args.json AS json, ltrim(substr(args.json, instr(args.json, '"graph node id":') + 16), '"') AS rest
  FROM listed
  CROSS JOIN args ON args.id = listed.args_id
  WHERE instr(args.json, '"graph node id":') > 0
),
node AS MATERIALIZED (
  SELECT args_id, CAST(arg(json, 'graph id') AS INTEGER) AS graph_id, ltrim(substr(rest, 1, length(rest) - length(ltrim(rest, '0123456789-'))), '0') AS node_id,
    arg(json, 'module_fqn') AS module, arg(json, 'name') AS op
  FROM cut
)
SELECT
  scope.run AS run, -- name of the run
  scope.trace_id AS trace_id, -- id of the trace
  work.id AS id, -- id of the GPU activity
  work.name_id AS name_id, -- id of the name of the GPU activity
  work.ts_ns AS ts_ns, -- start of the GPU activity, from the start of the trace
  work.dur_ns AS dur_ns, -- duration of the GPU activity
  work.call_id AS call_id, -- id of the launching runtime call
  work.launcher_id AS launcher_id, -- id of the op around the call, else of the call
  node.graph_id AS graph_id, -- id of the graph
  node.node_id AS node_id, -- id of the graph node, decimal
  node.module AS module, -- qualified name of the nn.Module, as the activity states it
  node.op AS op -- name of the op, as the activity states it
FROM scope
CROSS JOIN gpu_event AS work ON work.id BETWEEN scope.first_event AND scope.last_event
CROSS JOIN node ON node.args_id = work.args_id AND node.node_id <> '';

-- GPU activities of graph nodes, with the module and op that their node captured.
-- columns-of: graph_node_recorded
CREATE VIEW graph_node_work AS
WITH RECURSIVE work AS MATERIALIZED (
  SELECT run, trace_id, id, name_id, ts_ns, dur_ns, call_id, launcher_id, graph_id, node_id, module, op FROM graph_node_recorded
),
note AS MATERIALIZED (SELECT trace_id, node_id, module, op FROM graph_note WHERE node_id IN (SELECT node_id FROM work)),
-- of nodes that neither names: what stands between the launch and the work in the call tree is from a
-- capture trace or from the table of nodes
bare AS (
  SELECT trace_id, node_id, min(id) AS id
  FROM work
  WHERE coalesce(module, op) IS NULL AND (trace_id, node_id) NOT IN (SELECT trace_id, node_id FROM note)
  GROUP BY trace_id, node_id
),
up(trace_id, node_id, id, above_id, name_id, category_id) AS (
  SELECT bare.trace_id, bare.node_id, event.id, event.parent_id, event.name_id, event.category_id FROM bare CROSS JOIN event ON event.id = bare.id
  UNION ALL
  SELECT up.trace_id, up.node_id, event.id, event.parent_id, event.name_id, event.category_id
  FROM up
  CROSS JOIN event ON event.id = up.above_id
  WHERE up.name_id NOT IN (SELECT id FROM graph_call)
),
tree AS MATERIALIZED (
  SELECT up.trace_id AS trace_id, up.node_id AS node_id, iif(trace.format = 'nsys', 'nodes', 'capture') AS source,
    value_at_least(substr(string.text, 12), -up.id) FILTER (WHERE category.role = 'frame' AND string.text LIKE 'nn.Module: %') AS module,
    value_at_least(string.text, -up.id) FILTER (WHERE category.role = 'op') AS op
  FROM up
  CROSS JOIN trace ON trace.id = up.trace_id
  CROSS JOIN string ON string.id = up.name_id
  CROSS JOIN category ON category.id = up.category_id
  GROUP BY up.trace_id, up.node_id, trace.format
  HAVING max(up.name_id IN (SELECT id FROM graph_call))
)
SELECT
  work.run, work.trace_id, work.id, work.name_id, work.ts_ns, work.dur_ns, work.call_id, work.launcher_id, work.graph_id, work.node_id,
  iif(note.node_id IS NOT NULL, note.module, coalesce(work.module, tree.module)) AS module, -- qualified name of the nn.Module that captured the node
  iif(note.node_id IS NOT NULL, note.op, coalesce(work.op, tree.op)) AS op, -- name of the op that captured the node
  CASE WHEN note.node_id IS NOT NULL THEN 'file' WHEN coalesce(work.module, work.op) IS NOT NULL THEN 'kernel' WHEN coalesce(tree.module, tree.op) IS NOT NULL THEN tree.source END AS source -- source of module and op: file (annotations), kernel (its own arguments), capture (capture trace) or nodes (table of graph nodes)
FROM work
LEFT JOIN note ON note.trace_id = work.trace_id AND note.node_id = work.node_id
LEFT JOIN tree ON tree.trace_id = work.trace_id AND tree.node_id = work.node_id;

-- GPU activities below graph launches whose op or module is annotated: they are no work of the
-- launch.
CREATE VIEW graph_replayed AS
SELECT
  work.run AS run, -- name of the run
  work.trace_id AS trace_id, -- id of the trace
  work.id AS id, -- id of the GPU activity
  work.ts_ns AS ts_ns, -- start of the GPU activity, from the start of the trace
  work.dur_ns AS dur_ns, -- duration of the GPU activity
  work.call_id AS call_id, -- id of the graph launch
  work.launcher_id AS launcher_id, -- id of the op around the graph launch, else of the graph launch
  work.module AS module, -- qualified name of the nn.Module that captured the node
  work.op AS op, -- name of the op that captured the node
  work.source AS source -- source of module and op: file (annotations) or kernel (its own arguments)
FROM graph_node_work AS work
CROSS JOIN event AS call ON call.id = work.call_id
WHERE call.name_id IN (SELECT id FROM graph_call) AND work.source IN ('file', 'kernel') AND NOT tpq_like_reference('reports: annotated graph nodes');
