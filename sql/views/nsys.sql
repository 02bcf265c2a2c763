-- Summaries of Nsight Systems, from events of any format: calls, kernels, copies, ranges.

-- Kinds of copies: how events are called, and how Nsight Systems calls them.
CREATE VIEW nsys_copy_kind AS
SELECT
  column1 AS place, -- number of the kind
  column2 AS short, -- name of the kind in the names of events
  column3 AS label -- name of the kind in reports of Nsight Systems
FROM (VALUES
  (1, 'HtoD', 'memcpy Host-to-Device'), (2, 'DtoH', 'memcpy Device-to-Host'), (3, 'HtoA', 'memcpy Host-to-Array'),
  (4, 'AtoH', 'memcpy Array-to-Host'), (5, 'AtoA', 'memcpy Array-to-Array'), (6, 'AtoD', 'memcpy Array-to-Device'),
  (7, 'DtoA', 'memcpy Device-to-Array'), (8, 'DtoD', 'memcpy Device-to-Device'), (9, 'HtoH', 'memcpy Host-to-Host'),
  (10, 'PtoP', 'memcpy Peer-to-Peer'), (11, 'Unified HtoD', 'memcpy Unified Host-to-Device'),
  (12, 'Unified DtoH', 'memcpy Unified Device-to-Host'), (13, 'Unified DtoD', 'memcpy Unified Device-to-Device'), (14, 'Unknown', 'memcpy Unknown'));

-- The names of memcpy and memset with the label that they have in reports.
CREATE VIEW nsys_memory_label AS
SELECT
  string.id AS name_id, -- name of the event
  CASE WHEN string.text >= 'Memset' THEN 0 ELSE kind.place END AS place, -- number of the kind; 0 = a memset
  CASE WHEN string.text >= 'Memset' THEN '[CUDA memset]' ELSE '[CUDA ' || kind.label || ']' END AS label, -- label of the memcpy or memset in reports
  CASE WHEN string.text >= 'Memset' THEN substr(string.text, 9, length(string.text) - 9)
    ELSE substr(string.text, instr(string.text, ' (') + 2, instr(string.text, ' -> ') - instr(string.text, ' (') - 2) END AS source, -- kind of source memory; of a memset the kind of the memory set
  CASE WHEN kind.place > 0 THEN substr(string.text, instr(string.text, ' -> ') + 4, length(string.text) - instr(string.text, ' -> ') - 4) END AS target -- kind of destination memory
FROM string
LEFT JOIN nsys_copy_kind AS kind ON substr(string.text, 8, length(kind.short) + 2) = kind.short || ' ('
WHERE (string.text >= 'Memcpy ' AND string.text < 'Memcpz') OR (string.text >= 'Memset' AND string.text < 'Memseu');

-- Runtime calls by name, with the version that Nsight Systems gives them: older reports show those of five digits.
CREATE VIEW nsys_call_version AS
SELECT DISTINCT
  scope.run AS run, -- name of the run
  scope.trace_id AS trace_id, -- id of the trace
  version.key AS name, -- name of the call
  version.value AS version -- version behind the name of the call: _v7000
FROM scope
JOIN trace ON trace.id = scope.trace_id
CROSS JOIN json_each(trace.metadata, '$.call_versions') AS version;

-- Names of calls as reports have them.
CREATE VIEW nsys_call_name AS
SELECT
  named.run AS run, -- name of the run
  string.id AS name_id, -- name of the call
  string.text || named.version AS name -- name of the call, with the version that older reports leave there
FROM (
  SELECT run, name, CASE WHEN length(min(version)) = 7 AND (SELECT tpq_like_reference('nsys: names of calls')) THEN min(version) ELSE '' END AS version
  FROM nsys_call_version
  GROUP BY run, name
) AS named
JOIN string ON string.text = named.name;

