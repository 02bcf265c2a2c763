-- Basic views with names in place of ids. Every view has run and trace_id, and starts from scope;
-- the cost follows the selection.

-- All events, with names in place of ids.
CREATE VIEW slice AS
SELECT
  scope.run AS run, -- name of the run
  scope.trace_id AS trace_id, -- id of the trace
  event.id AS id, -- id of the event
  category.name AS category, -- category of the event
  category.role AS role, -- role in the call tree
  string.text AS name, -- name of the event
  track.process AS process, -- name of the process or device
  track.thread AS thread, -- name of the thread or stream
  event.ts_ns AS ts_ns, -- start of the event, from the start of the trace
  event.dur_ns AS dur_ns, -- duration of the event
  event.self_ns AS self_ns, -- self time: duration without the children on the host
  event.parent_id AS parent_id, -- id of the parent event (caller or launcher)
  event.last_id AS last_id, -- id of the last descendant
  event.op_id AS op_id, -- id of the call signature
  args.json AS args, -- further arguments, JSON
  event.correlation AS correlation, -- correlation id
  event.uid AS uid -- position in the event list of the file
FROM scope
CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
JOIN category ON category.id = event.category_id
JOIN string ON string.id = event.name_id
JOIN track ON track.id = event.track_id
LEFT JOIN args ON args.id = event.args_id;

-- GPU activities with their launch. With --compat, newer kinds of links are not included. Reports
-- about launchers read this view.
CREATE VIEW linked_work AS
SELECT
  work.id AS id, -- id of the GPU activity
  work.trace_id AS trace_id, -- id of the trace
  work.category_id AS category_id, -- id of the category
  work.name_id AS name_id, -- name of the kernel or copy
  work.device AS device, -- number of the device
  work.stream AS stream, -- number of the stream
  work.ts_ns AS ts_ns, -- start of the GPU activity, from the start of the trace
  work.dur_ns AS dur_ns, -- duration of the GPU activity
  work.correlation AS correlation, -- correlation id
  work.external_id AS external_id, -- id of the op around the launch, from the profiler
  work.args_id AS args_id, -- id of the further arguments
  CASE WHEN (SELECT NOT tpq_like_reference('launchers: links without an arrow')) OR coalesce(work.link_id, 0) NOT IN (SELECT kind.id FROM launch_kind AS kind WHERE kind.is_newer) THEN work.call_id END AS call_id, -- id of the launching runtime call; NULL when none was found or is visible, like the rest
  CASE WHEN (SELECT NOT tpq_like_reference('launchers: links without an arrow')) OR coalesce(work.link_id, 0) NOT IN (SELECT kind.id FROM launch_kind AS kind WHERE kind.is_newer) THEN work.cpu_op_id END AS cpu_op_id, -- id of the nearest CPU op above the runtime call
  CASE WHEN (SELECT NOT tpq_like_reference('launchers: links without an arrow')) OR coalesce(work.link_id, 0) NOT IN (SELECT kind.id FROM launch_kind AS kind WHERE kind.is_newer) THEN work.launcher_id END AS launcher_id, -- id of the launching op, else of the runtime call
  CASE WHEN (SELECT NOT tpq_like_reference('launchers: links without an arrow')) OR coalesce(work.link_id, 0) NOT IN (SELECT kind.id FROM launch_kind AS kind WHERE kind.is_newer) THEN work.launcher_name_id END AS launcher_name_id, -- name of the launcher
  CASE WHEN (SELECT NOT tpq_like_reference('launchers: links without an arrow')) OR coalesce(work.link_id, 0) NOT IN (SELECT kind.id FROM launch_kind AS kind WHERE kind.is_newer) THEN work.launcher_ts_ns END AS launcher_ts_ns, -- start of the launcher
  work.nested_call AS nested_call, -- 1 when another runtime call is between the call and the op
  work.uid AS uid -- position in the event list of the file
FROM gpu_event AS work;

