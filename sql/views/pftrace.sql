-- Basis of the reports about traces of AMD's profilers in Perfetto's format (set pftrace).

-- Values in argument lists of rocprof's slices, each list once.
CREATE VIEW pftrace_shape AS
SELECT
  args.id AS args_id, -- id of the argument list
  arg(args.json, 'agent') AS agent, -- accelerator, as the profiler names it
  CAST(arg(args.json, 'tid') AS INTEGER) AS tid, -- number of the thread
  CAST(coalesce(arg(args.json, 'grid_size'), 0) AS INTEGER) AS grid, -- work-items of the grid
  CAST(coalesce(arg(args.json, 'workgroup_size'), 0) AS INTEGER) AS block, -- work-items of a workgroup
  CAST(coalesce(arg(args.json, 'VGPR_Count'), 0) AS INTEGER) AS vgprs, -- vector registers per work-item
  CAST(coalesce(arg(args.json, 'Accum_VGPR_Count'), 0) AS INTEGER) AS accum_vgprs, -- accumulation vector registers per work-item
  CAST(coalesce(arg(args.json, 'SGPR_Count'), 0) AS INTEGER) AS sgprs, -- scalar registers per wavefront
  CAST(coalesce(arg(args.json, 'LDS_Block_Size'), 0) AS INTEGER) AS shared_bytes, -- [bytes] shared memory of a workgroup
  CAST(coalesce(arg(args.json, 'Scratch_Size'), 0) AS INTEGER) AS scratch_bytes, -- [bytes] scratch memory of a work-item
  CAST(coalesce(arg(args.json, 'stream_ID'), 0) AS INTEGER) AS stream, -- stream of a call
  CAST(coalesce(arg(args.json, 'operation'), 0) AS INTEGER) AS operation, -- number of the call's kind
  coalesce(arg(args.json, 'device_id'), arg(args.json, 'deviceId'), arg(args.json, 'dev_id'), arg(args.json, 'DevId'), arg(args.json, 'gpu_id'), arg(args.json, 'gpuId')) AS device, -- accelerator, as some state it
  coalesce(arg(args.json, 'dst_agent'), arg(args.json, 'dst device')) AS target, -- destination agent of a memcpy
  coalesce(arg(args.json, 'src_agent'), arg(args.json, 'src device')) AS source, -- source agent of a memcpy
  coalesce(nullif(arg(args.json, 'kernel_name'), ''), nullif(arg(args.json, 'KernelName'), ''), nullif(arg(args.json, 'symbol'), ''), nullif(arg(args.json, 'symbol_name'), ''), nullif(arg(args.json, 'funcName'), '')) AS kernel_name -- name of a kernel, where the slice is called otherwise
FROM args;

-- Work of accelerators that are named, with the class of its name.
CREATE VIEW pftrace_work AS
WITH shape AS MATERIALIZED (
  SELECT args_id, agent, tid
  FROM pftrace_shape
  WHERE args_id IN (SELECT gpu_event.args_id FROM scope CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event)
)
SELECT
  scope.run AS run, -- name of the run
  scope.trace_id AS trace_id, -- id of the trace
  work.id AS id, -- id of the event
  work.uid AS uid, -- place in the file
  work.name_id AS name_id, -- name of the GPU activity
  work.args_id AS args_id, -- other arguments
  coalesce(shape.agent, CAST(work.device AS TEXT)) AS agent, -- agent of the GPU activity
  work.device AS device, -- number of the device
  work.ts_ns AS ts_ns, -- start, from the start of the trace
  work.dur_ns AS dur_ns, -- duration of the GPU activity
  kernel_class('pftrace', work.category_id, work.name_id) AS class, -- kind of GPU activity
  coalesce(CASE WHEN CAST(CAST(track.thread AS INTEGER) AS TEXT) = track.thread THEN CAST(track.thread AS INTEGER) END, shape.tid, -1) AS tid -- number of the thread
FROM scope
CROSS JOIN gpu_event AS work ON work.id BETWEEN scope.first_event AND scope.last_event
JOIN track ON track.id = work.track_id
LEFT JOIN shape ON shape.args_id = work.args_id
WHERE coalesce(shape.agent, work.device) IS NOT NULL;

-- Accelerators by the place that they have in reports.
CREATE VIEW pftrace_agent AS
SELECT
  run AS run, -- name of the run
  trace_id AS trace_id, -- id of the trace
  agent AS agent, -- accelerator, as the profiler names it
  row_number() OVER (PARTITION BY run, trace_id ORDER BY first, agent) - 1 AS place -- place of the agent in reports, from 0
FROM (
  SELECT run, trace_id, agent, CASE WHEN (SELECT tpq_like_reference('pftrace: numbers of accelerators')) THEN min(uid) ELSE coalesce(min(device), 9223372036854775807) END AS first
  FROM pftrace_work
  GROUP BY run, trace_id, agent
);

-- The same work, in the threads that are asked for; whether it is as long as it must be, too.
-- columns-of: pftrace_work
CREATE VIEW pftrace_activity AS
SELECT
  work.run, work.trace_id,
  agent.place AS place, -- place of the accelerator
  work.args_id, work.ts_ns, work.dur_ns, work.class,
  (SELECT CASE WHEN (SELECT tpq_option('merge-kernels')) IS NULL THEN string.text ELSE replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(string.text, '0', ''), '1', ''), '2', ''), '3', ''), '4', ''), '5', ''), '6', ''), '7', ''), '8', ''), '9', '') END
   FROM string WHERE string.id = work.name_id) AS name, -- name of the GPU activity; without digits where --merge-kernels is set
  work.dur_ns >= (SELECT CAST(tpq_option('min-event-ns') AS INTEGER)) AS is_long -- whether it is as long as --min-event-ns says
FROM pftrace_work AS work
JOIN pftrace_agent AS agent ON agent.run = work.run AND agent.trace_id = work.trace_id AND agent.agent = work.agent
WHERE work.dur_ns > 0 AND work.tid BETWEEN (SELECT CAST(tpq_option('min-tid') AS INTEGER)) AND (SELECT CAST(tpq_option('max-tid') AS INTEGER));

-- Calls of the runtime.
-- columns-of: pftrace_work
CREATE VIEW pftrace_call AS
WITH shape AS MATERIALIZED (
  SELECT args_id, tid, stream, operation
  FROM pftrace_shape
  WHERE args_id IN (SELECT event.args_id FROM scope CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
    WHERE event.category_id = (SELECT id FROM category WHERE name = 'cuda_runtime'))
)
SELECT
  scope.run, scope.trace_id, call.id, call.uid, call.name_id, call.ts_ns, call.dur_ns,
  call.correlation AS correlation, -- correlation id
  CAST(track.process AS INTEGER) AS pid, -- process of the call
  coalesce(CASE WHEN CAST(CAST(track.thread AS INTEGER) AS TEXT) = track.thread THEN CAST(track.thread AS INTEGER) END, shape.tid, -1) AS tid,
  coalesce(shape.stream, 0) AS stream, -- number of the stream
  coalesce(shape.operation, 0) AS operation -- number of the call's kind
FROM scope
CROSS JOIN event AS call ON call.id BETWEEN scope.first_event AND scope.last_event
JOIN track ON track.id = call.track_id
LEFT JOIN shape ON shape.args_id = call.args_id
WHERE call.category_id = (SELECT id FROM category WHERE name = 'cuda_runtime');