-- Kernels with the names that :base and :nvtx-name behind the name of a report ask for; without them no row.
CREATE VIEW nsys_named_kernel AS
WITH asked AS MATERIALIZED (
  SELECT tpq_option('nvtx-names') AS has_ranges WHERE (SELECT tpq_option('kernel-names')) IS NOT NULL OR (SELECT tpq_option('nvtx-names')) IS NOT NULL
),
tightest AS MATERIALIZED (
  SELECT pair.run AS run, pair.call_id AS call_id, pair.last_id AS last_id, pair.range_id AS range_id, pair.name AS name, max(pair.rowid) AS place
  FROM asked
  CROSS JOIN range_call AS pair
  WHERE asked.has_ranges IS NOT NULL
  GROUP BY pair.call_id
),
around AS MATERIALIZED (
  SELECT tightest.run AS run, tightest.call_id AS call_id, tightest.last_id AS last_id, coalesce(string.text, tightest.name) || '/' AS name
  FROM tightest
  LEFT JOIN signpost ON signpost.id = tightest.range_id
  LEFT JOIN event ON event.id = signpost.id
  LEFT JOIN string ON string.id = event.name_id
),
found AS (
  SELECT scope.run AS run, gpu_event.id AS id, gpu_event.dur_ns AS dur_ns, gpu_event.name_id AS name_id, NULL AS around
  FROM asked
  CROSS JOIN scope
  CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
  WHERE gpu_event.category_id IN (SELECT id FROM category WHERE name = 'kernel' OR (name = 'gpu_graph' AND NOT (SELECT tpq_like_reference('nsys: graphs as a whole'))))
  UNION ALL
  SELECT around.run, gpu_event.id, NULL, NULL, around.name
  FROM around
  CROSS JOIN gpu_event ON gpu_event.id BETWEEN around.call_id AND around.last_id
  WHERE +gpu_event.call_id = around.call_id
),
kernel AS MATERIALIZED (
  SELECT run, id, max(dur_ns) AS dur_ns, max(name_id) AS name_id, max(around) AS around
  FROM found
  GROUP BY run, id
  HAVING max(name_id) IS NOT NULL
)
SELECT
  kernel.run AS run, -- name of the run
  kernel.id AS id, -- id of the kernel
  kernel.dur_ns AS dur_ns, -- duration of the kernel
  coalesce(kernel.around, '') || CASE WHEN (SELECT tpq_option('kernel-names')) = 'base' THEN kernel_base_name(string.text) ELSE string.text END AS name -- name of the kernel; with :nvtx-name behind the text of the innermost range around the launch
FROM kernel
CROSS JOIN string ON string.id = kernel.name_id;

