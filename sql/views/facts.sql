-- Facts for export to other engines, with names in place of ids. Rows of several warehouses can
-- stand side by side, as ids of one warehouse mean nothing in another. `trace` is the hash of a
-- file and its rank, `event` the position in the call tree of the trace, from 0.

-- Keys of traces across warehouses.
CREATE VIEW fact_key AS
SELECT
  scope.run AS run, -- name of the run
  scope.trace_id AS trace_id, -- id of the trace in the warehouse
  trace.content_hash || coalesce('-' || trace.rank, '') AS trace, -- key of the trace: content hash, and rank where known
  trace.first_event AS first_event, -- id of the first event
  CASE trace.format WHEN 'xplane' THEN 'xla timeline' ELSE 'timeline' END AS purpose -- purpose of the rules for kinds of GPU activity, as in kernel_category
FROM (SELECT DISTINCT run, trace_id FROM scope) AS scope
JOIN trace ON trace.id = scope.trace_id;

-- One row per trace.
CREATE VIEW fact_trace AS
SELECT
  key.run AS run, -- [text] name of the run
  key.trace AS trace, -- [text] key of the trace: content hash, and rank where known
  trace.rank AS rank, -- [integer] number of the rank
  trace.world_size AS world_size, -- [integer] world size, as the file states it
  trace.path AS path, -- [text] path of the file at ingest
  trace.format AS format, -- [text] format of the file
  trace.file_bytes AS file_bytes, -- size of the file
  trace.content_bytes AS content_bytes, -- size of the decompressed content
  trace.content_hash AS content_hash, -- [text] hash of the decompressed content
  trace.wall_start_ns AS wall_start_ns, -- start of the trace in nanoseconds since 1970, where recorded
  trace.clock_start_ns AS clock_start_ns, -- start of the trace on the clock of the file
  trace.last_event - trace.first_event + 1 AS events, -- [integer] number of events
  (SELECT count(*) FROM gpu_event WHERE gpu_event.id BETWEEN trace.first_event AND trace.last_event) AS gpu_events, -- [integer] number of GPU activities
  (SELECT device.name FROM device WHERE device.trace_id = trace.id ORDER BY device.ordinal, device.id LIMIT 1) AS device, -- [text] model of the first device
  (SELECT count(*) FROM device WHERE device.trace_id = trace.id) AS devices, -- [integer] number of devices
  run.labels AS labels, -- [text] labels of the run, JSON object
  run.note AS note, -- [text] note on the run
  trace.tree AS tree, -- [text] nesting rule for slices that start together
  trace.frames AS frames, -- [boolean] 1 when Python frames were ingested
  CAST(round(coverage.busy_ns) AS INTEGER) AS busy_ns, -- GPU busy time
  CAST(round(coverage.linked_ns) AS INTEGER) AS linked_ns, -- busy time of GPU activities linked to an op
  CAST(round(coverage.categorised_ns) AS INTEGER) AS categorised_ns, -- busy time of GPU activities whose op has a category
  CAST(round(coverage.modelled_ns) AS INTEGER) AS modelled_ns, -- busy time of GPU activities below a call with a performance model
  run.created_at AS created_at, -- [text] time of the first ingest of the run, UTC
  trace.ingested_at AS ingested_at, -- [text] time of the ingest of the trace, UTC
  trace.tool_version AS tool_version -- [text] version of tpq at ingest
FROM fact_key AS key
JOIN trace ON trace.id = key.trace_id
JOIN run ON run.id = trace.run_id
LEFT JOIN coverage ON coverage.trace_id = key.trace_id;

