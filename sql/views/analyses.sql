-- Basis of analyses of waiting: work with its call, whatever --compat sees.

-- Every call that launched work, with the work that started first.
CREATE VIEW first_work AS
SELECT
  run AS run, -- name of the run
  trace_id AS trace_id, -- id of the trace
  id AS id, -- id of the GPU activity
  name_id AS name_id, -- name of the GPU activity
  device AS device, -- number of the device
  ts_ns AS ts_ns, -- start of the GPU activity, from the start of the trace
  dur_ns AS dur_ns, -- duration of the GPU activity
  call_id AS call_id, -- id of the runtime call
  call_name_id AS call_name_id, -- name of the runtime call
  call_track_id AS call_track_id, -- thread of the runtime call
  call_ts_ns AS call_ts_ns, -- start of the runtime call, from the start of the trace
  call_end_ns AS call_end_ns -- end of the runtime call, from the start of the trace
FROM analysed_work
WHERE is_first;

-- Ranges of event ids that have the GPU activities of the selected time, whoever launched them: where
-- windows are chosen all that is selected but for these, else scope.
CREATE VIEW window_scope AS
SELECT
  run AS run, -- name of the run
  trace_id AS trace_id, -- id of the trace
  first_event AS first_event, -- first event id of the range
  last_event AS last_event, -- last event id of the range
  is_recompute AS is_recompute -- whether the range recomputes activations; NULL when that was not asked for
FROM scope
WHERE trace_id NOT IN (SELECT trace_id FROM scope_time)
UNION ALL
SELECT run, trace_id, first_event, last_event, is_recompute FROM scope_around WHERE trace_id IN (SELECT trace_id FROM scope_time);

-- Ledger of the selected windows, a row a trace that has some.
CREATE VIEW window_ledger AS
SELECT
  base.run AS run, -- name of the run
  base.trace_id AS trace_id, -- id of the trace
  base.from_ns AS from_ns, -- start of the first window, from the start of the trace
  base.until_ns AS until_ns, -- end of the last window, from the start of the trace
  base.length_ns / 1000000.0 AS length_ms, -- duration of the windows
  base.works AS activities, -- number of GPU activities with a part in the windows
  base.cut AS cut, -- number of GPU activities that cross a border of the windows
  base.cut_ns / 1000000.0 AS cut_ms, -- time outside of the GPU activities that cross a border
  base.launched AS launched, -- number of GPU activities launched in the windows
  base.outside_ns / 1000000.0 AS outside_ms -- time outside of the GPU activities launched in the windows
FROM (SELECT DISTINCT trace_id FROM scope_time) AS chosen
CROSS JOIN time_base AS base ON base.trace_id = chosen.trace_id
WHERE base.device IS NULL;

