-- What analyses of waiting stand on: work with its call, whatever --compat sees.

-- Accelerator work (kernels, copies and sets) with the call that launched it and what kind it is.
CREATE VIEW analysed_work AS
SELECT
  scope.run AS run, -- run
  scope.trace_id AS trace_id, -- trace
  gpu_event.id AS id, -- id of the event
  gpu_event.uid AS uid, -- place in the file
  gpu_event.category_id AS category_id, -- kernel, gpu_memcpy or gpu_memset
  gpu_event.name_id AS name_id, -- name of the work
  gpu_event.device AS device, -- number of the device
  gpu_event.stream AS stream, -- number of the stream
  gpu_event.ts_ns AS ts_ns, -- start, from the start of the trace
  gpu_event.dur_ns AS dur_ns, -- duration
  gpu_event.ts_ns + gpu_event.dur_ns AS end_ns, -- end, from the start of the trace
  gpu_event.bytes AS bytes, -- [bytes] moved by a copy or set
  gpu_event.call_id AS call_id, -- runtime call that launched it; NULL when none is known, like the rest
  call.name_id AS call_name_id, -- name of the call
  call.track_id AS call_track_id, -- thread of the call
  call.ts_ns AS call_ts_ns, -- start of the call
  call.ts_ns + call.dur_ns AS call_end_ns, -- end of the call
  call.below AS call_below, -- how many events the call has below it
  CASE WHEN kernel_class('timeline', gpu_event.category_id, gpu_event.name_id) = 'memcpy' THEN 'memory'
    ELSE kernel_class('timeline', gpu_event.category_id, gpu_event.name_id) END AS kind -- computation, communication or memory (copies and sets)
FROM scope
CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
LEFT JOIN event AS call ON call.id = gpu_event.call_id
WHERE gpu_event.category_id IN (SELECT id FROM category WHERE name IN ('kernel', 'gpu_memcpy', 'gpu_memset'));

-- Every call that launched work, with the work that started first.
CREATE VIEW first_work AS
WITH shared AS (
  SELECT work.run AS run, work.trace_id AS trace_id, work.id AS id, work.name_id AS name_id, work.device AS device, work.ts_ns AS ts_ns, work.dur_ns AS dur_ns,
    work.call_id AS call_id, work.call_name_id AS call_name_id, work.call_track_id AS call_track_id, work.call_ts_ns AS call_ts_ns, work.call_end_ns AS call_end_ns,
    row_number() OVER (PARTITION BY work.call_id ORDER BY work.ts_ns, work.id) AS place
  FROM analysed_work AS work
  WHERE work.call_id IS NOT NULL AND NOT (work.call_below = 1 AND work.id = work.call_id + 1)
)
SELECT
  work.run AS run, -- run
  work.trace_id AS trace_id, -- trace
  work.id AS id, -- id of the work
  work.name_id AS name_id, -- name of the work
  work.device AS device, -- number of the device
  work.ts_ns AS ts_ns, -- start, from the start of the trace
  work.dur_ns AS dur_ns, -- duration
  work.call_id AS call_id, -- the call
  work.call_name_id AS call_name_id, -- its name
  work.call_track_id AS call_track_id, -- its thread
  work.call_ts_ns AS call_ts_ns, -- its start
  work.call_end_ns AS call_end_ns -- its end
FROM analysed_work AS work
WHERE work.call_below = 1 AND work.id = work.call_id + 1 -- nothing else was launched
UNION ALL
SELECT run, trace_id, id, name_id, device, ts_ns, dur_ns, call_id, call_name_id, call_track_id, call_ts_ns, call_end_ns
FROM shared
WHERE place = 1;

-- The marks of the selected traces, whatever part of them is selected.
CREATE VIEW trace_mark AS
SELECT
  scope.run AS run, -- run
  scope.trace_id AS trace_id, -- trace
  signpost.id AS id, -- id of the event
  signpost.kind AS kind, -- step, range, gpu_step, gpu_range or point
  signpost.name AS name, -- its name
  signpost.step AS step, -- number of a profiler step
  signpost.ts_ns AS ts_ns, -- start, from the start of the trace
  signpost.dur_ns AS dur_ns, -- duration; NULL for a point
  signpost.track_id AS track_id -- thread or stream
FROM (SELECT DISTINCT run, trace_id FROM scope) AS scope
CROSS JOIN trace ON trace.id = scope.trace_id
CROSS JOIN signpost ON signpost.id BETWEEN trace.first_event AND trace.last_event;

-- The steps of each trace by time, for interval_at.
CREATE VIEW steps_by_time AS
SELECT
  run AS run, -- run
  trace_id AS trace_id, -- trace
  interval_list(id, ts_ns, dur_ns) AS list -- a number for the ids of their marks
FROM trace_mark
WHERE kind = 'step'
GROUP BY run, trace_id;

-- What rules of advice found: those that tpq measures itself, and those that ask with a SELECT.
CREATE VIEW advice_fact AS
SELECT
  run AS run, -- run
  trace_id AS trace_id, -- trace; NULL when it is about the run
  rule AS rule, -- rule, as in advice_rule
  value AS value, -- what its threshold is held against
  count AS count, -- how many of what it is about
  time_ns AS time_ns, -- time of these
  saving_ns AS saving_ns, -- what can be saved at most
  path_ns AS path_ns, -- how much of it is on the critical path; NULL when that is not known
  example_id AS example_id -- id of an event that is one of them
FROM advice_measure
WHERE rule NOT IN (SELECT rule FROM advice_rule WHERE measure IS NOT NULL)
UNION ALL
SELECT run, trace_id, rule, value, count, time_ns, saving_ns, NULL, example_id
FROM advice_question;
