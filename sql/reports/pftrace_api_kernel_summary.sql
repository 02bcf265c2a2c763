-- HIP calls with the kernels and memcpy that they launched.
-- set: pftrace
-- question: idle
-- sheet: api_kernel_summary
-- position: 50
-- key: pid, tid, device, call_name, kernel_name
-- measure: total_avg, count
-- keep-empty: yes
-- empty: no_calls
CREATE VIEW pftrace_api_kernel_summary AS
WITH calls AS MATERIALIZED (
  SELECT run, trace_id, correlation, pid, tid, name, ts_ns, dur_ns, is_launch, own_pid
  FROM (
    SELECT call.run AS run, call.trace_id AS trace_id, call.correlation AS correlation, call.pid AS pid, call.tid AS tid,
      CASE WHEN NOT (SELECT tpq_like_reference('pftrace: calls of several processes')) THEN call.pid END AS own_pid, string.text AS name, call.ts_ns AS ts_ns, call.dur_ns AS dur_ns,
      string.text IN ('hipModuleLaunchKernel', 'hipLaunchKernelGGL', 'hipLaunchKernel', 'hipExtLaunchKernelGGL', 'hipModuleLaunchCooperativeKernel', 'hipExtModuleLaunchKernel', 'hipMemset', 'hipMemcpyHtoDAsync', 'hipMemcpyDtoHAsync', 'hipMemsetD32Async')
        OR string.text REGEXP '(?i)Launch.{0,}Kernel' AS is_launch,
      row_number() OVER (PARTITION BY call.run, call.trace_id, call.correlation, CASE WHEN NOT (SELECT tpq_like_reference('pftrace: calls of several processes')) THEN call.pid END ORDER BY call.uid DESC) AS place
    FROM pftrace_call AS call
    JOIN string ON string.id = call.name_id
    WHERE call.correlation IS NOT NULL
  )
  WHERE place = 1
),
shape AS MATERIALIZED (
  SELECT args_id, kernel_name, agent, device
  FROM pftrace_shape
  WHERE args_id IN (SELECT gpu_event.args_id FROM scope CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event)
),
named AS (
  SELECT scope.run AS run, scope.trace_id AS trace_id, work.id AS id, work.correlation AS correlation, work.ts_ns AS ts_ns, work.dur_ns AS dur_ns,
    coalesce(shape.kernel_name, string.text) AS name, string.text AS own_name, coalesce(CAST(shape.device AS INTEGER), agent.place, 0) AS device,
    CASE WHEN NOT (SELECT tpq_like_reference('pftrace: calls of several processes')) THEN CAST(track.process AS INTEGER) END AS own_pid
  FROM scope
  CROSS JOIN gpu_event AS work ON work.id BETWEEN scope.first_event AND scope.last_event
  JOIN string ON string.id = work.name_id
  LEFT JOIN shape ON shape.args_id = work.args_id
  LEFT JOIN pftrace_agent AS agent ON agent.run = scope.run AND agent.trace_id = scope.trace_id AND agent.agent = coalesce(shape.agent, CAST(work.device AS TEXT))
  LEFT JOIN event AS launching ON launching.id = work.call_id
  LEFT JOIN track ON track.id = launching.track_id
  WHERE work.correlation IS NOT NULL
),
kernels AS MATERIALIZED (
  SELECT run, trace_id, correlation, ts_ns, dur_ns, name, device, own_pid,
    row_number() OVER (PARTITION BY run, trace_id, correlation, own_pid ORDER BY ts_ns, id) AS place
  FROM named
  WHERE (lower(own_name) LIKE '%.kd' OR instr(lower(own_name), '.kd ') > 0 OR (dur_ns > 0 AND instr(lower(own_name), 'register') = 0))
    AND NOT (tpq_option('exclude-kernel-regex') <> '' AND name REGEXP tpq_option('exclude-kernel-regex'))
),
-- Calls with the kernel or copy that has their correlation id. They are NULL without it where
-- --include-nonlaunch-apis is set.
pftrace_launch AS (
  SELECT calls.run AS run, calls.trace_id AS trace_id, calls.pid AS pid, calls.tid AS tid, coalesce(kernels.device, 0) AS device, calls.name AS call_name,
    kernels.name AS kernel_name, calls.dur_ns AS call_ns,
    CASE WHEN kernels.name IS NULL THEN 0 ELSE max(0, kernels.ts_ns - calls.ts_ns - calls.dur_ns) END AS queue_ns,
    coalesce(kernels.dur_ns, 0) AS kernel_ns
  FROM calls
  LEFT JOIN kernels ON kernels.run = calls.run AND kernels.trace_id = calls.trace_id AND kernels.correlation = calls.correlation AND kernels.own_pid IS calls.own_pid
    AND (kernels.place = 1 OR (SELECT tpq_option('allow-multi-kernel-per-api')) IS NOT NULL)
  WHERE (calls.is_launch AND kernels.name IS NOT NULL) OR (SELECT tpq_option('include-nonlaunch-apis')) IS NOT NULL
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  pid AS pid, -- "PID" [integer] process id of the runtime call
  tid AS tid, -- "TID" [integer] thread id of the runtime call
  device AS device, -- "DevId" [integer] number of the GPU
  count(*) AS count, -- "Count" [integer] number of runtime calls with the kernel
  count(*) FILTER (WHERE queue_ns > 0) AS queued, -- "QCount" [integer] number of calls with a kernel that starts after the end of the call
  coalesce(avg(CASE WHEN kernel_name IS NOT NULL THEN call_ns + queue_ns + kernel_ns END), 0) AS total_avg, -- "TAvg_ns" [real] mean time from the start of the call to the end of the kernel; the sum of call, queue and kernel
  coalesce(median(CASE WHEN kernel_name IS NOT NULL THEN call_ns + queue_ns + kernel_ns END), 0) AS total_median, -- "TMed_ns" [real] median time from the start of the call to the end of the kernel
  coalesce(min(CASE WHEN kernel_name IS NOT NULL THEN call_ns + queue_ns + kernel_ns END), 0) AS total_min, -- "TMin_ns" [integer] minimum time from the start of the call to the end of the kernel
  coalesce(max(CASE WHEN kernel_name IS NOT NULL THEN call_ns + queue_ns + kernel_ns END), 0) AS total_max, -- "TMax_ns" [integer] maximum time from the start of the call to the end of the kernel
  coalesce(stddev_pop(CASE WHEN kernel_name IS NOT NULL THEN call_ns + queue_ns + kernel_ns END), 0) AS total_stddev, -- "TStdDev_ns" [real] standard deviation of the time from the start of the call to the end of the kernel
  avg(call_ns) AS call_avg, -- "AAvg_ns" [real] mean duration of the runtime call
  median(call_ns) AS call_median, -- "AMed_ns" [real] median duration of the runtime call
  min(call_ns) AS call_min, -- "AMin_ns" [integer] minimum duration of the runtime call
  max(call_ns) AS call_max, -- "AMax_ns" [integer] maximum duration of the runtime call
  stddev_pop(call_ns) AS call_stddev, -- "AStdDev_ns" [real] standard deviation of the duration of the runtime call
  avg(queue_ns) AS queue_avg, -- "QAvg_ns" [real] mean launch delay: from the end of the call to the start of the kernel; 0 where the kernel starts before that end
  median(queue_ns) AS queue_median, -- "QMed_ns" [real] median launch delay
  min(queue_ns) AS queue_min, -- "QMin_ns" [integer] minimum launch delay
  max(queue_ns) AS queue_max, -- "QMax_ns" [integer] maximum launch delay
  stddev_pop(queue_ns) AS queue_stddev, -- "QStdDev_ns" [real] standard deviation of the launch delay
  avg(kernel_ns) AS kernel_avg, -- "KAvg_ns" [real] mean kernel duration
  median(kernel_ns) AS kernel_median, -- "KMed_ns" [real] median kernel duration
  min(kernel_ns) AS kernel_min, -- "KMin_ns" [integer] minimum kernel duration
  max(kernel_ns) AS kernel_max, -- "KMax_ns" [integer] maximum kernel duration
  stddev_pop(kernel_ns) AS kernel_stddev, -- "KStdDev_ns" [real] standard deviation of the kernel duration
  call_name AS call_name, -- "API Name" [text] name of the runtime call
  coalesce(kernel_name, '') AS kernel_name -- "Kernel Name" [kernel] name of the kernel or memcpy
FROM pftrace_launch
GROUP BY run, trace_id, pid, tid, device, call_name, kernel_name
ORDER BY run, trace_id, pid, tid, device, call_name, coalesce(kernel_name, '');