-- One row per GPU activity, with its launch.
CREATE VIEW fact_gpu AS
SELECT
  key.run AS run, -- [text] name of the run
  key.trace AS trace, -- [text] key of the trace: content hash, and rank where known
  work.id - key.first_event AS event, -- [integer] position in the call tree, from 0
  work.uid AS uid, -- [integer] position in the event list of the file
  category.name AS kind, -- [text] category: kernel, gpu_memcpy, gpu_memset, ...
  string.text AS name, -- [kernel] name of the kernel, memcpy or memset
  kernel_class(key.purpose, work.category_id, work.name_id) AS class, -- [text] class of the GPU activity: computation, communication or memcpy
  gpu_event.device AS device, -- [integer] number of the device
  work.stream AS stream, -- [integer] number of the stream
  work.ts_ns AS ts_ns, -- start of the GPU activity, from the start of the trace
  work.dur_ns AS dur_ns, -- duration of the GPU activity
  gpu_event.bytes AS bytes, -- [bytes] bytes moved by the memcpy or memset
  gpu_event.correlation AS correlation, -- [integer] correlation id
  work.call_id - key.first_event AS call_event, -- [integer] position of the launching runtime call in the call tree
  call.ts_ns AS launched_ns, -- start of the launching runtime call
  CASE WHEN work.call_id IS NOT NULL THEN gpu_event.launcher_id - key.first_event END AS launcher_event, -- [integer] position of the launching op in the call tree, else of the runtime call
  CASE WHEN work.call_id IS NOT NULL THEN launcher.text END AS launcher, -- [text] name of the launching op
  work.launcher_category AS launcher_category, -- [text] category of the launching op
  parent.text AS parent, -- [text] name of the nearest op, else of the runtime call
  CASE
    WHEN work.parent_name_id IS NULL THEN NULL
    WHEN NOT work.has_op THEN (SELECT rule.category FROM kernel_category AS rule WHERE rule.purpose = 'launcher' AND parent.text REGEXP rule.pattern ORDER BY rule.priority LIMIT 1)
    ELSE coalesce(work.parent_category,
      (SELECT op_category.category FROM op_category WHERE op_category.op = parent.text AND NOT op_category.is_prefix),
      (SELECT op_category.category FROM op_category WHERE op_category.is_prefix AND substr(parent.text, 1, length(op_category.op)) = op_category.op ORDER BY length(op_category.op) DESC LIMIT 1),
      'other')
  END AS parent_category, -- [text] category of the nearest op, as in kernel_summary
  work.has_op AS has_op, -- [boolean] whether the parent is an op
  dims.text AS input_dims, -- [text] input shapes of the nearest op, JSON
  types.text AS input_types, -- [text] input dtypes of the nearest op, JSON
  strides.text AS input_strides, -- [text] input strides of the nearest op, JSON
  concrete.text AS concrete_inputs, -- [text] values of the scalar inputs of the nearest op, JSON
  args.json AS args -- [text] further arguments of the GPU activity, JSON
FROM fact_key AS key
CROSS JOIN launched_work AS work ON work.trace_id = key.trace_id
JOIN gpu_event ON gpu_event.id = work.id
JOIN category ON category.id = work.category_id
JOIN string ON string.id = work.name_id
LEFT JOIN event AS call ON call.id = work.call_id
LEFT JOIN string AS launcher ON launcher.id = gpu_event.launcher_name_id
LEFT JOIN string AS parent ON parent.id = work.parent_name_id
LEFT JOIN op ON op.id = work.parent_op_id
LEFT JOIN string AS dims ON dims.id = op.dims_id
LEFT JOIN string AS types ON types.id = op.types_id
LEFT JOIN string AS strides ON strides.id = op.strides_id
LEFT JOIN string AS concrete ON concrete.id = op.concrete_id
LEFT JOIN args ON args.id = gpu_event.args_id;

-- One row per call of an op with a performance model. Sums over calls need is_nested = 0.
CREATE VIEW fact_call AS
SELECT
  key.run AS run, -- [text] name of the run
  key.trace AS trace, -- [text] key of the trace: content hash, and rank where known
  call.id - key.first_event AS event, -- [integer] position in the call tree, from 0
  call.last_id - key.first_event AS last_event, -- [integer] position of the last descendant in the call tree, from 0
  call.uid AS uid, -- [integer] position in the event list of the file
  string.text AS name, -- [text] name of the op
  call.category AS category, -- [text] category of the op
  call.sheet AS sheet, -- [text] roofline sheet of the op
  call.model AS model, -- [text] name of the performance model
  call.status AS status, -- [text] status of the model: ok, no_bytes, fail or skip
  call.reason AS reason, -- [text] reason of a status other than ok
  call.is_nested AS is_nested, -- [boolean] whether the call is nested in another call of the same sheet
  call.is_pseudo AS is_pseudo, -- [boolean] whether the call is a pseudo op of an extension
  call.kernel_count AS kernel_count, -- [integer] number of GPU activities below the call
  CAST(round(call.kernel_ns) AS INTEGER) AS kernel_ns, -- busy time of the GPU activities below the call
  call.flops AS flops, -- [real] floating-point operations
  call.bytes AS bytes, -- [real] bytes that the call has to move
  call.compute_spec AS compute_spec, -- [text] kind of compute peak of the roofline
  call.params AS params, -- [text] shown parameters of the model, JSON object
  dims.text AS input_dims, -- [text] input shapes, JSON
  types.text AS input_types, -- [text] input dtypes, JSON
  strides.text AS input_strides, -- [text] input strides, JSON
  concrete.text AS concrete_inputs -- [text] values of the scalar inputs, JSON
