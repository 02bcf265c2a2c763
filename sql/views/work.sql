-- What several reports stand on.

-- What an op is by the name of its model, where op_category does not say. Apart from that, so that
-- either is looked up by its index.
CREATE VIEW category_of_model AS
SELECT
  op AS op, -- name of the op
  category AS category, -- category of the op
  source = 'tpq' AS place -- the least holds
FROM perf_model
WHERE match = 'exact' AND category <> 'other'
  AND profile IN ('both', CASE WHEN (SELECT tpq_like_reference('categories of ops')) THEN 'compat' ELSE 'fixed' END);

-- Traces with ops. Of the others the host's side says nothing, and reports about ops leave them out.
CREATE VIEW trace_with_ops AS
SELECT
  scope.run AS run, -- name of the run
  scope.trace_id AS trace_id -- id of the trace
FROM (SELECT DISTINCT run, trace_id FROM scope) AS scope
JOIN trace ON trace.id = scope.trace_id
WHERE EXISTS (
  SELECT 1 FROM event
  WHERE event.id BETWEEN trace.first_event AND trace.last_event
  AND event.category_id IN (SELECT id FROM category WHERE name IN ('cpu_op', 'python_func')));

-- The kind of work by its name, for every name of selected GPU activities.
CREATE VIEW work_class AS
SELECT
  work.run AS run, -- name of the run
  work.trace_id AS trace_id, -- id of the trace
  work.category_id AS category_id, -- kind of event
  work.name_id AS name_id, -- name of the GPU activity
  kernel_class('timeline', work.category_id, work.name_id) AS class -- computation, communication or memcpy
FROM (
  SELECT DISTINCT scope.run AS run, scope.trace_id AS trace_id, gpu_event.category_id AS category_id, gpu_event.name_id AS name_id
  FROM scope
  CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
) AS work;

-- GPU activities that the timeline is made of: all of it; with --compat only what is linked to a
-- call, unless --include-unlinked-kernels is set.
CREATE VIEW timeline_work AS
SELECT
  scope.run AS run, -- name of the run
  scope.trace_id AS trace_id, -- id of the trace
  CASE WHEN linked_work.call_id IS NULL THEN scope.is_recompute * 0 ELSE scope.is_recompute END AS is_recompute, -- whether it recomputes activations: where it was launched says so
  linked_work.id AS id, -- id of the event
  linked_work.device AS device, -- number of the device
  linked_work.ts_ns AS ts_ns, -- start, from the start of the trace
  linked_work.dur_ns AS dur_ns, -- duration of the GPU activity
  kernel_class('timeline', linked_work.category_id, linked_work.name_id) AS class -- computation, communication or memcpy
FROM scope
CROSS JOIN linked_work ON linked_work.id BETWEEN scope.first_event AND scope.last_event
WHERE linked_work.call_id IS NOT NULL OR (SELECT tpq_option('include-unlinked-kernels')) IS NOT NULL
OR NOT (SELECT tpq_like_reference('timeline: work without a launcher'));

-- Only total_ns of timeline_sum, for which work need not be classified.
CREATE VIEW timeline_total AS
SELECT
  scope.run AS run, -- name of the run
  scope.trace_id AS trace_id, -- id of the trace
  CASE WHEN linked_work.call_id IS NULL THEN scope.is_recompute * 0 ELSE scope.is_recompute END AS is_recompute, -- whether it recomputes activations: where it was launched says so
  max(linked_work.ts_ns + linked_work.dur_ns) - min(linked_work.ts_ns) AS total_ns -- from the first start to the last end of what the timeline is made of
FROM scope
CROSS JOIN linked_work ON linked_work.id BETWEEN scope.first_event AND scope.last_event
WHERE linked_work.call_id IS NOT NULL OR (SELECT tpq_option('include-unlinked-kernels')) IS NOT NULL
OR NOT (SELECT tpq_like_reference('timeline: work without a launcher'))
GROUP BY scope.run, scope.trace_id, CASE WHEN linked_work.call_id IS NULL THEN scope.is_recompute * 0 ELSE scope.is_recompute END;

-- Only what rows of unified_perf_summary are told apart by, with their time and calls, for which no
-- roofline need be known.
CREATE VIEW collected_figures AS
SELECT
  call.run AS run, -- name of the run
  call.trace_id AS trace_id, -- id of the trace
  name.text || coalesce('->' || kernel.text || ' (Synthetic Op)', '') AS name, -- [call] name of the op; of a GPU activity in no such op, its launch and its own name
  dims.text AS input_dims, -- [tuple] dimensions of the inputs
  types.text AS input_type, -- [tuple] types of the inputs
  strides.text AS input_strides, -- [tuple] strides of the inputs
  concrete.text AS concrete_inputs, -- [tuple] values of scalar inputs
  call.is_recompute AS is_recompute, -- [boolean] whether it recomputes activations
  call.calls AS operation_count, -- [integer] number of calls
  call.kernel_us AS kernel_time_sum -- [us] GPU busy time below the calls
FROM collected_time AS call
JOIN string AS name ON name.id = call.name_id
LEFT JOIN string AS kernel ON kernel.id = call.kernel_name_id
LEFT JOIN op ON op.id = call.op_id
LEFT JOIN string AS dims ON dims.id = op.dims_id
LEFT JOIN string AS types ON types.id = op.types_id
LEFT JOIN string AS strides ON strides.id = op.strides_id
LEFT JOIN string AS concrete ON concrete.id = op.concrete_id
WHERE call.trace_id IN (SELECT trace_id FROM trace_with_ops)
ORDER BY call.run, call.trace_id, call.kernel_us DESC;

-- Every kernel (not memcpy and memset) with the op that it belongs to. `execute` is an op here.
CREATE VIEW kernel_work AS
SELECT
  scope.run AS run, -- name of the run
  scope.trace_id AS trace_id, -- id of the trace
  linked_work.id AS id, -- id of the event
  linked_work.uid AS uid, -- place in the file
  linked_work.name_id AS name_id, -- name of the kernel
  linked_work.stream AS stream, -- number of the stream
  linked_work.ts_ns AS ts_ns, -- start, from the start of the trace
  linked_work.dur_ns AS dur_ns, -- duration of the kernel
  linked_work.call_id AS call_id, -- id of the runtime call that launched the kernel
  linked_work.cpu_op_id AS cpu_op_id, -- id of the nearest op above the runtime call
  linked_work.launcher_id AS launcher_id, -- id of the op that launched the kernel
  linked_work.args_id AS args_id -- other arguments
FROM scope
CROSS JOIN linked_work ON linked_work.id BETWEEN scope.first_event AND scope.last_event
WHERE linked_work.category_id = (SELECT id FROM category WHERE name = 'kernel');
