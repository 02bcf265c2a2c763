-- Views that show the facts in words. Every view has run and trace_id, and starts from scope, so
-- that a selection costs what it selects.

-- Every event in words.
CREATE VIEW slice AS
SELECT
  scope.run AS run, -- run
  scope.trace_id AS trace_id, -- trace
  event.id AS id, -- id of the event
  category.name AS category, -- kind of event
  category.role AS role, -- part in the call tree
  string.text AS name, -- name
  track.process AS process, -- process, or device
  track.thread AS thread, -- thread, or stream
  event.ts_ns AS ts_ns, -- start, from the start of the trace
  event.dur_ns AS dur_ns, -- duration
  event.self_ns AS self_ns, -- duration without its children on the host
  event.parent_id AS parent_id, -- event that it was called or launched from
  event.last_id AS last_id, -- its last descendant
  event.op_id AS op_id, -- call signature
  args.json AS args, -- other arguments, JSON
  event.correlation AS correlation, -- correlation id
  event.uid AS uid -- place in the file's event list
FROM scope
CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
JOIN category ON category.id = event.category_id
JOIN string ON string.id = event.name_id
JOIN track ON track.id = event.track_id
LEFT JOIN args ON args.id = event.args_id;

-- Accelerator work with what launched it, as the option compat has it: then links of newer kinds
-- are not seen. Reports about launchers stand on it.
CREATE VIEW linked_work AS
SELECT
  work.id AS id, -- id of the event
  work.trace_id AS trace_id, -- trace
  work.category_id AS category_id, -- kind of event
  work.name_id AS name_id, -- name of the kernel or copy
  work.device AS device, -- number of the device
  work.stream AS stream, -- number of the stream
  work.ts_ns AS ts_ns, -- start, from the start of the trace
  work.dur_ns AS dur_ns, -- duration
  work.correlation AS correlation, -- correlation id
  work.external_id AS external_id, -- id of the op that was open at the launch
  work.args_id AS args_id, -- other arguments
  CASE WHEN (SELECT NOT tpq_like_reference('launchers: links without an arrow')) OR coalesce(work.link_id, 0) NOT IN (SELECT kind.id FROM launch_kind AS kind WHERE kind.is_newer) THEN work.call_id END AS call_id, -- runtime call that launched it; NULL when none was found or is seen, like the rest
  CASE WHEN (SELECT NOT tpq_like_reference('launchers: links without an arrow')) OR coalesce(work.link_id, 0) NOT IN (SELECT kind.id FROM launch_kind AS kind WHERE kind.is_newer) THEN work.cpu_op_id END AS cpu_op_id, -- nearest op above the call
  CASE WHEN (SELECT NOT tpq_like_reference('launchers: links without an arrow')) OR coalesce(work.link_id, 0) NOT IN (SELECT kind.id FROM launch_kind AS kind WHERE kind.is_newer) THEN work.launcher_id END AS launcher_id, -- op that launched it, else the call
  CASE WHEN (SELECT NOT tpq_like_reference('launchers: links without an arrow')) OR coalesce(work.link_id, 0) NOT IN (SELECT kind.id FROM launch_kind AS kind WHERE kind.is_newer) THEN work.launcher_name_id END AS launcher_name_id, -- name of the launcher
  CASE WHEN (SELECT NOT tpq_like_reference('launchers: links without an arrow')) OR coalesce(work.link_id, 0) NOT IN (SELECT kind.id FROM launch_kind AS kind WHERE kind.is_newer) THEN work.launcher_ts_ns END AS launcher_ts_ns, -- start of the launcher
  work.nested_call AS nested_call, -- 1 when another runtime call stands between the call and the op
  work.uid AS uid -- place in the file's event list
FROM gpu_event AS work;

-- Every GPU event in words, with what launched it.
CREATE VIEW gpu_slice AS
SELECT
  scope.run AS run, -- run
  scope.trace_id AS trace_id, -- trace
  gpu_event.id AS id, -- id of the event
  category.name AS category, -- kernel, gpu_memcpy, gpu_memset, ...
  string.text AS name, -- name of the kernel or copy
  gpu_event.device AS device, -- number of the device
  gpu_event.stream AS stream, -- number of the stream
  gpu_event.ts_ns AS ts_ns, -- start, from the start of the trace
  gpu_event.dur_ns AS dur_ns, -- duration
  gpu_event.bytes AS bytes, -- [bytes] moved by a copy or set
  gpu_event.call_id AS call_id, -- runtime call that launched it
  launch_kind.name AS link, -- how that call is known: arrow, correlation, ...; see launch_kind
  gpu_event.launcher_id AS launcher_id, -- op that launched it
  launcher.text AS launcher, -- name of that op
  gpu_event.launcher_op_id AS launcher_op_id, -- call signature of that op
  args.json AS args, -- other arguments, JSON
  gpu_event.correlation AS correlation, -- correlation id
  gpu_event.uid AS uid -- place in the file's event list
