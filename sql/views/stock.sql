-- Views for any SQLite: sqlite3, Python, Datasette, Grafana, DuckDB. They ask stored tables alone, with
-- functions that SQLite itself has, and show all runs, whatever is selected.
-- A trace comes first: its events have a range of ids. The + keeps SQLite from indexing all events by name.

-- Kernels of all runs, with launch and op.
-- question: tables first
-- words: gpu_slice, gpu, launch, shape
CREATE VIEW kernel AS
SELECT
  run.name AS run, -- name of the run
  trace.id AS trace_id, -- id of the trace
  trace.rank AS rank, -- rank of the process; NULL when the trace does not tell
  string.text AS name, -- name of the kernel
  gpu_event.device AS device, -- number of the device
  gpu_event.stream AS stream, -- number of the stream
  gpu_event.ts_ns AS start_ns, -- start, from the start of the trace
  gpu_event.dur_ns AS dur_ns, -- duration of the kernel
  CASE WHEN gpu_event.launcher_id IS NOT gpu_event.call_id THEN op_name.text END AS op, -- name of the op that launched it; NULL when none is known
  (SELECT string.text FROM op JOIN string ON string.id = op.dims_id WHERE op.id = gpu_event.launcher_op_id) AS input_shapes, -- input shapes of the op, JSON
  (SELECT string.text FROM op JOIN string ON string.id = op.types_id WHERE op.id = gpu_event.launcher_op_id) AS input_dtypes, -- input dtypes of the op, JSON
  launch_name.text AS launch, -- name of the runtime call that launched it; NULL when it was not recorded, like the rest of the launch
  launch.ts_ns AS launch_start_ns, -- start of the launch, from the start of the trace
  launch.dur_ns AS launch_dur_ns, -- launch latency: duration of the launch
  gpu_event.ts_ns - launch.ts_ns - launch.dur_ns AS launch_delay_ns, -- from the end of the launch to the start on the device; negative when it starts before the launch returns
  CASE WHEN instr(args.json, '"grid":[') THEN substr(substr(args.json, instr(args.json, '"grid":[') + 7), 1, instr(substr(args.json, instr(args.json, '"grid":[') + 7), ']')) END AS grid, -- blocks of the grid, JSON list; NULL when not recorded
  CASE WHEN instr(args.json, '"block":[') THEN substr(substr(args.json, instr(args.json, '"block":[') + 8), 1, instr(substr(args.json, instr(args.json, '"block":[') + 8), ']')) END AS block, -- threads of a block, JSON list; NULL when not recorded
  gpu_event.id AS id, -- id of the event
  gpu_event.call_id AS launch_id, -- id of the launch, as in runtime_call
  CASE WHEN gpu_event.launcher_id IS NOT gpu_event.call_id THEN gpu_event.launcher_id END AS op_id, -- id of the op, as in cpu_op
  gpu_event.correlation AS correlation -- correlation id
FROM run
JOIN trace ON trace.run_id = run.id
CROSS JOIN gpu_event ON gpu_event.id BETWEEN trace.first_event AND trace.last_event
JOIN category ON category.id = +gpu_event.category_id AND category.name NOT IN ('gpu_memcpy', 'gpu_memset', 'gpu_graph')
JOIN string ON string.id = +gpu_event.name_id
LEFT JOIN string AS op_name ON op_name.id = gpu_event.launcher_name_id
LEFT JOIN event AS launch ON launch.id = gpu_event.call_id
LEFT JOIN string AS launch_name ON launch_name.id = launch.name_id
LEFT JOIN args ON args.id = gpu_event.args_id;

-- Memcpy and memset of all runs, with bytes and bandwidth.
-- question: tables first
-- words: copy, h2d, d2h, transfer, pcie
CREATE VIEW memcpy AS
SELECT
  run.name AS run, -- name of the run
  trace.id AS trace_id, -- id of the trace
  trace.rank AS rank, -- rank of the process; NULL when the trace does not tell
  CASE category.name WHEN 'gpu_memset' THEN 'memset' ELSE 'memcpy' END AS kind, -- memcpy or memset
  string.text AS name, -- name, with source and destination
  gpu_event.device AS device, -- number of the device
  gpu_event.stream AS stream, -- number of the stream
  gpu_event.ts_ns AS start_ns, -- start, from the start of the trace
  gpu_event.dur_ns AS dur_ns, -- duration of the memcpy or memset
  gpu_event.bytes AS bytes, -- [bytes] moved or set; NULL when not recorded
  gpu_event.bytes * 1.0 / nullif(gpu_event.dur_ns, 0) AS bandwidth_gb_per_s, -- [GB/s] bandwidth: bytes by duration
  CASE WHEN gpu_event.launcher_id IS NOT gpu_event.call_id THEN op_name.text END AS op, -- name of the op that launched it; NULL when none is known
  launch_name.text AS launch, -- name of the runtime call that launched it; NULL when it was not recorded, like the rest of the launch
  launch.ts_ns AS launch_start_ns, -- start of the launch, from the start of the trace
  launch.dur_ns AS launch_dur_ns, -- launch latency: duration of the launch
  gpu_event.ts_ns - launch.ts_ns - launch.dur_ns AS launch_delay_ns, -- from the end of the launch to the start on the device; negative when it starts before the launch returns
  gpu_event.id AS id, -- id of the event
  gpu_event.call_id AS launch_id, -- id of the launch, as in runtime_call
  CASE WHEN gpu_event.launcher_id IS NOT gpu_event.call_id THEN gpu_event.launcher_id END AS op_id, -- id of the op, as in cpu_op
  gpu_event.correlation AS correlation -- correlation id
