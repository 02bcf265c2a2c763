-- HIP calls with the kernels and memcpy that they launched.
-- set: pftrace
-- question: idle
-- sheet: api_kernel_summary
-- position: 50
-- key: pid, tid, device, call_name, kernel_name
-- measure: total_avg, count
-- keep-empty: yes
-- empty: lacks_calls
CREATE VIEW pftrace_api_kernel_summary AS
SELECT
  run AS run, -- [text] run
  trace_id AS trace_id, -- [integer] trace
  pid AS pid, -- "PID" [integer] process of the call
  tid AS tid, -- "TID" [integer] thread of the call
  device AS device, -- "DevId" [integer] accelerator
  count(*) AS count, -- "Count" [integer] calls with that kernel
  count(*) FILTER (WHERE queue_ns > 0) AS queued, -- "QCount" [integer] of them, where the kernel started behind the end of the call
  coalesce(avg(CASE WHEN kernel_name IS NOT NULL THEN call_ns + queue_ns + kernel_ns END), 0) AS total_avg, -- "TAvg_ns" [real] from the start of the call to the end of the kernel: the sum of the next three
  coalesce(median(CASE WHEN kernel_name IS NOT NULL THEN call_ns + queue_ns + kernel_ns END), 0) AS total_median, -- "TMed_ns" [real] the same, median
  coalesce(min(CASE WHEN kernel_name IS NOT NULL THEN call_ns + queue_ns + kernel_ns END), 0) AS total_min, -- "TMin_ns" [integer] the same, min
  coalesce(max(CASE WHEN kernel_name IS NOT NULL THEN call_ns + queue_ns + kernel_ns END), 0) AS total_max, -- "TMax_ns" [integer] the same, max
  coalesce(stddev_pop(CASE WHEN kernel_name IS NOT NULL THEN call_ns + queue_ns + kernel_ns END), 0) AS total_stddev, -- "TStdDev_ns" [real] the same, stddev
  avg(call_ns) AS call_avg, -- "AAvg_ns" [real] duration of the call
  median(call_ns) AS call_median, -- "AMed_ns" [real] the same, median
  min(call_ns) AS call_min, -- "AMin_ns" [integer] the same, min
  max(call_ns) AS call_max, -- "AMax_ns" [integer] the same, max
  stddev_pop(call_ns) AS call_stddev, -- "AStdDev_ns" [real] the same, stddev
  avg(queue_ns) AS queue_avg, -- "QAvg_ns" [real] from the end of the call to the start of the kernel; 0 = it had started
  median(queue_ns) AS queue_median, -- "QMed_ns" [real] the same, median
  min(queue_ns) AS queue_min, -- "QMin_ns" [integer] the same, min
  max(queue_ns) AS queue_max, -- "QMax_ns" [integer] the same, max
  stddev_pop(queue_ns) AS queue_stddev, -- "QStdDev_ns" [real] the same, stddev
  avg(kernel_ns) AS kernel_avg, -- "KAvg_ns" [real] duration of the kernel
  median(kernel_ns) AS kernel_median, -- "KMed_ns" [real] the same, median
  min(kernel_ns) AS kernel_min, -- "KMin_ns" [integer] the same, min
  max(kernel_ns) AS kernel_max, -- "KMax_ns" [integer] the same, max
  stddev_pop(kernel_ns) AS kernel_stddev, -- "KStdDev_ns" [real] the same, stddev
  call_name AS call_name, -- "API Name" [text] name of the call
  coalesce(kernel_name, '') AS kernel_name -- "Kernel Name" [kernel] name of the kernel or copy
FROM pftrace_launch
GROUP BY run, trace_id, pid, tid, device, call_name, kernel_name
ORDER BY run, trace_id, pid, tid, device, call_name, coalesce(kernel_name, '');
