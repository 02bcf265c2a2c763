-- Facts in words, and what was evaluated of them, as other engines are given them. Numbers of this
-- warehouse mean nothing elsewhere: `trace` is the content of a file and its rank, `event` the place
-- of an event in the call tree of its trace, from 0. So rows of several warehouses stand side by
-- side, and are the same rows in each of them.

-- What a trace is called elsewhere.
CREATE VIEW fact_key AS
SELECT
  scope.run AS run, -- run
  scope.trace_id AS trace_id, -- trace here
  trace.content_hash || coalesce('-' || trace.rank, '') AS trace, -- hash of its content, and its rank where that is known
  trace.first_event AS first_event, -- id of its first event
  CASE trace.format WHEN 'xplane' THEN 'xla timeline' ELSE 'timeline' END AS purpose -- rules that tell kinds of work
FROM (SELECT DISTINCT run, trace_id FROM scope) AS scope
JOIN trace ON trace.id = scope.trace_id;

-- A row for each trace.
CREATE VIEW fact_trace AS
SELECT
  key.run AS run, -- [text] run
  key.trace AS trace, -- [text] hash of its content, and its rank where that is known
  trace.rank AS rank, -- [integer] rank
  trace.world_size AS world_size, -- [integer] number of ranks that the file states
  trace.path AS path, -- [text] where the file was
  trace.format AS format, -- [text] which reader took it
  trace.file_bytes AS file_bytes, -- size of the file
  trace.content_bytes AS content_bytes, -- size of its decompressed content
  trace.content_hash AS content_hash, -- [text] hash of that
  trace.wall_start_ns AS wall_start_ns, -- start in nanoseconds since 1970, where the file tells
  trace.clock_start_ns AS clock_start_ns, -- start on the file's own clock
  trace.last_event - trace.first_event + 1 AS events, -- [integer] number of its events
  (SELECT count(*) FROM gpu_event WHERE gpu_event.id BETWEEN trace.first_event AND trace.last_event) AS gpu_events, -- [integer] how many of them are accelerator work
  (SELECT device.name FROM device WHERE device.trace_id = trace.id ORDER BY device.ordinal, device.id LIMIT 1) AS device, -- [text] model of its first accelerator
  (SELECT count(*) FROM device WHERE device.trace_id = trace.id) AS devices, -- [integer] number of accelerators that it names
  run.labels AS labels, -- [text] labels of the run, JSON object
  run.note AS note, -- [text] note on the run
  trace.tree AS tree, -- [text] how slices that start together nest
  trace.frames AS frames, -- [boolean] 1 when Python frames were taken in
  CAST(round(ledger.busy_ns) AS INTEGER) AS busy_ns, -- time with any accelerator work
  CAST(round(ledger.linked_ns) AS INTEGER) AS linked_ns, -- time with work that is linked to an op
  CAST(round(ledger.categorised_ns) AS INTEGER) AS categorised_ns, -- time with work whose op has a category
  CAST(round(ledger.modelled_ns) AS INTEGER) AS modelled_ns, -- time with work below a call that has a model
  run.created_at AS created_at, -- [text] when the first trace of the run came in, UTC
  trace.ingested_at AS ingested_at, -- [text] when this one came in, UTC
  trace.tool_version AS tool_version -- [text] version of tpq that ingested it
FROM fact_key AS key
JOIN trace ON trace.id = key.trace_id
JOIN run ON run.id = trace.run_id
LEFT JOIN ledger ON ledger.trace_id = key.trace_id;

