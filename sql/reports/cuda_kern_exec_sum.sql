-- Kernels with launch latency, launch delay and duration by name (the layout of nsys stats).
-- set: nsys
-- question: idle
-- alias: kernexecsum
-- name-options: base, nvtx-name
-- position: 190
-- unit: run
-- key: pid, tid, dev_id, api_name, kernel_name
-- when: never
-- empty: no_work, no_kernels, no_launches
CREATE VIEW cuda_kern_exec_sum AS
WITH call_name AS MATERIALIZED (SELECT run, name_id, name FROM nsys_call_name),
named AS MATERIALIZED (SELECT id, name FROM nsys_named_kernel),
grouped AS (
  SELECT work.run AS run, work.pid AS pid, work.tid AS tid, work.device AS device, work.call_name_id AS call_name_id, work.name_id AS name_id, named.name AS kernel,
    avg(total_ns) AS total_mean_ns, median(total_ns) AS total_median_ns, min(total_ns) AS total_min_ns, max(total_ns) AS total_max_ns, stddev_samp(total_ns) AS total_stddev_ns,
    avg(call_ns) AS call_mean_ns, median(call_ns) AS call_median_ns, min(call_ns) AS call_min_ns, max(call_ns) AS call_max_ns, stddev_samp(call_ns) AS call_stddev_ns,
    avg(queue_ns) AS queue_mean_ns, median(queue_ns) AS queue_median_ns, min(queue_ns) AS queue_min_ns, max(queue_ns) AS queue_max_ns, stddev_samp(queue_ns) AS queue_stddev_ns,
    avg(kernel_ns) AS kernel_mean_ns, median(kernel_ns) AS kernel_median_ns, min(kernel_ns) AS kernel_min_ns, max(kernel_ns) AS kernel_max_ns, stddev_samp(kernel_ns) AS kernel_stddev_ns,
    count(*) AS count, count(work.queue_ns) AS queued
  FROM nsys_execution AS work
  LEFT JOIN named ON named.id = work.id
  GROUP BY work.run, work.pid, work.tid, work.device, work.call_name_id, CASE WHEN named.name IS NULL THEN work.name_id END, named.name
)
SELECT
  grouped.run AS run, -- [text] name of the run
  grouped.pid AS pid, -- "PID" [integer] process id of the launches
  grouped.tid AS tid, -- "TID" [integer] thread id of the launches
  grouped.device AS dev_id, -- "DevId" [integer] number of the device
  grouped.count AS count, -- "Count" [integer] number of kernels
  grouped.queued AS q_count, -- "QCount" [integer] number of kernels that started after their launch ended
  grouped.total_mean_ns AS t_avg, -- "TAvg (ns)" [real ~1] mean time from the start of the launch to the end of both launch and kernel
  grouped.total_median_ns AS t_med, -- "TMed (ns)" [real ~1] median time from the start of the launch to the end of both launch and kernel
  grouped.total_min_ns AS t_least, -- "TMin (ns)" [integer] minimum time from the start of the launch to the end of both launch and kernel
  grouped.total_max_ns AS t_most, -- "TMax (ns)" [integer] maximum time from the start of the launch to the end of both launch and kernel
  coalesce(grouped.total_stddev_ns, 0.0) AS t_stddev, -- "TStdDev (ns)" [real ~1] standard deviation of the time from the start of the launch to the end of both launch and kernel
  grouped.call_mean_ns AS a_avg, -- "AAvg (ns)" [real ~1] mean launch latency
  grouped.call_median_ns AS a_med, -- "AMed (ns)" [real ~1] median launch latency
  grouped.call_min_ns AS a_least, -- "AMin (ns)" [integer] minimum launch latency
  grouped.call_max_ns AS a_most, -- "AMax (ns)" [integer] maximum launch latency
  coalesce(grouped.call_stddev_ns, 0.0) AS a_stddev, -- "AStdDev (ns)" [real ~1] standard deviation of the launch latency
  grouped.queue_mean_ns AS q_avg, -- "QAvg (ns)" [real ~1] mean launch delay
  grouped.queue_median_ns AS q_med, -- "QMed (ns)" [real ~1] median launch delay
  grouped.queue_min_ns AS q_least, -- "QMin (ns)" [integer] minimum launch delay
  grouped.queue_max_ns AS q_most, -- "QMax (ns)" [integer] maximum launch delay
  coalesce(grouped.queue_stddev_ns, 0.0) AS q_stddev, -- "QStdDev (ns)" [real ~1] standard deviation of the launch delay
  grouped.kernel_mean_ns AS k_avg, -- "KAvg (ns)" [real ~1] mean kernel duration
  grouped.kernel_median_ns AS k_med, -- "KMed (ns)" [real ~1] median kernel duration
  grouped.kernel_min_ns AS k_least, -- "KMin (ns)" [integer] minimum kernel duration
  grouped.kernel_max_ns AS k_most, -- "KMax (ns)" [integer] maximum kernel duration
  coalesce(grouped.kernel_stddev_ns, 0.0) AS k_stddev, -- "KStdDev (ns)" [real ~1] standard deviation of the kernel duration
  coalesce(call_name.name, call.text) AS api_name, -- "API Name" [text] name of the runtime call
  coalesce(grouped.kernel, kernel.text) AS kernel_name -- "Kernel Name" [text] name of the kernel
FROM grouped
JOIN string AS kernel ON kernel.id = grouped.name_id
JOIN string AS call ON call.id = grouped.call_name_id
LEFT JOIN call_name ON call_name.run = grouped.run AND call_name.name_id = grouped.call_name_id
ORDER BY grouped.run, grouped.total_mean_ns DESC, grouped.pid, grouped.tid, grouped.device, coalesce(grouped.kernel, kernel.text), call.text;