-- All GPU activities with their launch, with names in place of ids.
CREATE VIEW gpu_slice AS
SELECT
  scope.run AS run, -- name of the run
  scope.trace_id AS trace_id, -- id of the trace
  gpu_event.id AS id, -- id of the GPU activity
  category.name AS category, -- category: kernel, gpu_memcpy, gpu_memset, ...
  string.text AS name, -- name of the kernel, memcpy or memset
  gpu_event.device AS device, -- number of the device
  gpu_event.stream AS stream, -- number of the stream
  gpu_event.ts_ns AS ts_ns, -- start of the GPU activity, from the start of the trace
  gpu_event.dur_ns AS dur_ns, -- duration of the GPU activity
  gpu_event.bytes AS bytes, -- [bytes] bytes moved by the memcpy or memset
  gpu_event.call_id AS call_id, -- id of the launching runtime call
  launch_kind.name AS link, -- kind of link to the runtime call: arrow, correlation, ...; see launch_kind
  gpu_event.launcher_id AS launcher_id, -- id of the launching op
  launcher.text AS launcher, -- name of the launching op
  gpu_event.launcher_op_id AS launcher_op_id, -- id of the call signature of the launching op
  args.json AS args, -- further arguments, JSON
  gpu_event.correlation AS correlation, -- correlation id
  gpu_event.uid AS uid -- position in the event list of the file
FROM scope
CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
JOIN category ON category.id = gpu_event.category_id
JOIN string ON string.id = gpu_event.name_id
LEFT JOIN launch_kind ON launch_kind.id = gpu_event.link_id
LEFT JOIN string AS launcher ON launcher.id = gpu_event.launcher_name_id
LEFT JOIN args ON args.id = gpu_event.args_id;

-- All call signatures, with names in place of ids.
CREATE VIEW signature AS
SELECT
  op.id AS op_id, -- id of the signature
  (SELECT string.text FROM string WHERE string.id = op.name_id) AS name, -- name of the op
  (SELECT string.text FROM string WHERE string.id = op.dims_id) AS input_dims, -- input shapes, JSON
  (SELECT string.text FROM string WHERE string.id = op.types_id) AS input_types, -- input dtypes, JSON
  (SELECT string.text FROM string WHERE string.id = op.strides_id) AS input_strides, -- input strides, JSON
  (SELECT string.text FROM string WHERE string.id = op.concrete_id) AS concrete_inputs -- values of the scalar inputs, JSON
-- with joins in here, SQLite writes down the signatures of all traces wherever this is joined from the left
FROM op;

-- Edges of the call tree: calls on the host, and launches.
CREATE VIEW tree_edge AS
SELECT
  scope.run AS run, -- name of the run
  scope.trace_id AS trace_id, -- id of the trace
  event.parent_id AS parent, -- id of the parent event
  event.id AS child, -- id of the child event
  CASE category.role WHEN 'gpu' THEN 'launch' ELSE 'call' END AS kind -- kind of edge: call (host to host) or launch (host to GPU)
FROM scope
CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
JOIN category ON category.id = event.category_id
WHERE event.up IS NOT NULL;

-- Selected time windows, for data other than events: the selected steps or ranges, else whole
-- traces.
CREATE VIEW scope_span AS
SELECT
  chosen.run AS run, -- name of the run
  chosen.trace_id AS trace_id, -- id of the trace
  coalesce(scope_time.first_ns, -9223372036854775807) AS first_ns, -- start of the time window, from the start of the trace
  coalesce(scope_time.last_ns, 9223372036854775807) AS last_ns -- end of the time window, from the start of the trace
FROM (SELECT DISTINCT run, trace_id FROM scope) AS chosen
LEFT JOIN scope_time ON scope_time.trace_id = chosen.trace_id;

-- Counter values of single GPU activities, with names in place of ids.
CREATE VIEW work_counter AS
SELECT
  scope.run AS run, -- name of the run
  scope.trace_id AS trace_id, -- id of the trace
  gpu_counter.id AS id, -- id of the GPU activity
  string.text AS name, -- name of the kernel, memcpy or memset
  gpu_event.device AS device, -- number of the device
  counter_track.name AS counter, -- name of the counter
  counter_track.unit AS unit, -- unit of the values
  gpu_counter.instance AS instance, -- number of the part of the device
  gpu_counter.value AS value -- value of the counter