-- A row for each piece of accelerator work, with what launched it.
CREATE VIEW fact_gpu AS
SELECT
  key.run AS run, -- [text] run
  key.trace AS trace, -- [text] trace
  work.id - key.first_event AS event, -- [integer] place in the call tree, from 0
  work.uid AS uid, -- [integer] place in the file's event list
  category.name AS kind, -- [text] kernel, gpu_memcpy, gpu_memset, ...
  string.text AS name, -- [kernel] name of the kernel or copy
  kernel_class(key.purpose, work.category_id, work.name_id) AS class, -- [text] computation, communication or memcpy
  gpu_event.device AS device, -- [integer] number of the device
  work.stream AS stream, -- [integer] number of the stream
  work.ts_ns AS ts_ns, -- start, from the start of the trace
  work.dur_ns AS dur_ns, -- duration
  gpu_event.bytes AS bytes, -- [bytes] moved by a copy or set
  gpu_event.correlation AS correlation, -- [integer] correlation id
  work.call_id - key.first_event AS call_event, -- [integer] runtime call that launched it
  call.ts_ns AS launched_ns, -- start of that call
  CASE WHEN work.call_id IS NOT NULL THEN gpu_event.launcher_id - key.first_event END AS launcher_event, -- [integer] op that launched it, else the call
  CASE WHEN work.call_id IS NOT NULL THEN launcher.text END AS launcher, -- [text] name of that op
  work.launcher_category AS launcher_category, -- [text] category of that op
  parent.text AS parent, -- [text] nearest op, else the runtime call
  CASE
    WHEN work.parent_name_id IS NULL THEN NULL
    WHEN NOT work.has_op THEN (SELECT rule.category FROM kernel_category AS rule WHERE rule.purpose = 'launcher' AND parent.text REGEXP rule.pattern ORDER BY rule.priority LIMIT 1)
    ELSE coalesce(work.parent_category,
      (SELECT op_category.category FROM op_category WHERE op_category.op = parent.text AND NOT op_category.is_prefix),
      (SELECT op_category.category FROM op_category WHERE op_category.is_prefix AND substr(parent.text, 1, length(op_category.op)) = op_category.op ORDER BY length(op_category.op) DESC LIMIT 1),
      'other')
  END AS parent_category, -- [text] category of that op, as kernel_summary has it
  work.has_op AS has_op, -- [boolean] whether the parent is an op
  dims.text AS input_dims, -- [text] input dimensions of that op, JSON
  types.text AS input_types, -- [text] its input types, JSON
  strides.text AS input_strides, -- [text] its input strides, JSON
  concrete.text AS concrete_inputs, -- [text] its scalar inputs, JSON
  args.json AS args -- [text] other arguments of the work, JSON
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

-- A row for each call of an op that has a model. Sums over calls need is_nested = 0.
CREATE VIEW fact_call AS
SELECT
  key.run AS run, -- [text] run
  key.trace AS trace, -- [text] trace
  call.id - key.first_event AS event, -- [integer] place in the call tree, from 0
  call.last_id - key.first_event AS last_event, -- [integer] its last descendant
  call.uid AS uid, -- [integer] place in the file's event list
  string.text AS name, -- [text] name of the op
  call.category AS category, -- [text] its category
  call.sheet AS sheet, -- [text] sheet of the rooflines that it stands on
  call.model AS model, -- [text] model that is used
  call.status AS status, -- [text] ok, no_bytes, fail or skip
  call.reason AS reason, -- [text] why it is not ok
  call.is_nested AS is_nested, -- [boolean] whether it is inside another call of the same sheet
  call.is_pseudo AS is_pseudo, -- [boolean] whether it is a pseudo op of an extension
  call.kernel_count AS kernel_count, -- [integer] pieces of work below it
  CAST(round(call.kernel_ns) AS INTEGER) AS kernel_ns, -- time covered by them
  call.flops AS flops, -- [real] floating-point operations
  call.bytes AS bytes, -- [real] bytes that it has to move
  call.compute_spec AS compute_spec, -- [text] kind of peak that bounds it
  call.params AS params, -- [text] parameters that are shown of it, JSON object
  dims.text AS input_dims, -- [text] input dimensions, JSON
  types.text AS input_types, -- [text] input types, JSON
  strides.text AS input_strides, -- [text] input strides, JSON
  concrete.text AS concrete_inputs -- [text] scalar inputs, JSON
