-- The critical path of the selection by profiler step. The time of a step is its period, also where
-- the GPU is steps behind the host.
-- set: pytorch
-- question: steps
-- position: 372
-- level: step
-- key: step, kind
-- measure: time_ms
-- sample: step
-- when: never
-- not-included: not_included_handovers
-- empty: no_steps
CREATE VIEW critical_path_steps AS
WITH step AS (
  SELECT mark.run AS run, mark.trace_id AS trace_id, mark.id AS id, mark.step AS step, mark.ts_ns AS ts_ns, mark.ts_ns + mark.dur_ns AS end_ns
  FROM trace_step AS mark
  WHERE mark.kind = 'step'
),
ends AS (
  SELECT run, step_id AS id, max(end_ns) AS end_ns
  FROM analysed_work
  WHERE step_id IS NOT NULL
  GROUP BY run, step_id
),
cut AS (
  SELECT step.run AS run, step.trace_id AS trace_id, step.ts_ns AS ts_ns, CAST(step.step AS TEXT) AS step,
    max(max(step.end_ns, coalesce(ends.end_ns, step.end_ns))) OVER (PARTITION BY step.run, step.trace_id ORDER BY step.ts_ns, step.id) AS to_ns
  FROM step
  LEFT JOIN ends ON ends.run = step.run AND ends.id = step.id
  UNION ALL
  SELECT run, trace_id, 9223372036854775807, 'after', max(to_ns)
  FROM path_segment
  GROUP BY run, trace_id
),
part AS MATERIALIZED (
  SELECT cut.run AS run, cut.trace_id AS trace_id, cut.ts_ns AS ts_ns, cut.step AS step, cut.to_ns AS to_ns,
    coalesce(max(cut.to_ns) OVER (PARTITION BY cut.run, cut.trace_id ORDER BY cut.ts_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), graph.begin_ns) AS from_ns
  FROM cut
  JOIN path_graph AS graph ON graph.run = cut.run AND graph.trace_id = cut.trace_id
),
sums AS (
  SELECT path.run AS run, path.trace_id AS trace_id, part.ts_ns AS ts_ns, part.step AS step, path.kind AS kind, path.bound_by AS bound_by,
    sum(path.time_ns) AS time_ns, max(part.to_ns - part.from_ns) AS step_ns
  FROM part
  CROSS JOIN path_kind(part.from_ns, part.to_ns) AS path ON path.run = part.run AND path.trace_id = part.trace_id
  GROUP BY path.run, path.trace_id, part.ts_ns, part.step, path.kind, path.bound_by
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  step AS step, -- [text] number of the step; after = behind the last step
  kind AS kind, -- [text] kind of time of the row
  bound_by AS bound_by, -- [text] resource that bounds the path in this kind of time
  time_ns / 1000000.0 AS time_ms, -- [ms] (lower) time on the critical path in the step
  time_ns * 100.0 / nullif(step_ns, 0) AS percent -- [%] share of the step's time on the critical path
FROM sums
WHERE time_ns > 0
ORDER BY run, trace_id, ts_ns, time_ns DESC, kind;