FROM run
JOIN trace ON trace.run_id = run.id
CROSS JOIN gpu_event ON gpu_event.id BETWEEN trace.first_event AND trace.last_event
JOIN category ON category.id = +gpu_event.category_id AND category.name IN ('gpu_memcpy', 'gpu_memset')
JOIN string ON string.id = +gpu_event.name_id
LEFT JOIN string AS op_name ON op_name.id = gpu_event.launcher_name_id
LEFT JOIN event AS launch ON launch.id = gpu_event.call_id
LEFT JOIN string AS launch_name ON launch_name.id = launch.name_id;

-- CPU ops of all runs, with input shapes and GPU time.
-- question: tables first
-- words: slice, aten, shape, operator
CREATE VIEW cpu_op AS
SELECT
  run.name AS run, -- name of the run
  trace.id AS trace_id, -- id of the trace
  trace.rank AS rank, -- rank of the process; NULL when the trace does not tell
  string.text AS name, -- name of the op
  track.process AS process, -- process, as the trace writes it
  track.thread AS thread, -- thread, as the trace writes it
  event.ts_ns AS start_ns, -- start, from the start of the trace
  event.dur_ns AS dur_ns, -- duration of the op
  event.self_ns AS self_ns, -- duration without children on the host
  (SELECT sum(gpu_event.dur_ns) FROM gpu_event WHERE gpu_event.id BETWEEN event.id AND event.last_id) AS gpu_time_ns, -- GPU time launched in it, nested ops included; NULL without
  (SELECT string.text FROM op JOIN string ON string.id = op.dims_id WHERE op.id = event.op_id) AS input_shapes, -- input shapes, JSON; NULL when not recorded, like the dtypes
  (SELECT string.text FROM op JOIN string ON string.id = op.types_id WHERE op.id = event.op_id) AS input_dtypes, -- input dtypes, JSON
  (SELECT string.text FROM event AS above JOIN string ON string.id = above.name_id WHERE above.id = event.id - event.up) AS parent, -- name of the op, call or frame above; NULL for a root
  event.id AS id, -- id of the event
  event.parent_id AS parent_id, -- id of the parent
  event.last_id AS last_id -- id of the last descendant
FROM run
JOIN trace ON trace.run_id = run.id
CROSS JOIN event ON event.id BETWEEN trace.first_event AND trace.last_event
JOIN category ON category.id = +event.category_id AND category.role = 'op'
JOIN string ON string.id = +event.name_id
JOIN track ON track.id = +event.track_id;

-- Runtime and driver calls of all runs.
-- question: tables first
-- words: api, launch, synchronize, driver
CREATE VIEW runtime_call AS
SELECT
  run.name AS run, -- name of the run
  trace.id AS trace_id, -- id of the trace
  trace.rank AS rank, -- rank of the process; NULL when the trace does not tell
  string.text AS name, -- name of the call, such as cudaLaunchKernel
  track.process AS process, -- process, as the trace writes it
  track.thread AS thread, -- thread, as the trace writes it
  event.ts_ns AS start_ns, -- start, from the start of the trace
  event.dur_ns AS dur_ns, -- duration of the call
  event.self_ns AS self_ns, -- duration without children on the host
  (SELECT sum(gpu_event.dur_ns) FROM gpu_event WHERE gpu_event.id BETWEEN event.id AND event.last_id) AS gpu_time_ns, -- GPU time that it launched; NULL without
  (SELECT string.text FROM event AS above JOIN string ON string.id = above.name_id WHERE above.id = event.id - event.up) AS parent, -- name of the op, call or frame above; NULL for a root
  event.id AS id, -- id of the event
  event.parent_id AS parent_id, -- id of the parent
  event.last_id AS last_id, -- id of the last descendant
  event.correlation AS correlation -- correlation id
FROM run
JOIN trace ON trace.run_id = run.id
CROSS JOIN event ON event.id BETWEEN trace.first_event AND trace.last_event
JOIN category ON category.id = +event.category_id AND category.role = 'call'
JOIN string ON string.id = +event.name_id
JOIN track ON track.id = +event.track_id;

-- Profiler steps of all runs.
-- question: tables first
-- words: iteration, step time, step_mark
CREATE VIEW profiler_step AS
SELECT
  run.name AS run, -- name of the run
  trace.id AS trace_id, -- id of the trace
  trace.rank AS rank, -- rank of the process; NULL when the trace does not tell
  signpost.step AS step, -- number of the step
  signpost.name AS name, -- name of the step
  signpost.ts_ns AS start_ns, -- start, from the start of the trace
  signpost.dur_ns AS dur_ns, -- step time
  signpost.id AS id -- id of the event
FROM run
JOIN trace ON trace.run_id = run.id
CROSS JOIN signpost ON signpost.id BETWEEN trace.first_event AND trace.last_event AND +signpost.kind = 'step';