-- Statistics of each name in a summary.
CREATE VIEW nsys_summary AS
WITH chosen AS (
  SELECT DISTINCT run FROM scope
),
-- The figures of each name, as lists that C makes: a scan for a run, without sorting its events.
nsys_summary_list AS (
  SELECT chosen.run AS run, 'call' AS kind,
    (SELECT summaries(event.dur_ns, event.name_id)
      FROM scope
      CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
      WHERE scope.run = chosen.run AND event.category_id IN (SELECT id FROM category WHERE role = 'call')) AS list
  FROM chosen
  UNION ALL
  SELECT chosen.run, 'kernel',
    (SELECT summaries(gpu_event.dur_ns, gpu_event.name_id)
      FROM scope
      CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
      WHERE scope.run = chosen.run AND gpu_event.category_id IN (SELECT id FROM category WHERE name = 'kernel' OR (name = 'gpu_graph' AND NOT (SELECT tpq_like_reference('nsys: graphs as a whole')))))
  FROM chosen
  WHERE (SELECT tpq_option('kernel-names')) IS NULL AND (SELECT tpq_option('nvtx-names')) IS NULL
  UNION ALL
  SELECT named.run, 'kernel', summaries(named.dur_ns, named.name)
  FROM nsys_named_kernel AS named
  GROUP BY named.run
  UNION ALL
  SELECT chosen.run, 'memory',
    (SELECT summaries(gpu_event.dur_ns, coalesce(-1 - label.place, gpu_event.name_id))
      FROM scope
      CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
      LEFT JOIN (SELECT name_id, place FROM nsys_memory_label) AS label ON label.name_id = gpu_event.name_id
      WHERE scope.run = chosen.run AND gpu_event.category_id IN (SELECT id FROM category WHERE name IN ('gpu_memcpy', 'gpu_memset')))
  FROM chosen
  UNION ALL
  SELECT chosen.run, 'system',
    (SELECT summaries(event.dur_ns, event.name_id)
      FROM scope
      CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
      WHERE scope.run = chosen.run AND event.category_id = (SELECT id FROM category WHERE name = 'os_runtime'))
  FROM chosen
  UNION ALL
  SELECT chosen.run, 'kernel call',
    (SELECT summaries(event.dur_ns, event.name_id)
      FROM scope
      CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
      WHERE scope.run = chosen.run AND event.category_id = (SELECT id FROM category WHERE name = 'syscall'))
  FROM chosen
),
grouped AS (
  SELECT lists.run AS run, lists.kind AS kind, CASE WHEN arg(item.value, 'key1') >= 0 THEN arg(item.value, 'key1') END AS name_id, typeof(arg(item.value, 'key1')) = 'text' AS is_text,
    CASE WHEN arg(item.value, 'key1') < 0 THEN -1 - arg(item.value, 'key1') END AS place,
    arg(item.value, 'sum') AS total, arg(item.value, 'count') AS count, arg(item.value, 'mean') AS mean, arg(item.value, 'median') AS middle,
    arg(item.value, 'min') AS least, arg(item.value, 'max') AS most, coalesce(arg(item.value, 'stddev'), 0.0) AS deviation
  FROM nsys_summary_list AS lists
  CROSS JOIN json_each(lists.list) AS item
)
SELECT
  grouped.run AS run, -- name of the run
  grouped.kind AS kind, -- call, kernel, memory, system or kernel call
  coalesce(CASE WHEN grouped.place = 0 THEN '[CUDA memset]' ELSE '[CUDA ' || copy.label || ']' END, CASE WHEN grouped.is_text THEN grouped.name_id END, call.name, string.text) AS name, -- name of the call, kernel or copy
  grouped.total AS total_ns, -- total duration
  grouped.count AS instances, -- number of instances
  grouped.mean AS mean_ns, -- mean duration
  grouped.middle AS median_ns, -- median duration
  grouped.least AS min_ns, -- minimum duration
  grouped.most AS max_ns, -- maximum duration
  grouped.deviation AS stddev_ns -- sample standard deviation of the duration; 0 for one instance
FROM grouped
LEFT JOIN string ON NOT grouped.is_text AND string.id = grouped.name_id
LEFT JOIN nsys_call_name AS call ON call.run = grouped.run AND call.name_id = grouped.name_id AND grouped.kind = 'call'
LEFT JOIN nsys_copy_kind AS copy ON copy.place = grouped.place;

-- Shapes and sizes in argument lists of GPU activities, each list once.
CREATE VIEW nsys_shape AS
WITH lists AS (
  SELECT args.id AS args_id, args.json AS json, substr(arg(args.json, 'grid'), 2) AS grid, substr(arg(args.json, 'block'), 2) AS block
  FROM args
),
seconds AS (
  SELECT args_id, json, grid, block, substr(grid, instr(grid, ',') + 1) AS grid_rest, substr(block, instr(block, ',') + 1) AS block_rest
  FROM lists
),
extents AS (
  SELECT args_id, json, CAST(grid AS INTEGER) AS grid_x, CAST(grid_rest AS INTEGER) AS grid_y, CAST(substr(grid_rest, instr(grid_rest, ',') + 1) AS INTEGER) AS grid_z,
    CAST(block AS INTEGER) AS block_x, CAST(block_rest AS INTEGER) AS block_y, CAST(substr(block_rest, instr(block_rest, ',') + 1) AS INTEGER) AS block_z
  FROM seconds
)
SELECT
  args_id AS args_id, -- id of the argument list
  CASE WHEN grid_x IS NOT NULL THEN printf('%4d %4d %4d', grid_x, grid_y, grid_z) END AS grid, -- blocks, as one text
  CASE WHEN block_x IS NOT NULL THEN printf('%4d %4d %4d', block_x, block_y, block_z) END AS block, -- threads of a block, as one text
  grid_x AS grid_x, -- blocks of the grid in x
  grid_y AS grid_y, -- blocks of the grid in y
  grid_z AS grid_z, -- blocks of the grid in z
  block_x AS block_x, -- threads of a block in x
  block_y AS block_y, -- threads of a block in y
  block_z AS block_z, -- threads of a block in z
  arg(json, 'registers per thread') AS registers, -- registers of a thread
  arg(json, 'shared memory') - coalesce(arg(json, 'dynamic shared memory'), 0) AS static_bytes, -- [bytes] shared memory that the kernel asks for
  CASE WHEN grid_x IS NOT NULL THEN coalesce(arg(json, 'dynamic shared memory'), 0) END AS dynamic_bytes, -- [bytes] shared memory that the call asks for
  arg(json, 'context') AS context, -- number of the context
  arg(json, 'green context') AS green_context, -- part of the device that the kernel or copy may use
  arg(json, 'src device') AS source_device, -- device that a copy is from
  arg(json, 'dst device') AS target_device -- device that a copy is to