FROM scope
CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
JOIN category ON category.id = gpu_event.category_id
JOIN string ON string.id = gpu_event.name_id
LEFT JOIN launch_kind ON launch_kind.id = gpu_event.link_id
LEFT JOIN string AS launcher ON launcher.id = gpu_event.launcher_name_id
LEFT JOIN args ON args.id = gpu_event.args_id;

-- Every call signature in words.
CREATE VIEW signature AS
SELECT
  op.id AS op_id, -- the signature
  (SELECT string.text FROM string WHERE string.id = op.name_id) AS name, -- name of the op
  (SELECT string.text FROM string WHERE string.id = op.dims_id) AS input_dims, -- input dimensions, JSON
  (SELECT string.text FROM string WHERE string.id = op.types_id) AS input_types, -- input types, JSON
  (SELECT string.text FROM string WHERE string.id = op.strides_id) AS input_strides, -- input strides, JSON
  (SELECT string.text FROM string WHERE string.id = op.concrete_id) AS concrete_inputs -- values of scalar inputs, JSON
-- with joins in here, SQLite writes down the signatures of all traces wherever this is joined from the left
FROM op;

-- The edges of the call tree: who called whom on the host, and which call launched what.
CREATE VIEW tree_edge AS
SELECT
  scope.run AS run, -- run
  scope.trace_id AS trace_id, -- trace
  event.parent_id AS parent, -- id of the event above
  event.id AS child, -- id of the event below
  CASE category.role WHEN 'gpu' THEN 'launch' ELSE 'call' END AS kind -- call (host to host) or launch (host to accelerator)
FROM scope
CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
JOIN category ON category.id = event.category_id
WHERE event.up IS NOT NULL;

-- The windows of time that are selected, for what is no event: those of the chosen steps or signposts,
-- otherwise whole traces.
CREATE VIEW scope_span AS
SELECT
  chosen.run AS run, -- run
  chosen.trace_id AS trace_id, -- trace
  coalesce(scope_time.first_ns, -9223372036854775807) AS first_ns, -- first time, from the start of the trace
  coalesce(scope_time.last_ns, 9223372036854775807) AS last_ns -- last time
FROM (SELECT DISTINCT run, trace_id FROM scope) AS chosen
LEFT JOIN scope_time ON scope_time.trace_id = chosen.trace_id;

-- Every sample of the selected counters in words. A sample belongs to the window of time that it
-- falls into, where steps or signposts are chosen; otherwise to its trace.
CREATE VIEW counter_value AS
SELECT
  span.run AS run, -- run
  span.trace_id AS trace_id, -- trace
  trace.rank AS rank, -- rank of the trace
  counter_track.device AS device, -- number of the device; NULL = of the host
  counter_track.place AS place, -- process, or what of the machine it is
  counter_track.place_name AS place_name, -- name of the process
  counter_track.name AS counter, -- what is counted
  counter_track.unit AS unit, -- unit of its values
  counter_track.source AS source, -- table or kind of event that it is from
  counter_sample.counter_id AS counter_id, -- number of the counter
  counter_sample.ts_ns AS ts_ns, -- when, from the start of the trace
  counter_sample.value AS value, -- value
  nullif(span.first_ns, -9223372036854775807) AS window_ns -- start of the window that it falls into; NULL = the whole trace
FROM scope_span AS span
CROSS JOIN counter_track ON counter_track.trace_id = span.trace_id
CROSS JOIN counter_sample ON counter_sample.counter_id = counter_track.id AND counter_sample.ts_ns BETWEEN span.first_ns AND span.last_ns
JOIN trace ON trace.id = span.trace_id;

-- What counters say of single pieces of accelerator work, in words.
CREATE VIEW work_counter AS
SELECT
  scope.run AS run, -- run
  scope.trace_id AS trace_id, -- trace
  gpu_counter.id AS id, -- id of the event
  string.text AS name, -- name of the kernel or copy
  gpu_event.device AS device, -- number of the device
  counter_track.name AS counter, -- what is counted
  counter_track.unit AS unit, -- unit of its values
  gpu_counter.instance AS instance, -- which of several parts of the accelerator
  gpu_counter.value AS value -- value
FROM scope
CROSS JOIN gpu_counter ON gpu_counter.id BETWEEN scope.first_event AND scope.last_event
JOIN gpu_event ON gpu_event.id = gpu_counter.id
JOIN string ON string.id = gpu_event.name_id
JOIN counter_track ON counter_track.id = gpu_counter.counter_id;