-- Kernels of collectives of all runs, with process group and size.
-- A kernel is one whose trace names the collective, or whose name is of NCCL, RCCL or a custom all-reduce.
-- question: tables first
-- words: nccl, rccl, communication, allreduce
CREATE VIEW collective_kernel AS
WITH said AS (
  -- of a member of the arguments the text behind the key
  SELECT run.name AS run, trace.id AS trace_id, trace.rank AS rank, string.text AS name, gpu_event.id AS id, gpu_event.device AS device, gpu_event.stream AS stream,
    gpu_event.ts_ns AS ts_ns, gpu_event.dur_ns AS dur_ns, gpu_event.call_id AS call_id, gpu_event.correlation AS correlation,
    CASE WHEN instr(args.json, '"Collective name":"') THEN substr(args.json, instr(args.json, '"Collective name":"') + 19) END AS collective,
    CASE WHEN instr(args.json, '"Process Group Name":"') THEN substr(args.json, instr(args.json, '"Process Group Name":"') + 22) END AS process_group,
    CASE WHEN instr(args.json, '"Process Group Ranks":"') THEN substr(args.json, instr(args.json, '"Process Group Ranks":"') + 23) END AS group_ranks,
    CASE WHEN instr(args.json, '"dtype":"') THEN substr(args.json, instr(args.json, '"dtype":"') + 9) END AS dtype,
    CASE WHEN instr(args.json, '"Group size":') THEN substr(args.json, instr(args.json, '"Group size":') + 13) END AS group_size,
    CASE WHEN instr(args.json, '"In msg nelems":') THEN substr(args.json, instr(args.json, '"In msg nelems":') + 16) END AS input,
    CASE WHEN instr(args.json, '"Out msg nelems":') THEN substr(args.json, instr(args.json, '"Out msg nelems":') + 17) END AS output
  FROM run
  JOIN trace ON trace.run_id = run.id
  CROSS JOIN gpu_event ON gpu_event.id BETWEEN trace.first_event AND trace.last_event
  JOIN category ON category.id = +gpu_event.category_id AND category.name NOT IN ('gpu_memcpy', 'gpu_memset', 'gpu_graph')
  JOIN string ON string.id = +gpu_event.name_id
  LEFT JOIN args ON args.id = gpu_event.args_id
  WHERE string.text LIKE '%nccl%' OR string.text LIKE '%rccl%' OR string.text LIKE '%cross_device_reduce%' OR instr(args.json, '"Collective name":"')
),
read AS (
  SELECT run, trace_id, rank, name, id, device, stream, ts_ns, dur_ns, call_id, correlation,
    substr(collective, 1, instr(collective, '"') - 1) AS collective, substr(process_group, 1, instr(process_group, '"') - 1) AS process_group,
    substr(group_ranks, 1, instr(group_ranks, '"') - 1) AS group_ranks, substr(dtype, 1, instr(dtype, '"') - 1) AS dtype, CAST(group_size AS INTEGER) AS group_size,
    nullif(max(coalesce(CAST(input AS INTEGER), 0), coalesce(CAST(output AS INTEGER), 0)), 0) AS elements
  FROM said
)
SELECT
  run AS run, -- name of the run
  trace_id AS trace_id, -- id of the trace
  rank AS rank, -- rank of the process; NULL when the trace does not tell
  collective AS collective, -- kind of collective, such as allreduce; NULL when not recorded, like the group, dtype and bytes
  name AS name, -- name of the kernel
  device AS device, -- number of the device
  stream AS stream, -- number of the stream
  ts_ns AS start_ns, -- start, from the start of the trace
  dur_ns AS dur_ns, -- duration, waiting for other ranks included
  process_group AS process_group, -- name of the process group
  group_ranks AS group_ranks, -- ranks of the process group, JSON list
  group_size AS group_size, -- number of ranks in the process group
  dtype AS dtype, -- dtype of the elements
  elements * CASE WHEN dtype IN ('Long', 'Double', 'UInt64', 'ComplexFloat') THEN 8 WHEN dtype IN ('Float', 'Int', 'UInt32') THEN 4 WHEN dtype IN ('BFloat16', 'Half', 'Short', 'UInt16') THEN 2
    WHEN dtype IN ('Char', 'Byte', 'Bool') OR dtype LIKE 'Float8%' THEN 1 WHEN dtype = 'ComplexDouble' THEN 16 END AS bytes, -- [bytes] message size: the larger of input and output
  id AS id, -- id of the event, as in kernel
  call_id AS launch_id, -- id of the launch, as in runtime_call
  correlation AS correlation -- correlation id
FROM read;

-- One row per run: ranks, events, GPU time, steps.
-- Each column is computed when it is asked for.
-- question: tables first
-- words: runs, overview, duration
CREATE VIEW run_summary AS
SELECT
  run.name AS run, -- name of the run
  run.created_at AS created_at, -- time of the first ingest, UTC
  run.labels AS labels, -- labels of the run, JSON object
  (SELECT count(*) FROM trace WHERE trace.run_id = run.id) AS traces, -- number of traces
  (SELECT count(DISTINCT trace.rank) FROM trace WHERE trace.run_id = run.id) AS ranks, -- number of ranks with a trace
  (SELECT max(trace.world_size) FROM trace WHERE trace.run_id = run.id) AS world_size, -- world size that the traces state
  (SELECT group_concat(DISTINCT trace.format) FROM trace WHERE trace.run_id = run.id) AS formats, -- trace formats: kineto, nsys, ...
  (SELECT group_concat(DISTINCT device.name) FROM trace JOIN device ON device.trace_id = trace.id WHERE trace.run_id = run.id) AS devices, -- names of the devices
  (SELECT sum(trace.last_event - trace.first_event + 1) FROM trace WHERE trace.run_id = run.id) AS events, -- number of events
  (SELECT max((SELECT max(event.ts_ns + event.dur_ns) - min(event.ts_ns) FROM event WHERE event.id BETWEEN trace.first_event AND trace.last_event)) FROM trace WHERE trace.run_id = run.id) AS dur_ns, -- from the first start to the last end of a trace, the longest of the traces
  (SELECT count(*) FROM trace CROSS JOIN gpu_event ON gpu_event.id BETWEEN trace.first_event AND trace.last_event WHERE trace.run_id = run.id) AS gpu_activities, -- number of kernels, memcpys and memsets
  (SELECT sum(gpu_event.dur_ns) FROM trace CROSS JOIN gpu_event ON gpu_event.id BETWEEN trace.first_event AND trace.last_event WHERE trace.run_id = run.id) AS gpu_time_ns, -- GPU time of all traces: summed durations, overlaps counted twice
  (SELECT count(DISTINCT signpost.step) FROM trace CROSS JOIN signpost ON signpost.id BETWEEN trace.first_event AND trace.last_event AND signpost.kind = 'step' WHERE trace.run_id = run.id) AS steps -- number of profiler steps
FROM run;

