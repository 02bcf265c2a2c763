-- Whether the reports on ops include all GPU activities, held against the timeline and the trace.
-- Collectives are not included on either side; unlinked_kernels lists unlinked GPU activities.
-- set: pytorch
-- question: raw
-- position: 295
-- key: subject
-- measure: found
-- when: never
-- empty: no_work
CREATE VIEW report_check AS
WITH launched AS (
  SELECT run, trace_id, sum(direct_ns) / 1000000.0 AS time_ms, sum(kernel_count) AS pieces
  FROM launcher_work
  GROUP BY run, trace_id
),
collected AS (
  SELECT run, trace_id, round(sum(kernel_us) / 1000.0, 6) AS time_ms
  FROM collected_row
  GROUP BY run, trace_id
),
computed AS (
  SELECT run, trace_id, sum(computation_ns) / 1000000.0 AS time_ms
  FROM timeline_sum
  GROUP BY run, trace_id
),
work AS (
  SELECT scope.run AS run, scope.trace_id AS trace_id, count(*) AS pieces
  FROM scope
  CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
  WHERE kernel_class('collective', gpu_event.category_id, gpu_event.name_id) IS NULL
  GROUP BY scope.run, scope.trace_id
),
held AS (
  SELECT computed.run AS run, computed.trace_id AS trace_id, 1 AS position, 'time of launchers, ms, at least that of computation' AS subject,
    computed.time_ms AS expected, coalesce(launched.time_ms, 0) AS found
  FROM computed
  LEFT JOIN launched ON launched.run = computed.run AND launched.trace_id = computed.trace_id
  UNION ALL
  SELECT computed.run, computed.trace_id, 2, 'time of collected calls, ms, at least that of computation',
    computed.time_ms, coalesce(collected.time_ms, 0)
  FROM computed
  LEFT JOIN collected ON collected.run = computed.run AND collected.trace_id = computed.trace_id
  UNION ALL
  SELECT work.run, work.trace_id, 3, 'GPU events of launchers, all that the trace has',
    work.pieces, coalesce(launched.pieces, 0)
  FROM work
  LEFT JOIN launched ON launched.run = work.run AND launched.trace_id = work.trace_id
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  subject AS subject, -- [text] subject of the comparison
  CAST(expected AS REAL) AS expected, -- [real] expected value, from the timeline or the trace
  CAST(found AS REAL) AS found, -- [real] found value, from the reports
  found >= expected * (1 - 1e-9) AS is_whole -- [boolean] whether the reports have all of the expected value
FROM held
ORDER BY run, trace_id, position;
