-- The critical path by op: host time in the op and its runtime calls, and its GPU time. Ops that
-- are not on the path have a slack: how much later their GPU activities could end.
-- set: pytorch
-- question: steps
-- position: 376
-- key: op, module
-- within: category
-- measure: path_ms, segments
-- when: never
-- drop-empty: module
-- terminal: op, path_ms, percent, host_ms, gpu_time_ms, segments, slack_us, category, module
-- not-included: not_included_handovers
-- empty: no_events
CREATE VIEW critical_path_ops AS
-- by the ids below them
WITH modules AS MATERIALIZED (
  SELECT interval_list(event.id, event.id + 1, event.below) AS list
  FROM trace
  CROSS JOIN event ON event.id BETWEEN trace.first_event AND trace.last_event
  WHERE trace.id IN (SELECT trace_id FROM scope) AND event.name_id IN (SELECT id FROM string WHERE text GLOB 'nn.Module: *')
),
-- by event first: the path of a host has millions of pieces
passed AS (
  SELECT run, trace_id, id, sum(to_ns - from_ns) AS time_ns, count(*) AS segments,
    sum(to_ns - from_ns) FILTER (WHERE bound_by IN ('cpu_bound', 'data_loading') OR kind IN ('computation', 'copy', 'communication', 'transfer')) AS own_ns
  FROM path_segment
  GROUP BY run, trace_id, id
),
piece AS (
  SELECT path.run AS run, path.trace_id AS trace_id, path.time_ns AS path_ns, coalesce(path.own_ns, 0) AS own_ns, path.segments AS segments, work.id AS work_id,
    CASE WHEN work.id IS NOT NULL THEN work.cpu_op_id
      WHEN event.category_id IN (SELECT id FROM category WHERE role = 'op') THEN event.id
      ELSE coalesce((SELECT upper.id FROM event AS upper WHERE upper.id = event.parent_id AND upper.category_id IN (SELECT id FROM category WHERE role = 'op')), (
        SELECT id FROM ancestors(path.id) JOIN event AS upper USING (id) WHERE upper.category_id IN (SELECT id FROM category WHERE role = 'op') ORDER BY id DESC LIMIT 1)) END AS op_id
  FROM passed AS path
  LEFT JOIN event ON event.id = path.id
  LEFT JOIN gpu_event AS work ON work.id = path.id
),
named AS MATERIALIZED (
  SELECT piece.run AS run, piece.trace_id AS trace_id, event.name_id AS name_id,
    (SELECT string.text FROM modules CROSS JOIN event AS upper ON upper.id = interval_innermost(modules.list, piece.op_id) JOIN string ON string.id = upper.name_id) AS module,
    sum(piece.path_ns) AS path_ns, sum(piece.own_ns) FILTER (WHERE piece.work_id IS NOT NULL) AS work_ns,
    sum(piece.own_ns) FILTER (WHERE piece.work_id IS NULL) AS host_ns, sum(piece.segments) AS segments
  FROM piece
  LEFT JOIN event ON event.id = piece.op_id
  GROUP BY piece.run, piece.trace_id, event.name_id, module
),
called AS MATERIALIZED (
  SELECT run, trace_id, parent_name_id AS name_id, max(parent_category) AS category
  FROM launched_work
  GROUP BY run, trace_id, parent_name_id
),
late AS MATERIALIZED (
  SELECT slack.run AS run, slack.trace_id AS trace_id, event.name_id AS name_id, min(slack.slack_ns) AS slack_ns
  FROM path_slack AS slack
  JOIN gpu_event AS work ON work.id = slack.id
  JOIN event ON event.id = work.cpu_op_id
  GROUP BY slack.run, slack.trace_id, event.name_id
),
summed AS (
  SELECT named.run AS run, named.trace_id AS trace_id, named.name_id AS name_id, called.category AS category, named.module AS module,
    named.path_ns AS path_ns, named.work_ns AS work_ns, named.host_ns AS host_ns, named.segments AS segments, CASE WHEN named.name_id IS NOT NULL THEN 0 END AS slack_ns
  FROM named
  LEFT JOIN called ON called.run = named.run AND called.trace_id = named.trace_id AND called.name_id = named.name_id
  UNION ALL
  SELECT run, trace_id, name_id, NULL, NULL, 0, NULL, NULL, 0, slack_ns
  FROM late
  WHERE NOT EXISTS (SELECT 1 FROM named WHERE named.run = late.run AND named.trace_id = late.trace_id AND named.name_id = late.name_id)
)
SELECT
  summed.run AS run, -- [text] name of the run
  summed.trace_id AS trace_id, -- [integer] id of the trace
  string.text AS op, -- [text] name of the op; NULL outside of ops
  summed.category AS category, -- [text] category of the op, by its GPU activities
  summed.module AS module, -- [text] nn.Module around the op, where the trace has modules
  summed.path_ns / 1000000.0 AS path_ms, -- [ms] (lower) time of the op on the critical path, with waits for launches and streams
  coalesce(summed.host_ns, 0) / 1000000.0 AS host_ms, -- [ms] (lower) host time of the op on the critical path
  coalesce(summed.work_ns, 0) / 1000000.0 AS gpu_time_ms, -- [ms] (lower) GPU time of the op on the critical path
  summed.path_ns * 100.0 / nullif(sum(summed.path_ns) OVER (PARTITION BY summed.run, summed.trace_id), 0) AS percent, -- [%] share of the critical path
  summed.segments AS segments, -- [integer] number of critical path segments of the op
  summed.slack_ns / 1000.0 AS slack_us -- [us] minimum slack of the op: the possible delay without a longer total; 0 on the critical path
FROM summed
LEFT JOIN string ON string.id = summed.name_id
ORDER BY summed.run, summed.trace_id, summed.path_ns DESC, string.text, summed.module;