FROM fact_key AS key
CROSS JOIN op_call AS call ON call.trace_id = key.trace_id
JOIN string ON string.id = call.name_id
LEFT JOIN op ON op.id = call.op_id
LEFT JOIN string AS dims ON dims.id = op.dims_id
LEFT JOIN string AS types ON types.id = op.types_id
LEFT JOIN string AS strides ON strides.id = op.strides_id
LEFT JOIN string AS concrete ON concrete.id = op.concrete_id;

-- A row for each op, or call without an op, that launched work other than collectives.
CREATE VIEW fact_launcher AS
SELECT
  key.run AS run, -- [text] run
  key.trace AS trace, -- [text] trace
  work.launcher_id - key.first_event AS event, -- [integer] place in the call tree, from 0
  event.uid AS uid, -- [integer] place in the file's event list
  string.text AS name, -- [text] name of the op
  work.category AS category, -- [text] its category
  track.thread AS thread, -- [text] thread that it ran on
  work.ts_ns AS ts_ns, -- start, from the start of the trace
  work.kernel_count AS kernel_count, -- [integer] pieces of its own work
  CAST(round(work.direct_ns) AS INTEGER) AS direct_ns, -- time covered by its own work
  CAST(round(work.subtree_ns) AS INTEGER) AS subtree_ns, -- time covered by all work below it
  dims.text AS input_dims, -- [text] input dimensions, JSON
  types.text AS input_types, -- [text] input types, JSON
  strides.text AS input_strides, -- [text] input strides, JSON
  concrete.text AS concrete_inputs -- [text] scalar inputs, JSON
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

-- A row for each call of an nn.Module.
CREATE VIEW fact_module AS
SELECT
  key.run AS run, -- [text] run
  key.trace AS trace, -- [text] trace
  module.id - key.first_event AS event, -- [integer] place in the call tree, from 0
  string.text AS name, -- [text] name of the module
  parent.text AS parent, -- [text] name of the module around it
  module.is_repeated AS is_repeated, -- [boolean] whether one of the same name is around it
  module.ts_ns AS ts_ns, -- start, from the start of the trace
  module.dur_ns AS dur_ns, -- duration on the host
  CAST(round(module.below_ns) AS INTEGER) AS below_ns, -- time covered by work below it
  CAST(round(module.inside_ns) AS INTEGER) AS inside_ns -- of that, time covered by work below modules inside it
FROM fact_key AS key
CROSS JOIN module_work AS module ON module.trace_id = key.trace_id
JOIN string ON string.id = module.name_id
LEFT JOIN string AS parent ON parent.id = module.parent_name_id
WHERE module.id IS NOT NULL;

-- A row for each collective kernel, as one rank states it.
CREATE VIEW fact_collective AS
SELECT
  key.run AS run, -- [text] run
  key.trace AS trace, -- [text] trace
  stated.id - key.first_event AS event, -- [integer] place in the call tree, from 0
  stated.uid AS uid, -- [integer] place in the file's event list
  stated.stream AS stream, -- [integer] number of the stream
  stated.ts_ns AS ts_ns, -- start, from the start of the trace
  stated.dur_ns AS dur_ns, -- duration
  stated.launched_ns AS launched_ns, -- start of the call that launched it
  stated.source AS source, -- [text] who says what follows: kernel, param_comms, inferred or none
  stated.group_name AS group_name, -- [text] process group
  stated.group_ranks AS group_ranks, -- [text] ranks in it
  stated.first_rank AS first_rank, -- [integer] the first of them
  stated.rank_stride AS rank_stride, -- [integer] how far the others are from each other
  stated.collective_name AS collective_name, -- [text] which collective
  stated.group_size AS group_size, -- [integer] ranks that take part
  stated.dtype AS dtype, -- [text] type of the elements
  stated.in_elements AS in_elements, -- [integer] elements that go in
  stated.out_elements AS out_elements, -- [integer] elements that come out
  stated.src_rank AS src_rank, -- [integer] rank that it gets from
  stated.dst_rank AS dst_rank, -- [integer] rank that it sends to
  stated.seq AS seq -- [integer] sequence number in the communicator