FROM scope
CROSS JOIN gpu_counter ON gpu_counter.id BETWEEN scope.first_event AND scope.last_event
JOIN gpu_event ON gpu_event.id = gpu_counter.id
JOIN string ON string.id = gpu_event.name_id
JOIN counter_track ON counter_track.id = gpu_counter.counter_id;

-- Memory that allocators held, a row for each device of a trace.
CREATE VIEW memory_use AS
WITH record AS (
  SELECT chosen.run AS run, chosen.trace_id AS trace_id, one.device_type AS device_type, one.device AS device, one.ts_ns AS ts_ns, one.track_id AS track_id,
    one.bytes AS bytes, one.total_allocated AS allocated, one.total_reserved AS reserved
  FROM (SELECT DISTINCT run, trace_id FROM scope) AS chosen
  CROSS JOIN memory_event AS one ON one.trace_id = chosen.trace_id
),
whole AS MATERIALIZED (
  SELECT run, trace_id, device_type, device, count(*) AS records, min(ts_ns) AS first_ns, max(ts_ns) AS last_ns, max(allocated) AS allocated_most,
    max(reserved) AS reserved_most, count(*) FILTER (WHERE bytes > 0) AS allocations, count(*) FILTER (WHERE bytes < 0) AS frees,
    CASE WHEN max(bytes) > 0 THEN CAST(total(bytes) FILTER (WHERE bytes > 0) AS INTEGER) END AS allocated_bytes, max(bytes) AS most_bytes
  FROM record
  GROUP BY run, trace_id, device_type, device
),
moment AS MATERIALIZED (
  SELECT whole.run AS run, whole.trace_id AS trace_id, whole.device_type AS device_type, whole.device AS device,
    min(record.ts_ns) FILTER (WHERE record.allocated = whole.allocated_most) AS peak_ns, min(record.ts_ns) FILTER (WHERE record.reserved = whole.reserved_most) AS reserved_ns,
    max(record.allocated) FILTER (WHERE record.ts_ns = whole.last_ns) AS allocated_last, max(record.reserved) FILTER (WHERE record.ts_ns = whole.last_ns) AS reserved_last
  FROM record
  JOIN whole ON whole.run = record.run AND whole.trace_id = record.trace_id AND whole.device_type IS record.device_type AND whole.device IS record.device
  GROUP BY whole.run, whole.trace_id, whole.device_type, whole.device
)
SELECT
  whole.run AS run, -- name of the run
  whole.trace_id AS trace_id, -- id of the trace
  whole.device_type AS device_type, -- kind of device: 0 CPU, 1 GPU, ... as PyTorch numbers them
  whole.device AS device, -- number of the device
  whole.records AS records, -- number of memory records
  whole.first_ns AS first_ns, -- time of the first record, from the start of the trace
  whole.last_ns AS last_ns, -- time of the last record, from the start of the trace
  whole.allocated_most AS allocated_most, -- [bytes] maximum memory in use
  moment.peak_ns AS peak_ns, -- time of the maximum memory in use
  (SELECT record.track_id FROM record JOIN track ON track.id = record.track_id
    WHERE record.trace_id = whole.trace_id AND record.device_type IS whole.device_type AND record.device IS whole.device AND record.ts_ns = moment.peak_ns AND record.allocated = whole.allocated_most
    ORDER BY track.process, track.thread LIMIT 1) AS peak_track_id, -- thread that allocated the maximum
  moment.allocated_last AS allocated_last, -- [bytes] memory in use at the end
  whole.reserved_most AS reserved_most, -- [bytes] maximum memory held by the allocator
  moment.reserved_ns AS reserved_ns, -- time of the maximum memory held by the allocator
  moment.reserved_last AS reserved_last, -- [bytes] memory held by the allocator at the end
  whole.allocations AS allocations, -- blocks that were allocated
  whole.frees AS frees, -- blocks that were freed
  whole.allocated_bytes AS allocated_bytes, -- [bytes] sum of the allocated blocks
  whole.most_bytes AS most_bytes -- [bytes] size of the largest allocated block
FROM whole
JOIN moment ON moment.run = whole.run AND moment.trace_id = whole.trace_id AND moment.device_type IS whole.device_type AND moment.device IS whole.device;