-- Host time before the first GPU activity, where it is 5 % and more of the time that first lines are about,
-- with the name that takes most of it on the launching thread.
CREATE VIEW time_before AS
WITH late AS MATERIALIZED (
  SELECT run, trace_id, from_ns, first_ns, first_ns - from_ns AS before_ns, length_ns
  FROM time_base
  WHERE device IS NULL AND first_ns > from_ns AND (first_ns - from_ns) * 20 >= length_ns
),
launched AS (
  SELECT late.run AS run, late.trace_id AS trace_id, from_ns, first_ns, before_ns, min(work.call_id) AS call_id
  FROM late
  JOIN window_work AS work ON work.run = late.run AND work.trace_id = late.trace_id AND work.ts_ns = late.first_ns AND work.dur_ns > 0
  GROUP BY late.run, late.trace_id
),
named AS (
  SELECT launched.run AS run, launched.trace_id AS trace_id, before_ns, event.name_id AS name_id, event.category_id IN (SELECT id FROM category WHERE role = 'frame') AS is_frame,
    interval_union_ns(max(event.ts_ns, from_ns), event.ts_ns + event.dur_ns - max(event.ts_ns, from_ns)) AS ns
  FROM launched
  JOIN event AS call ON call.id = launched.call_id
  JOIN track ON track.id = call.track_id
  CROSS JOIN event ON event.id BETWEEN track.first_event AND call.id
  WHERE event.ts_ns + event.dur_ns BETWEEN from_ns AND first_ns AND NOT EXISTS (SELECT 1 FROM signpost WHERE signpost.id = event.id AND signpost.step IS NOT NULL)
  GROUP BY launched.run, launched.trace_id, event.name_id, is_frame
  UNION ALL
  SELECT launched.run, launched.trace_id, before_ns, event.name_id, 0, interval_union_ns(max(mark.ts_ns, from_ns), mark.ts_ns + mark.dur_ns - max(mark.ts_ns, from_ns))
  FROM launched
  JOIN trace_mark AS mark ON mark.run = launched.run AND mark.trace_id = launched.trace_id AND mark.kind = 'range'
  JOIN event ON event.id = mark.id
  WHERE mark.ts_ns + mark.dur_ns BETWEEN from_ns AND first_ns
  GROUP BY launched.run, launched.trace_id, event.name_id
),
-- ranges, ops and calls before Python frames
main AS (
  SELECT run, trace_id, name_id, ns, row_number() OVER (PARTITION BY run, trace_id ORDER BY is_frame, ns DESC, name_id) AS nth FROM named WHERE ns * 2 >= before_ns
)
SELECT
  late.run AS run, -- name of the run
  late.trace_id AS trace_id, -- id of the trace
  late.before_ns AS before_ns, -- time before the first GPU activity
  late.before_ns * 100.0 / late.length_ns AS percent, -- share of the time
  CASE WHEN name.text GLOB '*.py(*): *' THEN substr(name.text, instr(name.text, '): ') + 3) ELSE name.text END AS name, -- range, op, call or Python frame; NULL where none takes half of it
  name.text AS full_name, -- the name with the file of a frame
  main.ns AS name_ns -- time of the name before the first GPU activity
FROM late
LEFT JOIN main ON main.run = late.run AND main.trace_id = late.trace_id AND main.nth = 1
LEFT JOIN string AS name ON name.id = main.name_id;

-- The marks of the selected traces, whatever part of them is selected.
CREATE VIEW trace_mark AS
SELECT
  scope.run AS run, -- name of the run
  scope.trace_id AS trace_id, -- id of the trace
  signpost.id AS id, -- id of the event
  signpost.kind AS kind, -- step, range, gpu_step, gpu_range or point
  signpost.name AS name, -- name of the mark
  signpost.step AS step, -- number of a profiler step
  signpost.ts_ns AS ts_ns, -- start, from the start of the trace
  signpost.dur_ns AS dur_ns, -- duration; NULL for a point
  signpost.track_id AS track_id -- thread or stream
FROM (SELECT DISTINCT run, trace_id FROM scope) AS scope
CROSS JOIN trace ON trace.id = scope.trace_id
CROSS JOIN signpost ON signpost.id BETWEEN trace.first_event AND trace.last_event;

-- The steps of the selected traces, whatever part of them is selected.
CREATE VIEW trace_step AS
SELECT
  scope.run AS run, -- name of the run
  scope.trace_id AS trace_id, -- id of the trace
  step_mark.id AS id, -- id of the event
  step_mark.kind AS kind, -- step for a step on the host; gpu_step for a profiler step as the GPU saw it
  step_mark.name AS name, -- name of the step
  step_mark.step AS step, -- number of the step
  step_mark.ts_ns AS ts_ns, -- start, from the start of the trace
  step_mark.dur_ns AS dur_ns, -- duration of the step
  step_mark.track_id AS track_id, -- thread or stream
  step_mark.iteration AS iteration -- range whose recurrences the steps are; kernels: recognised from kernels; NULL: profiler steps
FROM (SELECT DISTINCT run, trace_id FROM scope) AS scope
CROSS JOIN step_mark ON step_mark.trace_id = scope.trace_id;