FROM fact_key AS key
CROSS JOIN collective_stated AS stated ON stated.trace_id = key.trace_id;

-- A row for each profiler step, range or point that someone marked.
CREATE VIEW fact_step AS
SELECT
  key.run AS run, -- [text] run
  key.trace AS trace, -- [text] trace
  signpost.id - key.first_event AS event, -- [integer] place in the call tree, from 0
  signpost.kind AS kind, -- [text] step, range, gpu_step, gpu_range or point
  signpost.name AS name, -- [text] its name
  signpost.step AS step, -- [integer] number of a profiler step
  signpost.ts_ns AS ts_ns, -- start, from the start of the trace
  signpost.dur_ns AS dur_ns -- duration; NULL for a point
FROM fact_key AS key
JOIN scope ON scope.trace_id = key.trace_id
CROSS JOIN signpost ON signpost.id BETWEEN scope.first_event AND scope.last_event;

-- A row for each kind of thing that could not be used as it stood.
CREATE VIEW fact_note AS
SELECT
  key.run AS run, -- [text] run
  key.trace AS trace, -- [text] trace
  note.kind AS kind, -- [text] what it was, in one word
  note.detail AS detail, -- [text] what it was, in a sentence
  note.count AS count -- [integer] how often
FROM fact_key AS key
JOIN ingest_note AS note ON note.trace_id = key.trace_id;

-- A row for every event.
CREATE VIEW fact_event AS
SELECT
  key.run AS run, -- [text] run
  key.trace AS trace, -- [text] trace
  slice.id - key.first_event AS event, -- [integer] place in the call tree, from 0
  slice.uid AS uid, -- [integer] place in the file's event list
  slice.category AS category, -- [text] kind of event
  slice.role AS role, -- [text] part in the call tree
  slice.name AS name, -- [text] name
  slice.process AS process, -- [text] process, or device
  slice.thread AS thread, -- [text] thread, or stream
  slice.ts_ns AS ts_ns, -- start, from the start of the trace
  slice.dur_ns AS dur_ns, -- duration
  slice.self_ns AS self_ns, -- duration without its children on the host
  slice.parent_id - key.first_event AS parent_event, -- [integer] event that it was called or launched from
  slice.last_id - key.first_event AS last_event, -- [integer] its last descendant
  slice.correlation AS correlation, -- [integer] correlation id
  dims.text AS input_dims, -- [text] input dimensions, JSON
  types.text AS input_types, -- [text] input types, JSON
  strides.text AS input_strides, -- [text] input strides, JSON
  concrete.text AS concrete_inputs, -- [text] scalar inputs, JSON
  slice.args AS args -- [text] other arguments, JSON
FROM fact_key AS key
CROSS JOIN slice ON slice.trace_id = key.trace_id
LEFT JOIN op ON op.id = slice.op_id
LEFT JOIN string AS dims ON dims.id = op.dims_id
LEFT JOIN string AS types ON types.id = op.types_id
LEFT JOIN string AS strides ON strides.id = op.strides_id
LEFT JOIN string AS concrete ON concrete.id = op.concrete_id;

-- The report gpu_timeline as other engines have it, for views over many runs that stand on it.
CREATE VIEW sheet_gpu_timeline AS
SELECT
  key.run AS run, -- [text] run
  key.trace AS trace, -- [text] trace
  timeline.type AS type, -- [text] kind of time
  timeline.time_ms AS time_ms, -- time of this kind
  timeline.percent AS percent, -- [%] share of the total time
  timeline.is_recompute AS is_recompute -- [boolean] whether it recomputes activations
FROM fact_key AS key
JOIN gpu_timeline AS timeline ON timeline.trace_id = key.trace_id;