FROM extents;

-- GPU activities with the time of the file's own clock.
CREATE VIEW nsys_work AS
SELECT
  scope.run AS run, -- name of the run
  scope.trace_id AS trace_id, -- id of the trace
  gpu_event.id AS id, -- id of the event
  category.name AS category, -- kind of the GPU activity
  gpu_event.name_id AS name_id, -- name of the GPU activity
  gpu_event.ts_ns + trace.clock_start_ns AS start_ns, -- start, on the file's clock
  gpu_event.dur_ns AS dur_ns, -- duration of the GPU activity
  gpu_event.correlation AS correlation, -- correlation id
  gpu_event.device AS device, -- number of the device
  gpu_event.stream AS stream, -- number of the stream
  gpu_event.bytes AS bytes, -- [bytes] bytes moved
  gpu_event.args_id AS args_id, -- other arguments
  gpu_event.call_id AS call_id -- id of the runtime call that launched the GPU activity
FROM scope
CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
JOIN trace ON trace.id = scope.trace_id
JOIN category ON category.id = gpu_event.category_id
WHERE category.name <> 'gpu_graph' OR NOT (SELECT tpq_like_reference('nsys: graphs as a whole'));

-- Kernels with the calls that launched them.
CREATE VIEW nsys_execution AS
SELECT
  scope.run AS run, -- name of the run
  CAST(track.process AS INTEGER) AS pid, -- process of the call
  CAST(track.thread AS INTEGER) AS tid, -- thread of the call
  work.id AS id, -- id of the kernel
  work.device AS device, -- number of the device
  work.name_id AS name_id, -- name of the kernel
  work.args_id AS args_id, -- other arguments of the kernel
  work.ts_ns + trace.clock_start_ns AS kernel_start_ns, -- start of the kernel, on the file's clock
  work.dur_ns AS kernel_ns, -- duration of the kernel
  call.name_id AS call_name_id, -- name of the call
  call.ts_ns + trace.clock_start_ns AS call_start_ns, -- start of the call, on the file's clock
  call.dur_ns AS call_ns, -- duration of the call
  CASE WHEN work.ts_ns >= call.ts_ns + call.dur_ns THEN work.ts_ns - call.ts_ns - call.dur_ns END AS queue_ns, -- launch delay: from the end of the call to the start of the kernel; NULL where that is earlier
  max(call.dur_ns, work.ts_ns + work.dur_ns - call.ts_ns) AS total_ns -- time from the start of the call to the end of both call and kernel
FROM scope
JOIN trace ON trace.id = scope.trace_id
CROSS JOIN gpu_event AS work ON work.id BETWEEN scope.first_event AND scope.last_event
JOIN event AS call ON call.id = work.call_id
JOIN track ON track.id = call.track_id
WHERE work.category_id IN (SELECT id FROM category WHERE name = 'kernel' OR (name = 'gpu_graph' AND NOT (SELECT tpq_like_reference('nsys: graphs as a whole'))));

