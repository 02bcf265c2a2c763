-- The critical path across ranks by profiler step. A step ends when it ends on the last rank.
-- set: multirank
-- question: ranks
-- position: 182
-- unit: run
-- level: step
-- key: step, rank, kind
-- measure: time_ms
-- sample: step
-- when: never
-- empty: no_steps, no_ranks
CREATE VIEW ranks_critical_path_steps AS
WITH step AS (
  SELECT mark.run AS run, mark.trace_id AS trace_id, mark.id AS id, mark.step AS step, mark.ts_ns + mark.dur_ns AS end_ns
  FROM trace_step AS mark
  WHERE mark.kind = 'step'
),
ends_by_mark AS (
  SELECT run, step_id AS id, max(end_ns) AS end_ns
  FROM analysed_work
  WHERE step_id IS NOT NULL
  GROUP BY run, step_id
),
ends AS (
  SELECT step.run AS run, step.trace_id AS trace_id, step.step AS step, max(ends_by_mark.end_ns) AS end_ns
  FROM ends_by_mark
  JOIN step ON step.run = ends_by_mark.run AND step.id = ends_by_mark.id
  GROUP BY step.run, step.trace_id, step.step
  UNION ALL
  SELECT run, trace_id, step, end_ns FROM step
),
common AS (
  SELECT ends.run AS run, ends.step AS step, max(ends.end_ns + clock.shift_ns) AS end_ns
  FROM ends
  JOIN rank_path_clock AS clock ON clock.run = ends.run AND clock.trace_id = ends.trace_id
  GROUP BY ends.run, ends.step
),
cut AS (
  SELECT run AS run, step AS place, CAST(step AS TEXT) AS step, max(end_ns) OVER (PARTITION BY run ORDER BY step) AS to_ns
  FROM common
  UNION ALL
  SELECT run, 9223372036854775807, 'after', end_ns FROM rank_path_graph
),
part AS MATERIALIZED (
  SELECT cut.run AS run, cut.place AS place, cut.step AS step, cut.to_ns AS to_ns,
    coalesce(max(cut.to_ns) OVER (PARTITION BY cut.run ORDER BY cut.place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), graph.begin_ns) AS from_ns
  FROM cut
  JOIN rank_path_graph AS graph ON graph.run = cut.run
),
sums AS (
  SELECT path.run AS run, path.rank AS rank, path.trace_id AS trace_id, part.place AS place, part.step AS step, path.kind AS kind, path.bound_by AS bound_by,
    sum(path.time_ns) AS time_ns, max(part.to_ns - part.from_ns) AS step_ns
  FROM part
  CROSS JOIN rank_path_kind(part.from_ns, part.to_ns) AS path ON path.run = part.run
  GROUP BY path.run, path.rank, path.trace_id, part.place, part.step, path.kind, path.bound_by
)
SELECT
  run AS run, -- [text] name of the run
  step AS step, -- [text] number of the step; after = behind the last step
  rank AS rank, -- [integer] rank of the path segments
  kind AS kind, -- [text] kind of the path segments
  bound_by AS bound_by, -- [text] bound of the path segments
  time_ns / 1000000.0 AS time_ms, -- [ms] (lower) time on the critical path
  time_ns * 100.0 / nullif(step_ns, 0) AS percent -- [%] share of the step
FROM sums
WHERE time_ns > 0
ORDER BY run, place, time_ns DESC, rank, trace_id, kind;
