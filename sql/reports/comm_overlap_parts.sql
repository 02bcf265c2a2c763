-- Exposed and overlapped communication by process group and by profiler step. A process group is
-- compared with all computation, a step with the computation of the step.
-- set: pytorch
-- question: communication
-- position: 305
-- key: part, name
-- when: never
-- not-included: not_included_memcpy
-- empty: no_communication
CREATE VIEW comm_overlap_parts AS
WITH work AS MATERIALIZED (
  SELECT work.run AS run, work.trace_id AS trace_id, work.kind AS kind, work.ts_ns AS ts_ns, work.dur_ns AS dur_ns,
    stated.group_name AS group_name, work.step_id AS step_id
  FROM analysed_work AS work
  LEFT JOIN collective_stated AS stated ON stated.id = work.id AND work.kind = 'communication'
  WHERE work.kind <> 'memory'
),
groups AS MATERIALIZED (
  SELECT DISTINCT run, trace_id, group_name
  FROM work
  WHERE kind = 'communication' AND group_name IS NOT NULL
),
steps AS MATERIALIZED (
  SELECT run, trace_id, id, step FROM trace_step
),
parts AS (
  SELECT groups.run AS run, groups.trace_id AS trace_id, 0 AS place, 'group' AS part, groups.group_name AS name,
    interval_union_ns(work.ts_ns, work.dur_ns) FILTER (WHERE work.kind = 'communication') AS communication_ns,
    interval_difference_ns(work.ts_ns, work.dur_ns, work.kind = 'computation') AS exposed_ns
  FROM groups
  JOIN work ON work.run = groups.run AND work.trace_id = groups.trace_id AND (work.kind = 'computation' OR work.group_name = groups.group_name)
  GROUP BY groups.run, groups.trace_id, groups.group_name
  UNION ALL
  SELECT work.run, work.trace_id, 1 + step.step, 'step', CAST(step.step AS TEXT),
    interval_union_ns(work.ts_ns, work.dur_ns) FILTER (WHERE work.kind = 'communication'),
    interval_difference_ns(work.ts_ns, work.dur_ns, work.kind = 'computation')
  FROM work
  JOIN steps AS step ON step.run = work.run AND step.trace_id = work.trace_id AND step.id = work.step_id
  GROUP BY work.run, work.trace_id, step.step
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  part AS part, -- [text] kind of part: group (process group) or step
  name AS name, -- [text] name of the process group, or number of the step
  communication_ns / 1000000.0 AS communication_ms, -- [ms] (lower) communication time (union) of the part
  exposed_ns / 1000000.0 AS exposed_ms, -- [ms] (lower) exposed communication time of the part: no computation ran
  (communication_ns - exposed_ns) / 1000000.0 AS overlap_ms, -- [ms] (higher) overlapped communication time of the part: computation ran, too
  (communication_ns - exposed_ns) * 100.0 / nullif(communication_ns, 0) AS overlap_percent -- [%] (higher) overlapped share of the part's communication time
FROM parts
ORDER BY run, trace_id, place, name;
