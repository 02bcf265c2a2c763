-- What analyses of waiting stand on: work with its call, whatever --compat sees.

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
  step_mark.iteration AS iteration -- range whose recurrences the steps are; NULL: profiler steps
FROM (SELECT DISTINCT run, trace_id FROM scope) AS scope
CROSS JOIN step_mark ON step_mark.trace_id = scope.trace_id;