FROM fact_key AS key
CROSS JOIN op_call AS call ON call.trace_id = key.trace_id
JOIN string ON string.id = call.name_id
LEFT JOIN op ON op.id = call.op_id
LEFT JOIN string AS dims ON dims.id = op.dims_id
LEFT JOIN string AS types ON types.id = op.types_id
LEFT JOIN string AS strides ON strides.id = op.strides_id
LEFT JOIN string AS concrete ON concrete.id = op.concrete_id;

-- One row per launcher (op, or runtime call without an op) of GPU activities other than
-- collectives.
CREATE VIEW fact_launcher AS
SELECT
  key.run AS run, -- [text] name of the run
  key.trace AS trace, -- [text] key of the trace: content hash, and rank where known
  work.launcher_id - key.first_event AS event, -- [integer] position in the call tree, from 0
  event.uid AS uid, -- [integer] position in the event list of the file
  string.text AS name, -- [text] name of the op
  work.category AS category, -- [text] category of the op
  track.thread AS thread, -- [text] thread of the op
  work.ts_ns AS ts_ns, -- start of the op, from the start of the trace
  work.kernel_count AS kernel_count, -- [integer] number of GPU activities that the op launches directly
  CAST(round(work.direct_ns) AS INTEGER) AS direct_ns, -- busy time of the GPU activities that the op launches directly
  CAST(round(work.subtree_ns) AS INTEGER) AS subtree_ns, -- busy time of all GPU activities below the op
  dims.text AS input_dims, -- [text] input shapes, JSON
  types.text AS input_types, -- [text] input dtypes, JSON
  strides.text AS input_strides, -- [text] input strides, JSON
  concrete.text AS concrete_inputs -- [text] values of the scalar inputs, JSON
FROM fact_key AS key
CROSS JOIN launcher_work AS work ON work.trace_id = key.trace_id
JOIN event ON event.id = work.launcher_id
JOIN string ON string.id = work.name_id
JOIN track ON track.id = work.track_id
LEFT JOIN op ON op.id = work.op_id
LEFT JOIN string AS dims ON dims.id = op.dims_id
LEFT JOIN string AS types ON types.id = op.types_id
LEFT JOIN string AS strides ON strides.id = op.strides_id
LEFT JOIN string AS concrete ON concrete.id = op.concrete_id;

-- One row per call of an nn.Module.
CREATE VIEW fact_module AS
SELECT
  key.run AS run, -- [text] name of the run
  key.trace AS trace, -- [text] key of the trace: content hash, and rank where known
  module.id - key.first_event AS event, -- [integer] position in the call tree, from 0
  string.text AS name, -- [text] name of the module
  parent.text AS parent, -- [text] name of the module around it
  module.is_repeated AS is_repeated, -- [boolean] whether a module of the same name is around the module
  module.ts_ns AS ts_ns, -- start of the module call, from the start of the trace
  module.dur_ns AS dur_ns, -- duration of the module call on the host
  CAST(round(module.below_ns) AS INTEGER) AS below_ns, -- busy time of the GPU activities below the module call
  CAST(round(module.inside_ns) AS INTEGER) AS inside_ns -- busy time of the GPU activities below submodules
FROM fact_key AS key
CROSS JOIN module_work AS module ON module.trace_id = key.trace_id
JOIN string ON string.id = module.name_id
LEFT JOIN string AS parent ON parent.id = module.parent_name_id
WHERE module.id IS NOT NULL;

-- One row per collective kernel, as recorded by its rank.
CREATE VIEW fact_collective AS
SELECT
  key.run AS run, -- [text] name of the run
  key.trace AS trace, -- [text] key of the trace: content hash, and rank where known
  stated.id - key.first_event AS event, -- [integer] position in the call tree, from 0
  stated.uid AS uid, -- [integer] position in the event list of the file
  stated.stream AS stream, -- [integer] number of the stream
  stated.ts_ns AS ts_ns, -- start of the collective kernel, from the start of the trace
  stated.dur_ns AS dur_ns, -- duration of the collective kernel
  stated.launched_ns AS launched_ns, -- start of the launching runtime call
  stated.source AS source, -- [text] source of the fields: kernel, param_comms, inferred or none
  stated.group_name AS group_name, -- [text] name of the process group
  stated.group_ranks AS group_ranks, -- [text] ranks of the process group
  stated.first_rank AS first_rank, -- [integer] first rank of the process group
  stated.rank_stride AS rank_stride, -- [integer] stride between ranks of the process group
  stated.collective_name AS collective_name, -- [text] kind of collective
  stated.group_size AS group_size, -- [integer] number of ranks in the collective
  stated.dtype AS dtype, -- [text] dtype of the elements
  stated.in_elements AS in_elements, -- [integer] number of input elements
  stated.out_elements AS out_elements, -- [integer] number of output elements
  stated.src_rank AS src_rank, -- [integer] number of the source rank
  stated.dst_rank AS dst_rank, -- [integer] number of the destination rank
  stated.seq AS seq -- [integer] sequence number in the communicator