-- GPU time by kind: kernel, memcpy, memset.
-- question: tables
CREATE VIEW gpu_kind_time AS
SELECT
  run.name AS run, -- name of the run
  trace.id AS trace_id, -- id of the trace
  trace.rank AS rank, -- rank of the process; NULL when the trace does not tell
  replace(category.name, 'gpu_', '') AS kind, -- kind of GPU activity: kernel, memcpy, memset, ...
  count(*) AS gpu_activities, -- number of GPU activities
  sum(gpu_event.dur_ns) AS gpu_time_ns, -- GPU time: summed durations, overlaps counted twice
  avg(gpu_event.dur_ns) AS mean_ns, -- mean duration
  min(gpu_event.dur_ns) AS min_ns, -- minimum duration
  max(gpu_event.dur_ns) AS max_ns, -- maximum duration
  sum(gpu_event.bytes) AS bytes -- [bytes] moved or set; NULL when not recorded
FROM run
JOIN trace ON trace.run_id = run.id
CROSS JOIN gpu_event ON gpu_event.id BETWEEN trace.first_event AND trace.last_event
JOIN category ON category.id = +gpu_event.category_id
GROUP BY run.name, trace.id, trace.rank, category.name;

-- Kernel time by name.
-- question: tables
-- columns-of: gpu_kind_time
CREATE VIEW kernel_time AS
SELECT
  run AS run, trace_id AS trace_id, rank AS rank,
  name AS name, -- name of the kernel
  count(*) AS kernels, -- number of kernels
  sum(dur_ns) AS gpu_time_ns, avg(dur_ns) AS mean_ns, min(dur_ns) AS min_ns, max(dur_ns) AS max_ns,
  sum(dur_ns) * 100.0 / nullif(sum(sum(dur_ns)) OVER (PARTITION BY run, trace_id), 0) AS percent -- [%] share of the total kernel duration of the trace
FROM kernel
GROUP BY run, trace_id, rank, name;

-- Memcpy and memset time by name, with bytes and bandwidth.
-- question: tables
-- words: copy, h2d, d2h, transfer
-- columns-of: gpu_kind_time
CREATE VIEW memcpy_time AS
SELECT
  run AS run, trace_id AS trace_id, rank AS rank,
  kind AS kind, -- memcpy or memset
  name AS name, -- name, with source and destination
  count(*) AS copies, -- number of memcpy or memset operations
  sum(bytes) AS bytes, sum(dur_ns) AS gpu_time_ns, avg(dur_ns) AS mean_ns, min(dur_ns) AS min_ns, max(dur_ns) AS max_ns,
  sum(bytes) * 1.0 / nullif(sum(CASE WHEN bytes IS NOT NULL THEN dur_ns END), 0) AS bandwidth_gb_per_s, -- [GB/s] bandwidth: bytes by duration, of operations with a recorded size
  max(bandwidth_gb_per_s) AS max_bandwidth_gb_per_s -- [GB/s] maximum bandwidth of an operation
FROM memcpy
GROUP BY run, trace_id, rank, kind, name;

-- Collective time by rank, kind, process group and message size.
-- question: tables
-- words: nccl, rccl, communication, allreduce
-- columns-of: gpu_kind_time
CREATE VIEW collective_time AS
SELECT
  run AS run, trace_id AS trace_id, rank AS rank,
  coalesce(collective, name) AS collective, -- kind of collective, such as allreduce; name of the kernel when not recorded
  process_group AS process_group, -- name of the process group; NULL when not recorded, like group size, dtype and bytes
  group_size AS group_size, -- number of ranks in the process group
  dtype AS dtype, -- dtype of the elements
  bytes AS bytes, -- [bytes] message size: the larger of input and output
  count(*) AS collectives, -- number of collectives
  sum(dur_ns) AS gpu_time_ns, -- total duration, waiting for other ranks included
  avg(dur_ns) AS mean_ns, min(dur_ns) AS min_ns, max(dur_ns) AS max_ns
FROM collective_kernel
GROUP BY run, trace_id, rank, coalesce(collective, name), process_group, group_size, dtype, bytes;

-- GPU time by op and input shapes: GPU activities that the op launches directly.
-- question: tables
-- columns-of: gpu_kind_time
CREATE VIEW op_shape_time AS
SELECT
  run.name AS run, trace.id AS trace_id, trace.rank AS rank,
  string.text AS op, -- name of the op
  dims.text AS input_shapes, -- input shapes, JSON; NULL when not recorded, like the dtypes
  types.text AS input_dtypes, -- input dtypes, JSON
  count(DISTINCT gpu_event.launcher_id) AS calls, -- number of calls that launch GPU activities
  count(*) AS gpu_activities, sum(gpu_event.dur_ns) AS gpu_time_ns
FROM run
JOIN trace ON trace.run_id = run.id
CROSS JOIN gpu_event ON gpu_event.id BETWEEN trace.first_event AND trace.last_event AND gpu_event.launcher_id IS NOT gpu_event.call_id
JOIN string ON string.id = +gpu_event.launcher_name_id
LEFT JOIN op ON op.id = gpu_event.launcher_op_id
LEFT JOIN string AS dims ON dims.id = op.dims_id
LEFT JOIN string AS types ON types.id = op.types_id
GROUP BY run.name, trace.id, trace.rank, string.text, dims.text, types.text;

