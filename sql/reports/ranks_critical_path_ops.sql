-- The critical path across ranks by rank and op.
-- set: multirank
-- question: ranks
-- position: 190
-- unit: run
-- key: rank, op, module
-- within: category
-- measure: time_ms, segments
-- when: never
-- drop-empty: module
-- terminal: rank, op, time_ms, percent, segments, category, module
-- empty: no_events, no_ranks
CREATE VIEW ranks_critical_path_ops AS
-- by the ids below them
WITH modules AS MATERIALIZED (
  SELECT interval_list(event.id, event.id + 1, event.below) AS list
  FROM trace
  CROSS JOIN event ON event.id BETWEEN trace.first_event AND trace.last_event
  WHERE trace.id IN (SELECT trace_id FROM scope) AND event.name_id IN (SELECT id FROM string WHERE text GLOB 'nn.Module: *')
),
piece AS MATERIALIZED (
  SELECT path.run AS run, path.rank AS rank, path.to_ns - path.from_ns AS path_ns,
    coalesce(work.cpu_op_id, CASE WHEN event.category_id IN (SELECT id FROM category WHERE role = 'op') THEN event.id END, (
      SELECT id FROM ancestors(path.id) JOIN event AS upper USING (id) WHERE upper.category_id IN (SELECT id FROM category WHERE role = 'op') ORDER BY id DESC LIMIT 1)) AS op_id
  FROM rank_path_segment AS path
  LEFT JOIN event ON event.id = path.id
  LEFT JOIN gpu_event AS work ON work.id = path.id
),
-- of each call of an op
called AS MATERIALIZED (
  SELECT run, rank, op_id, sum(path_ns) AS path_ns, count(*) AS segments
  FROM piece
  GROUP BY run, rank, op_id
),
-- once, and found by an index then
launcher AS MATERIALIZED (SELECT launcher_id, category FROM launcher_work),
named AS (
  SELECT called.run AS run, called.rank AS rank, event.name_id AS name_id, launcher.category AS category,
    (SELECT string.text FROM modules CROSS JOIN event AS upper ON upper.id = interval_innermost(modules.list, called.op_id) JOIN string ON string.id = upper.name_id) AS module,
    called.path_ns AS path_ns, called.segments AS segments
  FROM called
  LEFT JOIN event ON event.id = called.op_id
  LEFT JOIN launcher ON launcher.launcher_id = called.op_id
),
summed AS (
  SELECT run, rank, name_id, max(category) AS category, module, sum(path_ns) AS path_ns, sum(segments) AS segments
  FROM named
  GROUP BY run, rank, name_id, module
)
SELECT
  summed.run AS run, -- [text] name of the run
  summed.rank AS rank, -- [integer] rank of the path segments
  string.text AS op, -- [text] name of the op; empty outside of ops
  summed.category AS category, -- [text] category of the op
  summed.module AS module, -- [text] nn.Module around the op, where recorded
  summed.path_ns / 1000000.0 AS time_ms, -- [ms] (lower) time of the op on the critical path
  summed.path_ns * 100.0 / nullif(sum(summed.path_ns) OVER (PARTITION BY summed.run), 0) AS percent, -- [%] share of the critical path
  summed.segments AS segments -- [integer] number of path segments
FROM summed
LEFT JOIN string ON string.id = summed.name_id
ORDER BY summed.run, summed.path_ns DESC, summed.rank IS NULL, summed.rank, string.text, summed.module;
