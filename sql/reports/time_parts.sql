-- Step time by part: compute, exposed communication, exposed memcpy, idle. The parts of a step add
-- up to its time. Rows without a step cover the time from the first start to the last end of GPU
-- activities. The part of idle time is the first that holds. data loading is under ranges and ops
-- of a data loader; next is before the first kernel. allocator is under calls that allocate or free
-- memory, synchronization under calls that wait. launch-bound ends with an activity that was
-- launched after the gap began; other is the rest.
-- set: pytorch
-- question: steps first
-- words: slower, regression, breakdown
-- position: 225
-- without-ops: 45, rocprof 45, pftrace 45
-- key: step, part
-- measure: time_ns
-- when: never
-- chart: bar part time_ns
-- empty: no_work
CREATE VIEW time_parts AS
WITH work AS MATERIALIZED (
  SELECT run, trace_id, ts_ns, dur_ns, CASE class WHEN 'computation' THEN 1 WHEN 'memcpy' THEN 3 ELSE iif(class IS NULL, 4, 2) END AS layer
  FROM timeline_work
  WHERE dur_ns >= 0
),
marked AS MATERIALIZED (
  SELECT scope.run AS run, scope.trace_id AS trace_id, step_mark.step AS step, step_mark.kind AS kind, step_mark.ts_ns AS ts_ns, step_mark.dur_ns AS dur_ns
  FROM scope
  CROSS JOIN step_mark ON step_mark.trace_id = scope.trace_id AND step_mark.id BETWEEN scope.first_event AND scope.last_event
  WHERE step_mark.step IS NOT NULL
),
step_window AS MATERIALIZED (
  SELECT row_number() OVER () AS id, run, trace_id, step, min(ts_ns) AS ts_ns, max(ts_ns + dur_ns) - min(ts_ns) AS dur_ns
  FROM marked
  WHERE kind = 'step' OR (run, trace_id) NOT IN (SELECT run, trace_id FROM marked WHERE kind = 'step')
  GROUP BY run, trace_id, step
),
whole AS MATERIALIZED (
  SELECT run, trace_id, min(ts_ns) AS ts_ns, max(ts_ns + dur_ns) - min(ts_ns) AS dur_ns, min(ts_ns) FILTER (WHERE layer = 1) AS first_ns
  FROM work
  GROUP BY run, trace_id
),
steps AS MATERIALIZED (
  SELECT run, trace_id, interval_list(id, ts_ns, dur_ns) AS list FROM step_window GROUP BY run, trace_id
),
-- calls that wait or have to do with memory, and ops and ranges that load data
host_name AS MATERIALIZED (
  SELECT string.id AS name_id, 'call' AS role, CASE advice_name.mark WHEN 'allocation' THEN 7 ELSE 8 END AS layer
  FROM advice_name JOIN string ON string.text REGEXP advice_name.pattern
  WHERE advice_name.subject = 'call' AND advice_name.mark IN ('allocation', 'wait', 'blocking copy')
  UNION
  SELECT string.id, 'op', 5
  FROM advice_name JOIN string ON string.text REGEXP advice_name.pattern
  WHERE advice_name.mark = 'data loading'
),
host AS (
  SELECT scope.run AS run, scope.trace_id AS trace_id, event.ts_ns AS ts_ns, event.dur_ns AS dur_ns, host_name.layer AS layer
  FROM scope
  CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
  JOIN host_name ON host_name.name_id = event.name_id AND host_name.role = (SELECT category.role FROM category WHERE category.id = event.category_id)
  WHERE event.name_id IN (SELECT name_id FROM host_name)
  UNION ALL
  SELECT mark.run, mark.trace_id, mark.ts_ns, mark.dur_ns, 5
  FROM trace_mark AS mark
  CROSS JOIN event ON event.id = mark.id
  WHERE mark.kind = 'range' AND event.name_id IN (SELECT name_id FROM host_name WHERE layer = 5)
),
-- what covers a layer hides those with greater numbers
cover AS MATERIALIZED (
  SELECT row_number() OVER () AS id, run, trace_id, layer, ts_ns, dur_ns
  FROM (
    SELECT run, trace_id, layer, ts_ns, dur_ns FROM work
    UNION ALL SELECT run, trace_id, layer, ts_ns, dur_ns FROM host WHERE dur_ns > 0
    UNION ALL SELECT whole.run, whole.trace_id, 6, min(whole.ts_ns, coalesce(min(step_window.ts_ns), whole.ts_ns)), first_ns - min(whole.ts_ns, coalesce(min(step_window.ts_ns), whole.ts_ns))
      FROM whole LEFT JOIN step_window ON step_window.run = whole.run AND step_window.trace_id = whole.trace_id
      WHERE first_ns IS NOT NULL GROUP BY whole.run, whole.trace_id
    UNION ALL SELECT run, trace_id, 9, until_ns, ts_ns - until_ns FROM analysed_work WHERE idle_cause = 'launch-bound'
  )
),
-- what may reach into another step than that in which it begins
crossing AS MATERIALIZED (
  SELECT cover.id AS id, cover.run AS run, cover.trace_id AS trace_id, cover.layer AS layer, cover.ts_ns AS ts_ns, cover.dur_ns AS dur_ns
  FROM cover
  JOIN steps ON steps.run = cover.run AND steps.trace_id = cover.trace_id
  WHERE interval_open(steps.list, cover.ts_ns) IS NOT interval_open(steps.list, cover.ts_ns + cover.dur_ns)
    OR cover.dur_ns >= (SELECT min(step_window.dur_ns) FROM step_window)
),
crossings AS MATERIALIZED (
  SELECT run, trace_id, interval_list(id, ts_ns, dur_ns) AS list FROM crossing GROUP BY run, trace_id
),
-- what begins in a step, and what is open when it begins
met AS (
  SELECT CAST(open.value AS INTEGER) AS step_id, cover.layer AS layer, cover.ts_ns AS ts_ns, cover.dur_ns AS dur_ns
  FROM cover
  JOIN steps ON steps.run = cover.run AND steps.trace_id = cover.trace_id
  CROSS JOIN json_each(interval_open(steps.list, cover.ts_ns)) AS open
  UNION ALL
  SELECT step_window.id, crossing.layer, crossing.ts_ns, crossing.dur_ns
  FROM step_window
  JOIN crossings ON crossings.run = step_window.run AND crossings.trace_id = step_window.trace_id
  CROSS JOIN json_each(interval_open(crossings.list, step_window.ts_ns)) AS open
  JOIN crossing ON crossing.id = open.value
  UNION ALL SELECT id, 10, ts_ns, dur_ns FROM step_window
),
clipped AS (
  SELECT window.id AS window_id, met.layer AS layer, max(met.ts_ns, window.ts_ns) AS ts_ns, min(met.ts_ns + met.dur_ns, window.ts_ns + window.dur_ns) - max(met.ts_ns, window.ts_ns) AS dur_ns
  FROM met
  JOIN step_window AS window ON window.id = met.step_id
),
clipped_whole AS (
  SELECT whole.run AS run, whole.trace_id AS trace_id, whole.dur_ns AS window_ns, cover.layer AS layer,
    max(cover.ts_ns, whole.ts_ns) AS ts_ns, min(cover.ts_ns + cover.dur_ns, whole.ts_ns + whole.dur_ns) - max(cover.ts_ns, whole.ts_ns) AS dur_ns
  FROM cover
  CROSS JOIN whole ON whole.run = cover.run AND whole.trace_id = cover.trace_id
  UNION ALL SELECT run, trace_id, dur_ns, 10, ts_ns, dur_ns FROM whole
),
step_sums AS (
  SELECT window_id, interval_layers(ts_ns, dur_ns, layer) AS layers
  FROM clipped
  GROUP BY window_id
),
sums AS (
  SELECT run, trace_id, NULL AS step, window_ns, interval_layers(ts_ns, dur_ns, layer) AS layers
  FROM clipped_whole
  GROUP BY run, trace_id
  UNION ALL
  SELECT window.run, window.trace_id, window.step, window.dur_ns, layers
  FROM step_sums
  JOIN step_window AS window ON window.id = step_sums.window_id
),
kind (layer, part) AS (
  VALUES (1, 'computation'), (2, 'exposed communication'), (3, 'exposed memcpy'), (4, 'other GPU activity'), (5, 'idle: data loading'),
    (6, 'idle: before the first kernel'), (7, 'idle: allocator'), (8, 'idle: synchronization'), (9, 'idle: launch-bound'), (10, 'idle: other')
),
parts AS (
  SELECT run, trace_id, step, window_ns, layer, part, own.value AS ns
  FROM sums CROSS JOIN json_each(layers) AS own JOIN kind ON kind.layer = own.key
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  step AS step, -- [integer] number of the step; NULL of all the time with GPU activities
  part AS part, -- [text] part of the step time: computation, exposed communication, exposed memcpy, other GPU activity, or idle with its cause
  ns AS time_ns, -- [ns] (lower) time of the part
  ns * 100.0 / nullif(window_ns, 0) AS percent -- [%] share of the time of the step
FROM parts
WHERE ns > 0
ORDER BY run, trace_id, step IS NOT NULL, step, layer;