-- Statistics of each text and style of ranges.
-- columns-of: nsys_summary
CREATE VIEW nsys_range_summary AS
WITH grouped AS (
  SELECT run, style, name, sum(dur_ns) AS total_ns, count(*) AS instances, avg(dur_ns) AS mean_ns, median(dur_ns) AS median_ns,
    min(dur_ns) AS min_ns, max(dur_ns) AS max_ns, stddev_samp(dur_ns) AS stddev_ns
  FROM marked_range
  WHERE style <> 'Point'
  GROUP BY run, style, name
)
SELECT
  run,
  style AS style, -- PushPop or StartEnd
  name AS name, -- text of the ranges
  total_ns,
  sum(total_ns) OVER (PARTITION BY run) AS run_ns, -- sum of all rows of the run
  sum(total_ns) OVER (PARTITION BY run, style) AS style_ns, -- sum of those of the style
  instances, mean_ns AS mean_ns,
  median_ns AS median_ns, min_ns, max_ns,
  coalesce(stddev_ns, 0.0) AS stddev_ns
FROM grouped;

-- The process of each trace.
CREATE VIEW nsys_process AS
SELECT
  scope.run AS run, -- name of the run
  scope.trace_id AS trace_id, -- id of the trace
  coalesce(arg(trace.metadata, 'process'),
    (SELECT CAST(track.process AS INTEGER) FROM track WHERE track.trace_id = scope.trace_id AND track.kind = 'thread' ORDER BY track.id LIMIT 1)) AS pid -- number of the process; where the file does not say, that of the first thread
FROM (SELECT DISTINCT run, trace_id FROM scope) AS scope
JOIN trace ON trace.id = scope.trace_id;

-- Memcpy and memset with the calls that made them, and kinds of memory.
CREATE VIEW nsys_moved AS
WITH shape AS MATERIALIZED (
  SELECT args_id, context, green_context, source_device, target_device
  FROM nsys_shape
  WHERE args_id IN (SELECT gpu_event.args_id FROM scope CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
    WHERE gpu_event.category_id IN (SELECT id FROM category WHERE name IN ('gpu_memcpy', 'gpu_memset')))
),
memory AS MATERIALIZED (SELECT name_id AS id, place, source, target FROM nsys_memory_label WHERE place IS NOT NULL),
way AS MATERIALIZED (
  SELECT 0 AS is_foreign
  UNION ALL
  SELECT 1 WHERE tpq_like_reference('nsys: calls of other processes') AND EXISTS (SELECT 1 FROM trace GROUP BY run_id, content_hash HAVING count(*) > 1)
),
foreign_call AS MATERIALIZED (
  SELECT scope.run AS run, trace.content_hash AS content_hash, scope.trace_id AS trace_id, event.correlation AS correlation, event.name_id AS name_id
  FROM way
  CROSS JOIN scope
  CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
  JOIN trace ON trace.id = scope.trace_id
  WHERE way.is_foreign = 1 AND event.category_id IN (SELECT id FROM category WHERE role = 'call') AND event.name_id IN (SELECT id FROM string WHERE text LIKE 'cudaMem%')
)
SELECT
  work.run AS run, -- name of the run
  memory.place AS place, -- kind of memcpy; 0 = a memset
  work.dur_ns AS dur_ns, -- duration of the memcpy or memset
  work.start_ns AS start_ns, -- start, on the file's clock
  memory.source AS source, -- kind of source memory; of a memset the kind of the memory set
  memory.target AS target, -- kind of destination memory
  work.bytes AS bytes, -- [bytes] bytes moved
  process.pid AS pid, -- number of the process
  work.device AS device, -- number of the device
  shape.context AS context, -- number of the context
  shape.green_context AS green_context, -- part of the device that the memcpy or memset may use
  work.stream AS stream, -- number of the stream
  shape.source_device AS source_device, -- source device of a memcpy, where recorded
  shape.target_device AS target_device, -- destination device of a memcpy, where recorded
  string.text AS call, -- name of the call
  string.text || coalesce(version.version, '') AS call_name -- name of the call with its version
