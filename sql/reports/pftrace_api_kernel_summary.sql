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