-- GPU time by op: GPU activities that the op launches directly, collectives included.
-- question: tables
CREATE VIEW op_time AS
SELECT
  run.name AS run, -- name of the run
  trace.id AS trace_id, -- id of the trace
  trace.rank AS rank, -- rank of the process; NULL when the trace does not tell
  string.text AS op, -- name of the op
  coalesce(
    (SELECT category FROM op_category WHERE op_category.op = string.text AND NOT is_prefix),
    (SELECT category FROM perf_model WHERE perf_model.op = string.text AND match = 'exact' AND category <> 'other' AND profile <> 'compat' ORDER BY source = 'tpq' LIMIT 1),
    (SELECT category FROM op_category WHERE is_prefix AND substr(string.text, 1, length(op_category.op)) = op_category.op ORDER BY length(op_category.op) DESC LIMIT 1),
    'other') AS category, -- category of the op, by its name; other when none fits
  count(DISTINCT gpu_event.launcher_id) AS calls, -- number of calls that launch GPU activities
  count(*) AS gpu_activities, -- number of GPU activities
  sum(gpu_event.dur_ns) AS gpu_time_ns, -- GPU time: summed durations, overlaps counted twice
  sum(gpu_event.dur_ns) * 100.0 / nullif(sum(sum(gpu_event.dur_ns)) OVER (PARTITION BY run.name, trace.id), 0) AS percent -- [%] share of the GPU time of all ops of the trace
FROM run
JOIN trace ON trace.run_id = run.id
CROSS JOIN gpu_event ON gpu_event.id BETWEEN trace.first_event AND trace.last_event AND gpu_event.launcher_id IS NOT gpu_event.call_id
JOIN string ON string.id = +gpu_event.launcher_name_id
GROUP BY run.name, trace.id, trace.rank, string.text;

-- GPU time by category of the launching op. Ops that reports sort by patterns or by their kernels are other.
-- question: tables
-- columns-of: op_time
CREATE VIEW op_category_time AS
SELECT DISTINCT run AS run, trace_id AS trace_id, rank AS rank, category AS category,
  count(*) OVER whole AS ops, -- number of different ops
  sum(calls) OVER whole AS calls, sum(gpu_activities) OVER whole AS gpu_activities, sum(gpu_time_ns) OVER whole AS gpu_time_ns, sum(percent) OVER whole AS percent
FROM op_time
WINDOW whole AS (PARTITION BY run, trace_id, rank, category);

-- Runtime and driver call time by name.
-- question: tables
-- columns-of: gpu_kind_time
CREATE VIEW runtime_call_time AS
SELECT
  run AS run, trace_id AS trace_id, rank AS rank,
  name AS name, -- name of the call
  count(*) AS calls, -- number of calls
  sum(dur_ns) AS total_ns, -- total duration of the calls
  avg(dur_ns) AS mean_ns, min(dur_ns) AS min_ns, max(dur_ns) AS max_ns
FROM runtime_call
GROUP BY run, trace_id, rank, name;

-- Profiler steps with the GPU activities that were launched in them.
-- question: tables
-- words: iteration
-- columns-of: profiler_step
CREATE VIEW step_time AS
WITH point AS (
  SELECT run, trace_id, rank, step, id AS step_id, start_ns AS ts_ns, start_ns + dur_ns AS end_ns, NULL AS dur_ns, NULL AS is_kernel
  FROM profiler_step
  UNION ALL
  SELECT run.name, trace.id, trace.rank, NULL, NULL, gpu_event.launcher_ts_ns, NULL, gpu_event.dur_ns, category.name NOT IN ('gpu_memcpy', 'gpu_memset', 'gpu_graph')
  FROM run
  JOIN trace ON trace.run_id = run.id
  CROSS JOIN gpu_event ON gpu_event.id BETWEEN trace.first_event AND trace.last_event AND gpu_event.launcher_ts_ns IS NOT NULL
  JOIN category ON category.id = +gpu_event.category_id
),
placed AS (
  SELECT run, trace_id, rank, step, ts_ns, dur_ns, is_kernel, max(step_id) OVER launched AS step_id, max(end_ns) OVER launched AS end_ns
  FROM point
  WINDOW launched AS (PARTITION BY run, trace_id, rank ORDER BY ts_ns, dur_ns IS NOT NULL)
)
SELECT DISTINCT run AS run, trace_id AS trace_id, rank AS rank,
  max(step) OVER whole AS step, min(ts_ns) OVER whole AS start_ns, max(end_ns) OVER whole - min(ts_ns) OVER whole AS dur_ns,
  count(dur_ns) OVER whole AS gpu_activities, -- number of GPU activities that were launched in the step
  coalesce(sum(is_kernel) OVER whole, 0) AS kernels, -- number of kernels that were launched in the step
  coalesce(sum(dur_ns) OVER whole, 0) AS gpu_time_ns, -- GPU time that was launched in the step: summed durations, overlaps counted twice
  step_id AS id
FROM placed
WHERE step_id IS NOT NULL AND (dur_ns IS NULL OR ts_ns < end_ns)
WINDOW whole AS (PARTITION BY run, trace_id, rank, step_id);

-- Step time by run and step: the ranks beside each other.
-- question: tables
CREATE VIEW run_step_time AS
SELECT
  run AS run, -- name of the run
  step AS step, -- number of the step
  count(DISTINCT trace_id) AS traces, -- number of traces with the step
  min(dur_ns) AS min_ns, -- minimum step time
  avg(dur_ns) AS mean_ns, -- mean step time
  max(dur_ns) AS max_ns, -- maximum step time
  max(CASE WHEN place = 1 THEN rank END) AS slowest_rank -- rank with the maximum step time
FROM (
  SELECT run, trace_id, rank, step, dur_ns, row_number() OVER (PARTITION BY run, step ORDER BY dur_ns DESC, trace_id) AS place FROM profiler_step
)
GROUP BY run, step;

