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
  gpu_event.dur_ns AS duration_ns, -- duration of the kernel
  CASE WHEN gpu_event.launcher_id IS NOT gpu_event.call_id THEN op_name.text END AS op, -- name of the op that launched it; NULL when none is known
  (SELECT string.text FROM op JOIN string ON string.id = op.dims_id WHERE op.id = gpu_event.launcher_op_id) AS input_shapes, -- input shapes of the op, JSON
  (SELECT string.text FROM op JOIN string ON string.id = op.types_id WHERE op.id = gpu_event.launcher_op_id) AS input_dtypes, -- input dtypes of the op, JSON
  launch_name.text AS launch, -- name of the runtime call that launched it; NULL when it was not recorded, like the rest of the launch
  launch.ts_ns AS launch_start_ns, -- start of the launch, from the start of the trace
  launch.dur_ns AS launch_duration_ns, -- launch latency: duration of the launch
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
  gpu_event.dur_ns AS duration_ns, -- duration of the memcpy or memset
  gpu_event.bytes AS bytes, -- [bytes] moved or set; NULL when not recorded
  gpu_event.bytes * 1.0 / nullif(gpu_event.dur_ns, 0) AS bandwidth_gb_per_s, -- [GB/s] bandwidth: bytes by duration
  CASE WHEN gpu_event.launcher_id IS NOT gpu_event.call_id THEN op_name.text END AS op, -- name of the op that launched it; NULL when none is known
  launch_name.text AS launch, -- name of the runtime call that launched it; NULL when it was not recorded, like the rest of the launch
  launch.ts_ns AS launch_start_ns, -- start of the launch, from the start of the trace
  launch.dur_ns AS launch_duration_ns, -- launch latency: duration of the launch
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
  event.dur_ns AS duration_ns, -- duration of the op
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
  event.dur_ns AS duration_ns, -- duration of the call
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
  signpost.dur_ns AS duration_ns, -- step time
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
  dur_ns AS duration_ns, -- duration, waiting for other ranks included
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
  (SELECT max((SELECT max(event.ts_ns + event.dur_ns) - min(event.ts_ns) FROM event WHERE event.id BETWEEN trace.first_event AND trace.last_event)) FROM trace WHERE trace.run_id = run.id) AS duration_ns, -- from the first start to the last end of a trace, the longest of the traces
  (SELECT count(*) FROM trace CROSS JOIN gpu_event ON gpu_event.id BETWEEN trace.first_event AND trace.last_event WHERE trace.run_id = run.id) AS gpu_activities, -- number of kernels, memcpys and memsets
  (SELECT sum(gpu_event.dur_ns) FROM trace CROSS JOIN gpu_event ON gpu_event.id BETWEEN trace.first_event AND trace.last_event WHERE trace.run_id = run.id) AS gpu_time_ns, -- GPU time of all traces: summed durations, overlaps counted twice
  (SELECT count(DISTINCT signpost.step) FROM trace CROSS JOIN signpost ON signpost.id BETWEEN trace.first_event AND trace.last_event AND signpost.kind = 'step' WHERE trace.run_id = run.id) AS steps -- number of profiler steps
FROM run;