-- Covers of the time of steps, cut to each: GPU activities, whoever launched them (1 to 4: see
-- time_parts), what the host did (5 to 8), and idle time that ends with a late launch (9). Where no step
-- is selected wholly, of the selected windows, else of the time that first lines are about (time_base).
CREATE VIEW step_cut AS
WITH RECURSIVE work AS MATERIALIZED (
  SELECT run, trace_id, ts_ns, dur_ns, CASE class WHEN 'computation' THEN 1 WHEN 'memcpy' THEN 3 ELSE iif(class IS NULL, 4, 2) END AS layer
  FROM window_timeline_work
  WHERE dur_ns >= 0
),
selected AS MATERIALIZED (
  SELECT trace_id, interval_list(last_ns, first_ns, last_ns - first_ns + 1) AS list FROM scope_time GROUP BY trace_id
),
marked AS MATERIALIZED (
  SELECT scope.run AS run, scope.trace_id AS trace_id, step_mark.step AS step, step_mark.kind AS kind, step_mark.ts_ns AS ts_ns, step_mark.dur_ns AS dur_ns
  FROM scope
  CROSS JOIN step_mark ON step_mark.trace_id = scope.trace_id AND step_mark.id BETWEEN scope.first_event AND scope.last_event
  LEFT JOIN selected ON selected.trace_id = scope.trace_id
  WHERE step_mark.step IS NOT NULL AND (selected.list IS NULL OR step_mark.ts_ns + step_mark.dur_ns - 1 <= interval_at(selected.list, step_mark.ts_ns))
),
-- steps that are selected wholly; without any the windows, or the time with GPU activities
step_window AS MATERIALIZED (
  SELECT row_number() OVER () AS id, run, trace_id, step, ts_ns, dur_ns
  FROM (
    SELECT run, trace_id, step, min(ts_ns) AS ts_ns, max(ts_ns + dur_ns) - min(ts_ns) AS dur_ns
    FROM marked
    WHERE kind = 'step' OR (run, trace_id) NOT IN (SELECT run, trace_id FROM marked WHERE kind = 'step')
    GROUP BY run, trace_id, step
    UNION ALL
    SELECT base.run, base.trace_id, NULL, max(base.from_ns, coalesce(part.first_ns, base.from_ns)), min(base.until_ns, coalesce(part.last_ns + 1, base.until_ns)) - max(base.from_ns, coalesce(part.first_ns, base.from_ns))
    FROM time_base AS base
    LEFT JOIN scope_time AS part ON part.trace_id = base.trace_id
    WHERE base.device IS NULL AND (base.run, base.trace_id) NOT IN (SELECT run, trace_id FROM marked)
  )
),
hull AS MATERIALIZED (
  SELECT run, trace_id, min(ts_ns) AS from_ns, max(ts_ns + dur_ns) AS until_ns FROM step_window GROUP BY run, trace_id
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
-- events that are open where a window begins are above the last event before it
open_before (run, trace_id, id, parent_id) AS (
  SELECT scope.run, scope.trace_id, event.id, event.parent_id
  FROM scope
  JOIN trace ON trace.id = scope.trace_id AND trace.first_event < scope.first_event
  JOIN event ON event.id = scope.first_event - 1
  WHERE scope.trace_id IN (SELECT trace_id FROM scope_time)
  UNION
  SELECT open_before.run, open_before.trace_id, event.id, event.parent_id FROM open_before JOIN event ON event.id = open_before.parent_id
),
host AS (
  SELECT open_before.run AS run, open_before.trace_id AS trace_id, event.ts_ns AS ts_ns, event.dur_ns AS dur_ns, host_name.layer AS layer
  FROM open_before
  JOIN event ON event.id = open_before.id
  JOIN host_name ON host_name.name_id = event.name_id AND host_name.role = (SELECT category.role FROM category WHERE category.id = event.category_id)
  UNION ALL
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
-- a layer hides those with greater numbers
cover AS MATERIALIZED (
  SELECT row_number() OVER () AS id, run, trace_id, layer, ts_ns, dur_ns
  FROM (
    SELECT work.run, work.trace_id, work.layer, work.ts_ns, work.dur_ns FROM work JOIN hull ON hull.run = work.run AND hull.trace_id = work.trace_id
      WHERE work.ts_ns < hull.until_ns AND work.ts_ns + work.dur_ns > hull.from_ns
    UNION ALL SELECT run, trace_id, layer, ts_ns, dur_ns FROM host WHERE dur_ns > 0
    UNION ALL SELECT work.run, work.trace_id, 6, hull.from_ns, min(work.ts_ns) - hull.from_ns FROM work JOIN hull ON hull.run = work.run AND hull.trace_id = work.trace_id
      WHERE work.layer = 1 GROUP BY work.run, work.trace_id HAVING min(work.ts_ns) > hull.from_ns
    UNION ALL SELECT run, trace_id, 9, until_ns, ts_ns - until_ns FROM window_work WHERE idle_cause = 'launch-bound'
  )
),
-- covers that may reach into another step than their first one
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
-- covers that begin in a step, and covers that are open when it begins
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
  CROSS JOIN crossing ON crossing.id = open.value
  UNION ALL SELECT id, 10, ts_ns, dur_ns FROM step_window
)
SELECT
  window.run AS run, -- name of the run
  window.trace_id AS trace_id, -- id of the trace
  window.id AS window_id, -- number of the window
  window.step AS step, -- number of the step; NULL of a window without one
  window.dur_ns AS window_ns, -- duration of the window
  met.layer AS layer, -- part of the time: the least hides the others
  max(met.ts_ns, window.ts_ns) AS ts_ns, -- start of what is cut
  min(met.ts_ns + met.dur_ns, window.ts_ns + window.dur_ns) - max(met.ts_ns, window.ts_ns) AS dur_ns -- duration of what is cut
FROM met
JOIN step_window AS window ON window.id = met.step_id;

-- Times in which nothing ran on a device, over all of its streams, and the state of the thread that ended each
-- meanwhile. Up to the launch of the GPU activity that ends a gap, the thread was in a call that waits, in
-- another call, in an op or in none of these; the launch took the rest. Without a known launch they are NULL.
-- Gaps shorter than --gap-min-us are not included.
CREATE VIEW device_gap AS
WITH gap AS MATERIALIZED (
  SELECT run, trace_id, device, device_until_ns AS from_ns, ts_ns AS to_ns, id, name_id, device_before_name_id AS before_name_id, call_id,
    call_track_id AS track_id, min(max(call_ts_ns, device_until_ns), ts_ns) AS stop_ns, device_until_ns + (ts_ns - device_until_ns) / 2 AS middle_ns
  FROM window_work
  WHERE ts_ns > device_until_ns AND ts_ns - device_until_ns >= (SELECT coalesce(round(CAST(tpq_option('gap-min-us') AS REAL) * 1000), 0))
),
kind AS MATERIALIZED (
  SELECT sum(1 << id) FILTER (WHERE role IN ('op', 'call')) AS host, sum(1 << id) FILTER (WHERE role = 'call') AS call, sum(1 << id) FILTER (WHERE role = 'frame') AS frame
  FROM category
  WHERE id < 62
),
wait_name AS MATERIALIZED (
  SELECT string.id AS id
  FROM call_kind JOIN string ON string.text = call_kind.name
  WHERE call_kind.kind IN ('device_sync', 'stream_sync', 'event_sync', 'blocking_copy')
),
-- functions that are not the program's own
foreign_name AS MATERIALIZED (
  SELECT id
  FROM string
  WHERE text REGEXP '^(<|nn\.Module|pybind11|torch/|(contextlib|functools|threading|typing)\.py)|(^|/)((site|dist)-packages|torch|python3[.0-9]*)/'
),
thread AS MATERIALIZED (
  SELECT track.id AS track_id,
    (SELECT json_array(interval_cover(event.ts_ns, event.dur_ns) FILTER (WHERE kind.host >> event.category_id & 1),
        interval_cover(event.ts_ns, event.dur_ns) FILTER (WHERE kind.call >> event.category_id & 1),
        interval_cover(event.ts_ns, event.dur_ns) FILTER (WHERE kind.call >> event.category_id & 1 AND event.name_id IN (SELECT id FROM wait_name)),
        interval_list(event.id, event.ts_ns, event.dur_ns) FILTER (WHERE kind.frame >> event.category_id & 1 AND event.name_id NOT IN (SELECT id FROM foreign_name)),
        interval_list(event.id, event.ts_ns, event.dur_ns) FILTER (WHERE kind.frame >> event.category_id & 1))
      FROM kind CROSS JOIN event ON event.id BETWEEN track.first_event AND track.last_event AND event.track_id = track.id
      -- an end beyond 63 bits is no integer
      WHERE event.ts_ns + event.dur_ns <= 9223372036854775807) AS lists,
    (SELECT json_array(interval_list(id, ts_ns, dur_ns) FILTER (WHERE kind <> 'step'), interval_list(id, ts_ns, dur_ns) FILTER (WHERE kind = 'step'))
      FROM (
        SELECT event.id AS id, event.ts_ns AS ts_ns, event.dur_ns AS dur_ns, signpost.kind AS kind
        FROM track AS own
        JOIN signpost ON signpost.track_id = own.id AND signpost.kind IN ('step', 'range')
        JOIN event ON event.id = signpost.id
        WHERE own.trace_id = track.trace_id AND own.process IS track.process AND own.thread IS track.thread AND event.ts_ns + event.dur_ns <= 9223372036854775807
        UNION ALL
        SELECT event.id, event.ts_ns, event.dur_ns, 'op'
        FROM event
        WHERE event.id BETWEEN track.first_event AND track.last_event AND event.track_id = track.id
          AND event.ts_ns + event.dur_ns <= 9223372036854775807 AND event.name_id IN (SELECT id FROM string WHERE text GLOB '*DataLoader*') AND event.category_id = (SELECT id FROM category WHERE role = 'op'))) AS marks
  FROM (SELECT DISTINCT track_id FROM gap WHERE stop_ns IS NOT NULL) AS used
  CROSS JOIN track ON track.id = used.track_id
),
listed AS MATERIALIZED (
  SELECT track_id, json_extract(lists, '$[0]') AS host, json_extract(lists, '$[1]') AS calls, json_extract(lists, '$[2]') AS waits,
    json_extract(lists, '$[3]') AS own_frames, json_extract(lists, '$[4]') AS frames, json_extract(marks, '$[0]') AS ranges, json_extract(marks, '$[1]') AS steps
  FROM thread
),
told AS MATERIALIZED (
  SELECT gap.run AS run, gap.trace_id AS trace_id, gap.device AS device, gap.from_ns AS from_ns, gap.to_ns AS to_ns, gap.id AS id, gap.name_id AS name_id,
    gap.before_name_id AS before_name_id, gap.call_id AS call_id, gap.stop_ns AS stop_ns,
    coalesce(interval_covered_ns(listed.waits, gap.from_ns, gap.stop_ns), 0) AS wait_ns, coalesce(interval_covered_ns(listed.calls, gap.from_ns, gap.stop_ns), 0) AS call_ns,
    coalesce(interval_covered_ns(listed.host, gap.from_ns, gap.stop_ns), 0) AS host_ns,
    coalesce(interval_innermost(listed.ranges, gap.middle_ns), interval_innermost(listed.steps, gap.middle_ns)) AS range_id,
    coalesce(interval_innermost(listed.own_frames, gap.middle_ns), interval_innermost(listed.frames, gap.middle_ns)) AS frame_id
  FROM gap
  LEFT JOIN listed ON listed.track_id = gap.track_id AND gap.stop_ns IS NOT NULL
)
SELECT
  told.run AS run, -- name of the run
  told.trace_id AS trace_id, -- id of the trace
  told.device AS device, -- number of the device
  told.from_ns AS from_ns, -- start of the gap, from the start of the trace
  told.to_ns AS to_ns, -- end of the gap, from the start of the trace
  told.id AS id, -- id of the GPU activity that ended the gap
  told.name_id AS name_id, -- name of the GPU activity that ended the gap
  told.before_name_id AS before_name_id, -- name of the GPU activity that ended last before the gap
  told.call_id AS call_id, -- id of the call that launched the GPU activity; NULL when unlinked, like the times
  CASE WHEN told.stop_ns IS NOT NULL THEN told.wait_ns END AS sync_ns, -- time of the gap in synchronizations
  CASE WHEN told.stop_ns IS NOT NULL THEN told.call_ns - told.wait_ns END AS call_ns, -- time of the gap in other runtime calls
  CASE WHEN told.stop_ns IS NOT NULL THEN told.host_ns - told.call_ns END AS op_ns, -- time of the gap in ops
  told.stop_ns - told.from_ns - told.host_ns AS outside_ns, -- time of the gap outside of calls and ops
  told.to_ns - told.stop_ns AS launch_ns, -- from the start of the launch to the start of the GPU activity
  range.name_id AS range_name_id, -- name of the innermost range around the middle of the gap
  frame.name_id AS frame_name_id -- name of the innermost Python frame around the middle of the gap, of the program's own code if there is one
FROM told
LEFT JOIN event AS range ON range.id = told.range_id
LEFT JOIN event AS frame ON frame.id = told.frame_id;