FROM nsys_work AS work
JOIN memory ON memory.id = work.name_id
CROSS JOIN way
LEFT JOIN event AS call ON way.is_foreign = 0 AND call.id = work.call_id
LEFT JOIN foreign_call ON way.is_foreign = 1 AND foreign_call.run = work.run AND foreign_call.correlation = work.correlation AND foreign_call.trace_id <> work.trace_id
  AND foreign_call.content_hash = (SELECT content_hash FROM trace WHERE trace.id = work.trace_id)
JOIN string ON string.id = coalesce(call.name_id, foreign_call.name_id)
JOIN nsys_process AS process ON process.trace_id = work.trace_id
LEFT JOIN shape ON shape.args_id = work.args_id
LEFT JOIN nsys_call_version AS version ON version.trace_id = coalesce(foreign_call.trace_id, work.trace_id) AND version.name = string.text;

-- Pages of unified memory: copies from where they were to where they were needed, and page faults.
CREATE VIEW nsys_unified AS
SELECT
  scope.run AS run, -- name of the run
  arg(args.json, 'address') AS address, -- address of the page
  label.place AS place, -- kind of copy, 11 to the device, 12 to the host; NULL = a fault
  gpu_event.bytes AS bytes, -- [bytes] bytes copied
  gpu_event.dur_ns AS dur_ns, -- duration of the copy
  0 AS host_faults, -- page faults of the host
  0 AS device_faults, -- page faults of devices
  NULL AS symbol -- position of the program on the host
FROM scope
CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
JOIN (SELECT name_id, place FROM nsys_memory_label WHERE place IN (11, 12)) AS label ON label.name_id = gpu_event.name_id
LEFT JOIN args ON args.id = gpu_event.args_id
WHERE gpu_event.category_id = (SELECT id FROM category WHERE name = 'gpu_memcpy')
UNION ALL
SELECT span.run, fault.address, NULL, NULL, NULL, CASE WHEN fault.device IS NULL THEN fault.faults ELSE 0 END,
  CASE WHEN fault.device IS NULL THEN 0 ELSE fault.faults END, fault.symbol
FROM scope_span AS span
CROSS JOIN page_fault AS fault ON fault.trace_id = span.trace_id AND fault.ts_ns BETWEEN span.first_ns AND span.last_ns;

-- Calls of MPI, with what they say of messages.
CREATE VIEW nsys_mpi AS
SELECT
  scope.run AS run, -- name of the run
  trace.rank AS rank, -- rank of the process
  string.text AS name, -- name of the call
  arg(args.json, 'source') AS source, -- kind of the call: p2p, coll, start_wait, other
  event.id AS id, -- id of the event
  event.ts_ns + trace.clock_start_ns AS start_ns, -- start, on the file's clock
  event.dur_ns AS dur_ns, -- duration of the call
  event.track_id AS track_id, -- thread of the call
  arg(args.json, 'tag') AS tag, -- tag of the message
  arg(args.json, 'peer') AS peer, -- rank of the other side
  arg(args.json, 'root') AS root, -- rank that others send to or receive from
  arg(args.json, 'size') AS bytes, -- [bytes] sent or received; of collectives sent
  arg(args.json, 'recv size') AS received_bytes -- [bytes] received by a collective
FROM scope
CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
JOIN trace ON trace.id = scope.trace_id
JOIN string ON string.id = event.name_id
LEFT JOIN args ON args.id = event.args_id
WHERE event.category_id = (SELECT id FROM category WHERE name = 'mpi');

-- Events of OpenACC and OpenMP with the names that reports give them.
CREATE VIEW nsys_directive AS
SELECT
  scope.run AS run, -- name of the run
  category.name AS kind, -- openacc or openmp
  CASE category.name WHEN 'openacc' THEN string.text || coalesce('@' || arg(args.json, 'file') || coalesce(':' || arg(args.json, 'line'), ''), '') ELSE string.text END AS name, -- name of the event; of OpenACC with its place in the source
  event.dur_ns AS dur_ns -- duration of the event
FROM scope
CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
JOIN category ON category.id = event.category_id
JOIN string ON string.id = event.name_id
LEFT JOIN args ON args.id = event.args_id
WHERE category.name IN ('openacc', 'openmp');