FROM fact_key AS key
CROSS JOIN collective_stated AS stated ON stated.trace_id = key.trace_id;

-- One row per profiler step, range or point mark.
CREATE VIEW fact_step AS
SELECT
  key.run AS run, -- [text] name of the run
  key.trace AS trace, -- [text] key of the trace: content hash, and rank where known
  signpost.id - key.first_event AS event, -- [integer] position in the call tree, from 0
  signpost.kind AS kind, -- [text] kind of mark: step, range, gpu_step, gpu_range or point
  signpost.name AS name, -- [text] name of the range
  signpost.step AS step, -- [integer] number of the profiler step
  signpost.ts_ns AS ts_ns, -- start of the range, from the start of the trace
  signpost.dur_ns AS dur_ns -- duration of the range; NULL for a point
FROM fact_key AS key
JOIN scope ON scope.trace_id = key.trace_id
CROSS JOIN signpost ON signpost.id BETWEEN scope.first_event AND scope.last_event;

-- One row per kind of record that could not be used as recorded.
CREATE VIEW fact_note AS
SELECT
  key.run AS run, -- [text] name of the run
  key.trace AS trace, -- [text] key of the trace: content hash, and rank where known
  note.kind AS kind, -- [text] kind of note, in one word
  note.detail AS detail, -- [text] text of the note, in a sentence
  note.count AS count -- [integer] number of occurrences
FROM fact_key AS key
JOIN ingest_note AS note ON note.trace_id = key.trace_id;

-- One row per event.
CREATE VIEW fact_event AS
SELECT
  key.run AS run, -- [text] name of the run
  key.trace AS trace, -- [text] key of the trace: content hash, and rank where known
  slice.id - key.first_event AS event, -- [integer] position in the call tree, from 0
  slice.uid AS uid, -- [integer] position in the event list of the file
  slice.category AS category, -- [text] category of the event
  slice.role AS role, -- [text] role in the call tree
  slice.name AS name, -- [text] name of the event
  slice.process AS process, -- [text] name of the process or device
  slice.thread AS thread, -- [text] name of the thread or stream
  slice.ts_ns AS ts_ns, -- start of the event, from the start of the trace
  slice.dur_ns AS dur_ns, -- duration of the event
  slice.self_ns AS self_ns, -- self time: duration without the children on the host
  slice.parent_id - key.first_event AS parent_event, -- [integer] position of the parent event in the call tree, from 0
  slice.last_id - key.first_event AS last_event, -- [integer] position of the last descendant in the call tree, from 0
  slice.correlation AS correlation, -- [integer] correlation id
  dims.text AS input_dims, -- [text] input shapes, JSON
  types.text AS input_types, -- [text] input dtypes, JSON
  strides.text AS input_strides, -- [text] input strides, JSON
  concrete.text AS concrete_inputs, -- [text] values of the scalar inputs, JSON
  slice.args AS args -- [text] further arguments, JSON
FROM fact_key AS key
CROSS JOIN slice ON slice.trace_id = key.trace_id
LEFT JOIN op ON op.id = slice.op_id
LEFT JOIN string AS dims ON dims.id = op.dims_id
LEFT JOIN string AS types ON types.id = op.types_id
LEFT JOIN string AS strides ON strides.id = op.strides_id
LEFT JOIN string AS concrete ON concrete.id = op.concrete_id;

-- The report gpu_timeline for export, read by views over many runs.
CREATE VIEW sheet_gpu_timeline AS
SELECT
  key.run AS run, -- [text] name of the run
  key.trace AS trace, -- [text] key of the trace: content hash, and rank where known
  timeline.type AS type, -- [text] kind of time
  timeline.time_ms AS time_ms, -- time of the kind
  timeline.percent AS percent, -- [%] share of the total time
  timeline.is_recompute AS is_recompute -- [boolean] whether the GPU activities recompute activations
FROM fact_key AS key
JOIN gpu_timeline AS timeline ON timeline.trace_id = key.trace_id;