-- GPU busy time and idle time by device.
-- question: tables
-- columns-of: gpu_kind_time
CREATE VIEW device_busy AS
WITH covered AS (
  SELECT run.name AS run, trace.id AS trace_id, trace.rank AS rank, gpu_event.device AS device, gpu_event.ts_ns AS ts_ns, gpu_event.ts_ns + gpu_event.dur_ns AS end_ns,
    max(gpu_event.ts_ns + gpu_event.dur_ns) OVER (PARTITION BY run.name, trace.id, trace.rank, gpu_event.device ORDER BY gpu_event.ts_ns, gpu_event.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS covered_ns
  FROM run
  JOIN trace ON trace.run_id = run.id
  CROSS JOIN gpu_event ON gpu_event.id BETWEEN trace.first_event AND trace.last_event
)
SELECT DISTINCT run AS run, trace_id AS trace_id, rank AS rank,
  device AS device, -- number of the device
  count(*) OVER whole AS gpu_activities, sum(end_ns - ts_ns) OVER whole AS gpu_time_ns,
  sum(max(0, end_ns - max(ts_ns, coalesce(covered_ns, ts_ns)))) OVER whole AS busy_ns, -- busy time (union) of the GPU activities
  sum(max(0, ts_ns - coalesce(covered_ns, ts_ns))) OVER whole AS idle_ns -- idle time between the first and the last GPU activity
FROM covered
WINDOW whole AS (PARTITION BY run, trace_id, rank, device);

-- GPU idle gaps by device, with the GPU activities before and after.
-- question: tables
-- words: bubbles, longest, starvation
-- columns-of: gpu_kind_time
CREATE VIEW gpu_idle_gap AS
WITH covered AS (
  SELECT run.name AS run, trace.id AS trace_id, trace.rank AS rank, gpu_event.device AS device, gpu_event.id AS id, gpu_event.name_id AS name_id, gpu_event.ts_ns AS ts_ns, gpu_event.ts_ns + gpu_event.dur_ns AS end_ns,
    max(gpu_event.ts_ns + gpu_event.dur_ns) OVER (PARTITION BY run.name, trace.id, trace.rank, gpu_event.device ORDER BY gpu_event.ts_ns, gpu_event.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS covered_ns
  FROM run
  JOIN trace ON trace.run_id = run.id
  CROSS JOIN gpu_event ON gpu_event.id BETWEEN trace.first_event AND trace.last_event
),
-- a gap lies between two GPU activities that end later than all before them
latest AS (
  SELECT run, trace_id, rank, device, id, name_id, ts_ns, covered_ns, lag(name_id) OVER (PARTITION BY run, trace_id, rank, device ORDER BY ts_ns, id) AS before_name_id
  FROM covered
  WHERE covered_ns IS NULL OR end_ns > covered_ns
)
SELECT
  latest.run AS run, latest.trace_id AS trace_id, latest.rank AS rank,
  row_number() OVER (PARTITION BY latest.run, latest.trace_id, latest.rank ORDER BY latest.ts_ns - latest.covered_ns DESC, latest.covered_ns, latest.id) AS place, -- position among the gaps of the trace, longest first
  latest.device AS device, -- number of the device
  latest.covered_ns AS start_ns, -- start of the gap, from the start of the trace
  latest.ts_ns - latest.covered_ns AS dur_ns, -- duration of the gap
  before.text AS before, -- name of the GPU activity before the gap
  after.text AS after, -- name of the GPU activity after the gap
  latest.id AS after_id -- id of the GPU activity after the gap
FROM latest
JOIN string AS before ON before.id = latest.before_name_id
JOIN string AS after ON after.id = latest.name_id
WHERE latest.ts_ns > latest.covered_ns;

-- Annotations and other ranges by name.
-- question: tables
-- words: nvtx, record_function, mark
-- columns-of: gpu_kind_time
CREATE VIEW range_time AS
SELECT
  run.name AS run, trace.id AS trace_id, trace.rank AS rank,
  signpost.kind AS kind, -- kind of mark: step or range on the host, gpu_step or gpu_range on the GPU
  signpost.name AS name, -- name of the range
  count(*) AS ranges, -- number of ranges
  sum(signpost.dur_ns) AS total_ns, -- total duration
  avg(signpost.dur_ns) AS mean_ns, min(signpost.dur_ns) AS min_ns, max(signpost.dur_ns) AS max_ns
FROM run
JOIN trace ON trace.run_id = run.id
CROSS JOIN signpost ON signpost.id BETWEEN trace.first_event AND trace.last_event AND signpost.dur_ns IS NOT NULL
GROUP BY run.name, trace.id, trace.rank, signpost.kind, signpost.name;

-- Peak memory in use by device, from the records of the allocator.
-- question: tables
-- words: oom, footprint
-- columns-of: gpu_kind_time
CREATE VIEW memory_summary AS
SELECT
  run.name AS run, trace.id AS trace_id, trace.rank AS rank,
  CASE memory_event.device_type WHEN 0 THEN 'CPU' WHEN 1 THEN 'GPU' WHEN 6 THEN 'GPU (HIP)' ELSE 'type ' || memory_event.device_type END AS device_type, -- type of the device
  memory_event.device AS device, -- number of the device
  max(memory_event.total_allocated) AS peak_allocated_bytes, -- [bytes] peak memory in use
  max(memory_event.total_reserved) AS peak_reserved_bytes, -- [bytes] peak memory reserved by the allocator
  sum(memory_event.bytes > 0) AS allocations, -- number of allocated blocks
  sum(memory_event.bytes < 0) AS frees -- number of freed blocks
FROM run
JOIN trace ON trace.run_id = run.id
CROSS JOIN memory_event ON memory_event.trace_id = trace.id
GROUP BY run.name, trace.id, trace.rank, memory_event.device_type, memory_event.device;

-- Findings of the health checks of traces, counted at ingest.
-- question: tables
-- columns-of: health_fact
CREATE VIEW health_finding AS
SELECT
  run.name AS run, -- name of the run
  trace.id AS trace_id,
  trace.rank AS rank, -- rank of the process; NULL when the trace does not tell
  fact."check" AS "check",
  CASE WHEN fact.is_note THEN 'note' WHEN fact.count >= checked.broken_count AND coalesce(fact.share, 1.0 * fact.count / nullif(fact.base, 0), 0) >= checked.broken_share THEN 'broken' WHEN fact.count >= checked.warning_count AND coalesce(fact.share, 1.0 * fact.count / nullif(fact.base, 0), 0) >= checked.warning_share THEN 'warning' ELSE 'note' END AS verdict, -- verdict: note, warning or broken
  checked.title AS finding, -- finding in a few words
  fact.count AS count, fact.base AS base,
  coalesce(fact.share, 1.0 * fact.count / nullif(fact.base, 0)) AS share, -- share of the findings, 0 to 1
  fact.time_ns AS time_ns, fact.example_id AS example_id,
  checked.action AS action -- action to take
FROM run
JOIN trace ON trace.run_id = run.id
JOIN health_fact AS fact ON fact.trace_id = trace.id AND fact.count > 0 AND fact.reason IS NULL
JOIN health_check AS checked ON checked."check" = fact."check" AND checked.level = 'trace' AND checked.measure IS NULL AND checked.warning_count IS NOT NULL AND (checked.formats = 'all' OR instr(',' || checked.formats || ',', ',' || trace.format || ','));

-- Figures of runs as run_overview has them, where they are kept: tpq report --db FILE keeps those of
-- all runs. Parts of a run, and figures with options or extension files, are not kept.
-- question: tables
-- columns-of: run_overview
CREATE VIEW run_figure AS
SELECT
  run.name AS run,
  max(CASE cell.key WHEN 0 THEN cell.value END) AS ranks,
  max(CASE cell.key WHEN 1 THEN cell.value END) AS steps,
  max(CASE cell.key WHEN 2 THEN cell.value END) AS time_ms,
  max(CASE cell.key WHEN 3 THEN cell.value END) AS step_time_ms,
  max(CASE cell.key WHEN 4 THEN cell.value END) AS busy_pct,
  max(CASE cell.key WHEN 5 THEN cell.value END) AS idle_pct,
  max(CASE cell.key WHEN 6 THEN cell.value END) AS exposed_comm_pct,
  max(CASE cell.key WHEN 7 THEN cell.value END) AS bottleneck,
  max(CASE cell.key WHEN 8 THEN cell.value END) AS finding,
  max(CASE cell.key WHEN 9 THEN cell.value END) AS saves_ms,
  max(CASE cell.key WHEN 10 THEN cell.value END) AS headline
FROM rollup
JOIN run ON run.id = rollup.run_id
JOIN json_each(rollup.rows, '$[0]') AS cell
WHERE rollup.question = 'run_overview' AND typeof(rollup.rows) = 'text'
GROUP BY run.id;

-- Traces of all runs, with format, size, metadata and devices.
-- question: tables
-- columns-of: trace
CREATE VIEW trace_summary AS
SELECT
  run.name AS run, -- name of the run
  trace.id AS trace_id, -- id of the trace
  trace.rank AS rank, trace.world_size AS world_size,
  substr(trace.path, length(rtrim(trace.path, replace(trace.path, '/', ''))) + 1) AS file, -- name of the file at ingest, without folders
  trace.format AS format, trace.file_bytes AS file_bytes,
  trace.last_event - trace.first_event + 1 AS events, -- number of events
  (SELECT count(*) FROM gpu_event WHERE gpu_event.id BETWEEN trace.first_event AND trace.last_event) AS gpu_activities, -- number of GPU activities
  (SELECT group_concat(DISTINCT device.name) FROM device WHERE device.trace_id = trace.id) AS devices, -- models of the devices
  trace.frames AS frames, trace.wall_start_ns AS wall_start_ns, trace.metadata AS metadata, trace.tool_version AS tool_version, trace.ingested_at AS ingested_at
FROM run
JOIN trace ON trace.run_id = run.id;

-- Ranks of a run beside each other: steps, kernels, collectives, memcpy.
-- Each column is computed when it is asked for.
-- question: tables
-- columns-of: gpu_kind_time
CREATE VIEW rank_summary AS
SELECT
  run.name AS run, trace.id AS trace_id, trace.rank AS rank,
  (SELECT count(*) FROM profiler_step WHERE profiler_step.trace_id = trace.id) AS steps, -- number of profiler steps
  (SELECT avg(dur_ns) FROM profiler_step WHERE profiler_step.trace_id = trace.id) AS step_time_mean_ns, -- mean step time
  (SELECT count(*) FROM kernel WHERE kernel.trace_id = trace.id) AS kernels, -- number of kernels
  (SELECT sum(dur_ns) FROM kernel WHERE kernel.trace_id = trace.id) AS kernel_time_ns, -- total kernel duration
  (SELECT sum(dur_ns) FROM collective_kernel WHERE collective_kernel.trace_id = trace.id) AS collective_time_ns, -- total duration of collectives, waiting for other ranks included
  (SELECT sum(dur_ns) FROM memcpy WHERE memcpy.trace_id = trace.id) AS memcpy_time_ns -- total duration of memcpy and memset
FROM run
JOIN trace ON trace.run_id = run.id;

-- Labels of all runs: those of the user, and what traces state of their setup and origin, by
-- identity_key. One row per distinct value. A label hides what traces state under its key.
-- question: tables
-- columns-of: trace
CREATE VIEW run_label AS
WITH
fact AS (
  SELECT trace.run_id AS run_id, trace.id AS trace_id, each.key AS key, each.value AS value
  FROM trace JOIN json_each(trace.metadata) AS each WHERE each.type IN ('text', 'integer', 'real', 'true', 'false')
  UNION ALL SELECT trace.run_id, trace.id, each.key, each.value FROM trace JOIN json_each(trace.metadata, '$.distributedInfo') AS each
  WHERE instr(trace.metadata, '"nccl_version"') AND each.key = 'nccl_version' AND each.type IN ('text', 'integer')
  UNION ALL SELECT trace.run_id, trace.id, 'trace.world_size', trace.world_size FROM trace WHERE trace.world_size IS NOT NULL
  UNION ALL SELECT trace.run_id, trace.id, 'device.name', device.name FROM trace JOIN device ON device.trace_id = trace.id WHERE device.name IS NOT NULL
),
-- The key's own row, else the pattern of its ending.
known AS MATERIALIZED (
  SELECT fact.run_id AS run_id, fact.trace_id AS trace_id, fact.key AS key, CAST(fact.value AS TEXT) AS value, rule.kind AS kind, rule.form AS form, rule.position AS position,
    rule.field IS NULL AS is_pattern, coalesce(rule.field, substr(fact.key, 1, length(fact.key) - length(rule.key) + 1)) AS field
  FROM fact CROSS JOIN identity_key AS rule ON rule.key = coalesce(
    (SELECT own.key FROM identity_key AS own WHERE own.key = fact.key),
    (SELECT max(pattern.key) FROM identity_key AS pattern WHERE pattern.key >= '*' AND pattern.key < '+' AND fact.key GLOB pattern.key))
),
-- Texts as the rules of privacy read them: behind a blank, in small letters, with one kind of stroke. A secret has a word before it, or in its key.
plain AS MATERIALIZED (
  SELECT run_id, trace_id, field, kind, form, position, key, value, ' ' || lower(replace(value, '\', '/')) AS text,
    CASE WHEN is_pattern THEN lower(key) ELSE '' END || CASE WHEN value GLOB '*[=: ]*' THEN lower(value) ELSE '' END AS secret
  FROM known
  WHERE trim(value) <> '' AND field <> '' AND length(CAST(value AS BLOB)) <= 128 AND NOT (is_pattern AND key GLOB '*[/\@]*') AND NOT instr(value, char(0))
),
-- Paths, secrets and command lines are no identity, whoever kept them; ingest has the same rules.
said AS MATERIALIZED (
  SELECT run_id, trace_id, field, kind, form, position, key, CASE
      WHEN form = 'version' AND (value NOT GLOB '[0-9vV]*' OR value GLOB '[vV]' OR value GLOB '[vV][^0-9]*' OR value GLOB '*[^0-9A-Za-z.+_-]*' OR length(value) > 64) THEN NULL
      WHEN form IN ('cuda', 'hip') AND value + 0 <= 0 THEN NULL
      WHEN form = 'cuda' AND value + 0 >= 1000 AND value NOT GLOB '*[^0-9]*' THEN (value / 1000) || '.' || (value % 1000 / 10)
      WHEN form = 'hip' AND value + 0 >= 100000 AND value NOT GLOB '*[^0-9]*' THEN (value / 10000000) || '.' || (value / 100000 % 100) || '.' || (value % 100000)
      ELSE value END AS value
  FROM plain
  WHERE NOT (text GLOB ' *[^0-9a-z_]*' AND (text GLOB '*[^0-9a-z]/*' OR text GLOB '*/home/*' OR text GLOB '*/users/*' OR text GLOB '*[^0-9a-z]~*' OR text GLOB '* [a-z]:*'
      OR text GLOB '*[^a-z]file:*' OR text GLOB '* -[^ ]*' OR text GLOB '*.py*' OR text GLOB '*[{@$%]*' OR text GLOB '* [[]*' OR text GLOB '*key*[=:]*'
      OR text GLOB '*[' || char(1) || '-' || char(31) || char(127) || ']*'))
    AND NOT (secret <> '' AND (secret GLOB '*token*' OR secret GLOB '*secret*' OR secret GLOB '*pass*' OR secret GLOB '*pwd*' OR secret GLOB '*auth*'
      OR secret GLOB '*user*' OR secret GLOB '*api*key*' OR secret GLOB '*credential*' OR secret GLOB '*bearer*'))
),
stated AS MATERIALIZED (
  SELECT said.run_id AS run_id, said.field AS field, said.kind AS kind, said.value AS value FROM said
  WHERE said.form <> 'flag' AND said.value IS NOT NULL AND (said.position = (SELECT min(first.position) FROM identity_key AS first) OR NOT EXISTS (
    SELECT 1 FROM said AS better WHERE better.trace_id = said.trace_id AND better.field = said.field AND better.position < said.position AND better.value IS NOT NULL))
  UNION SELECT run_id, field, kind, coalesce(group_concat(CASE WHEN value = '1' THEN key END, '+'), 'none')
  FROM (SELECT said.run_id AS run_id, said.trace_id AS trace_id, said.field AS field, said.kind AS kind, said.key AS key, said.value AS value FROM said WHERE said.form = 'flag' ORDER BY run_id, trace_id, field, position)
  GROUP BY run_id, trace_id, field
),
own AS (
  SELECT run.id AS run_id, label.key AS key, CAST(label.value AS TEXT) AS value FROM run JOIN json_each(run.labels) AS label WHERE label.value IS NOT NULL
)
SELECT
  run.id AS run_id, -- id of the run
  run.name AS run, -- name of the run
  own.key AS key, -- name of the label, or of the field of identity_key
  own.value AS value, -- value of the label
  'label' AS source, -- source of the value: label (of the user) or trace
  coalesce((SELECT rule.kind FROM identity_key AS rule WHERE rule.field = own.key), (SELECT other.kind FROM stated AS other WHERE other.field = own.key)) AS kind -- kind of the field: setup or origin; NULL for another label
FROM own JOIN run ON run.id = own.run_id
UNION ALL SELECT run.id, run.name, stated.field, stated.value, 'trace', stated.kind
FROM stated JOIN run ON run.id = stated.run_id LEFT JOIN own ON own.run_id = stated.run_id AND own.key = stated.field WHERE own.key IS NULL;
