-- The bound of each profiler step. starved_ms is launch-bound idle time, in gaps that end with a GPU
-- activity whose launch began after the gap. The verdict is device where the GPU is busy for 90 % of
-- the time of the step. It is host where at least half of the idle time is launch-bound. With
-- --with-path, the verdict is the bound of at least half of the step's critical path, 15 points ahead
-- of the other two. GPU activities from before the selection are not part of that path.
-- set: pytorch
-- question: steps first
-- words: bottleneck, compute-bound
-- position: 365
-- level: step
-- key: step
-- measure: host_ms
-- sample: step
-- when: never
-- columns-when: path_host_percent with-path, path_device_percent with-path, path_comm_percent with-path
-- not-included: not_included_without_launch
-- empty: no_steps
CREATE VIEW step_bounds AS
WITH steps_by_time AS (
  -- The steps of each trace by time, for interval_at.
  SELECT run, trace_id, interval_list(id, ts_ns, dur_ns) AS list
  FROM trace_step
  WHERE kind = 'step'
  GROUP BY run, trace_id
),
step AS MATERIALIZED (
  SELECT mark.run AS run, mark.trace_id AS trace_id, mark.id AS id, mark.step AS step, mark.ts_ns AS ts_ns, mark.dur_ns AS dur_ns, track.process AS process, track.thread AS thread
  FROM trace_step AS mark
  JOIN track ON track.id = mark.track_id
  WHERE mark.kind = 'step'
),
selected AS MATERIALIZED (
  SELECT DISTINCT scope.run AS run, step_mark.id AS step_id
  FROM scope
  CROSS JOIN step_mark ON step_mark.trace_id = scope.trace_id AND step_mark.id BETWEEN scope.first_event AND scope.last_event
  WHERE step_mark.kind = 'step'
),
sums AS (
  SELECT run, step_id, count(*) AS works, max(end_ns) - min(ts_ns) AS span_ns
  FROM analysed_work
  WHERE step_id IS NOT NULL
  GROUP BY run, step_id
),
inside AS MATERIALIZED (
  SELECT run, trace_id, step, interval_union_ns(ts_ns, dur_ns) FILTER (WHERE layer <= 4) AS busy_ns, interval_union_ns(ts_ns, dur_ns) FILTER (WHERE layer = 9) AS starved_ns
  FROM step_cut
  WHERE step IS NOT NULL
  GROUP BY run, trace_id, step
),
-- calls that wait, on the thread of the step
waiting AS MATERIALIZED (
  SELECT scope.run AS run, scope.trace_id AS trace_id, track.process AS process, track.thread AS thread, event.id AS id, event.ts_ns AS ts_ns, event.dur_ns AS dur_ns
  FROM scope
  CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
  JOIN track ON track.id = event.track_id
  WHERE (SELECT sum(1 << id) FROM category WHERE role = 'call' AND id < 62) >> event.category_id & 1 AND event.name_id IN (
    SELECT string.id FROM call_kind JOIN string ON string.text = call_kind.name
    WHERE call_kind.kind IN ('device_sync', 'stream_sync', 'event_sync', 'blocking_copy'))
),
steps AS MATERIALIZED (
  SELECT run, trace_id, process, thread, interval_list(id, ts_ns, dur_ns) AS list FROM step GROUP BY run, trace_id, process, thread
),
waits AS MATERIALIZED (
  SELECT run, trace_id, process, thread, interval_list(id, ts_ns, dur_ns) AS list FROM waiting GROUP BY run, trace_id, process, thread
),
-- those that begin in a step, and those that are open when it begins
met AS (
  SELECT waiting.id AS id, CAST(open.value AS INTEGER) AS step_id
  FROM waiting
  JOIN steps ON steps.run = waiting.run AND steps.trace_id = waiting.trace_id AND steps.process IS waiting.process AND steps.thread IS waiting.thread
  CROSS JOIN json_each(interval_open(steps.list, waiting.ts_ns)) AS open
  UNION
  SELECT CAST(open.value AS INTEGER), step.id
  FROM step
  JOIN waits ON waits.run = step.run AND waits.trace_id = step.trace_id AND waits.process IS step.process AND waits.thread IS step.thread
  CROSS JOIN json_each(interval_open(waits.list, step.ts_ns)) AS open
),
blocked AS (
  SELECT step.run AS run, step.id AS step_id, sum(min(event.ts_ns + event.dur_ns, step.ts_ns + step.dur_ns) - max(event.ts_ns, step.ts_ns)) AS blocked_ns
  FROM met
  JOIN event ON event.id = met.id
  JOIN step ON step.id = met.step_id
  GROUP BY step.run, step.id
),
loading AS (
  SELECT steps.run AS run, CAST(interval_at(steps.list, mark.ts_ns) AS INTEGER) AS step_id, sum(mark.dur_ns) AS loader_ns
  FROM trace_mark AS mark
  JOIN steps_by_time AS steps ON steps.run = mark.run AND steps.trace_id = mark.trace_id
  WHERE mark.kind IN ('step', 'range') AND instr(mark.name, 'DataLoader') > 0
  GROUP BY steps.run, 2
),
shares AS (
  SELECT trace_id, step, 100.0 / sum(time_ms) AS percent,
    sum(time_ms) FILTER (WHERE bound_by IN ('cpu_bound', 'data_loading', 'gpu_kernel_launch_overhead')) AS host,
    sum(time_ms) FILTER (WHERE bound_by IN ('gpu_compute_bound', 'gpu_kernel_kernel_overhead')) AS device,
    sum(time_ms) FILTER (WHERE bound_by = 'gpu_communication_bound') AS comm
  FROM critical_path_steps
  WHERE bound_by <> 'earlier_work'
  GROUP BY trace_id, step
),
-- one value, because that is not asked for without the option
path AS MATERIALIZED (
  SELECT CAST(arg(value, 'trace') AS INTEGER) AS trace_id, CAST(arg(value, 'step') AS TEXT) AS step, arg(value, 'host') AS host, arg(value, 'device') AS device, arg(value, 'comm') AS comm
  FROM json_each(CASE WHEN (SELECT tpq_option('with-path')) IS NOT NULL THEN (
    SELECT json_list(printf('{"trace":%d,"step":"%s","host":%!.17g,"device":%!.17g,"comm":%!.17g}', trace_id, step, host * percent, device * percent, comm * percent))
    FROM shares) END)
),
bounds AS (
  SELECT step.run AS run, step.trace_id AS trace_id, step.step AS step, step.dur_ns AS host_ns, coalesce(works, 0) AS works, coalesce(span_ns, 0) AS span_ns, inside.busy_ns AS busy_ns,
    inside.starved_ns AS starved_ns, coalesce(blocked_ns, 0) AS blocked_ns, coalesce(loader_ns, 0) AS loader_ns,
    path.host AS host, path.device AS device, path.comm AS comm
  FROM step
  LEFT JOIN sums ON sums.run = step.run AND sums.step_id = step.id
  LEFT JOIN inside ON inside.run = step.run AND inside.trace_id = step.trace_id AND inside.step = step.step
  LEFT JOIN blocked ON blocked.run = step.run AND blocked.step_id = step.id
  LEFT JOIN loading ON loading.run = step.run AND loading.step_id = step.id
  LEFT JOIN path ON path.trace_id = step.trace_id AND path.step = CAST(step.step AS TEXT)
  LEFT JOIN selected ON selected.run = step.run AND selected.step_id = step.id
  WHERE selected.step_id IS NOT NULL OR works > 0 OR blocked_ns > 0
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  step AS step, -- [integer] number of the step
  host_ns / 1000000.0 AS host_ms, -- [ms] (lower) duration of the step mark on the host
  works AS works, -- [integer] number of GPU activities launched in the step
  span_ns / 1000000.0 AS span_ms, -- [ms] (lower) time from the first start to the last end of GPU activities of the step
  busy_ns / 1000000.0 AS busy_ms, -- [ms] GPU busy time in the step, whoever launched it; NULL where the selected time has only a part of the step
  (host_ns - busy_ns) / 1000000.0 AS idle_ms, -- [ms] (lower) GPU idle time in the step
  starved_ns / 1000000.0 AS starved_ms, -- [ms] (lower) launch-bound idle time: gaps with a late launch (launch after the start of the gap)
  blocked_ns / 1000000.0 AS blocked_ms, -- [ms] (lower) time of the thread of the step in synchronizations
  loader_ns / 1000000.0 AS loader_ms, -- [ms] (lower) time of DataLoader ranges that begin in the step
  host AS path_host_percent, -- [%] (lower) share of the critical path of the step bound by host, launches and data loading (--with-path)
  device AS path_device_percent, -- [%] share of the critical path of the step bound by computation, memcpy and the gaps between (--with-path)
  comm AS path_comm_percent, -- [%] (lower) share of the critical path of the step bound by communication (--with-path)
  CASE WHEN works = 0 THEN 'no work'
    WHEN host >= 50 AND host - max(device, comm) >= 15 THEN 'host'
    WHEN device >= 50 AND device - max(host, comm) >= 15 THEN 'device'
    WHEN comm >= 50 AND comm - max(host, device) >= 15 THEN 'communication'
    WHEN host IS NOT NULL THEN 'mixed'
    WHEN busy_ns IS NULL THEN NULL
    WHEN busy_ns >= 0.9 * host_ns THEN 'device'
    WHEN starved_ns >= 0.5 * (host_ns - busy_ns) AND starved_ns >= 0.1 * host_ns THEN 'host'
    ELSE 'mixed' END AS verdict -- [text] bound of the step: device, host, communication (--with-path), mixed or no work; NULL like busy_ms
FROM bounds
ORDER BY run, trace_id, step;
