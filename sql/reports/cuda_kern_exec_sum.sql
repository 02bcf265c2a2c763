-- Kernels with the calls that launched them: how long calls took, kernels waited and ran, as Nsight Systems sums it up.
-- set: nsys
-- alias: kernexecsum
-- position: 190
-- unit: run
-- key: pid, tid, dev_id, api_name, kernel_name
-- when: never
-- empty: lacks_work, lacks_kernels, lacks_launches
CREATE VIEW cuda_kern_exec_sum AS
WITH call_name AS MATERIALIZED (SELECT run, name_id, name FROM nsys_call_name),
grouped AS (
  SELECT run, pid, tid, device, call_name_id, name_id, count(*) AS count, count(queue_ns) AS queued,
    avg(total_ns) AS t_mean, median(total_ns) AS t_middle, min(total_ns) AS t_min, max(total_ns) AS t_max, coalesce(stddev_samp(total_ns), 0.0) AS t_deviation,
    avg(call_ns) AS a_mean, median(call_ns) AS a_middle, min(call_ns) AS a_min, max(call_ns) AS a_max, coalesce(stddev_samp(call_ns), 0.0) AS a_deviation,
    avg(queue_ns) AS q_mean, median(queue_ns) AS q_middle, min(queue_ns) AS q_min, max(queue_ns) AS q_max, coalesce(stddev_samp(queue_ns), 0.0) AS q_deviation,
    avg(kernel_ns) AS k_mean, median(kernel_ns) AS k_middle, min(kernel_ns) AS k_min, max(kernel_ns) AS k_max, coalesce(stddev_samp(kernel_ns), 0.0) AS k_deviation
  FROM nsys_execution
  GROUP BY run, pid, tid, device, call_name_id, name_id
)
SELECT
  grouped.run AS run, -- [text] run
  grouped.pid AS pid, -- "PID" [integer] process
  grouped.tid AS tid, -- "TID" [integer] thread
  grouped.device AS dev_id, -- "DevId" [integer] device
  grouped.count AS count, -- "Count" [integer] kernels
  grouped.queued AS q_count, -- "QCount" [integer] kernels that did not start before their call ended
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(grouped.t_mean, 1) ELSE grouped.t_mean END AS t_avg, -- "TAvg (ns)" [real] mean time from the start of the call to the end of both
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(grouped.t_middle, 1) ELSE grouped.t_middle END AS t_med, -- "TMed (ns)" [real] median time from the start of the call to the end of both
  grouped.t_min AS t_least, -- "TMin (ns)" [integer] least time from the start of the call to the end of both
  grouped.t_max AS t_most, -- "TMax (ns)" [integer] greatest time from the start of the call to the end of both
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(grouped.t_deviation, 1) ELSE grouped.t_deviation END AS t_stddev, -- "TStdDev (ns)" [real] standard deviation of the time from the start of the call to the end of both
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(grouped.a_mean, 1) ELSE grouped.a_mean END AS a_avg, -- "AAvg (ns)" [real] mean duration of the call
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(grouped.a_middle, 1) ELSE grouped.a_middle END AS a_med, -- "AMed (ns)" [real] median duration of the call
  grouped.a_min AS a_least, -- "AMin (ns)" [integer] least duration of the call
  grouped.a_max AS a_most, -- "AMax (ns)" [integer] greatest duration of the call
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(grouped.a_deviation, 1) ELSE grouped.a_deviation END AS a_stddev, -- "AStdDev (ns)" [real] standard deviation of the duration of the call
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(grouped.q_mean, 1) ELSE grouped.q_mean END AS q_avg, -- "QAvg (ns)" [real] mean time between the call and the kernel
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(grouped.q_middle, 1) ELSE grouped.q_middle END AS q_med, -- "QMed (ns)" [real] median time between the call and the kernel
  grouped.q_min AS q_least, -- "QMin (ns)" [integer] least time between the call and the kernel
  grouped.q_max AS q_most, -- "QMax (ns)" [integer] greatest time between the call and the kernel
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(grouped.q_deviation, 1) ELSE grouped.q_deviation END AS q_stddev, -- "QStdDev (ns)" [real] standard deviation of the time between the call and the kernel
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(grouped.k_mean, 1) ELSE grouped.k_mean END AS k_avg, -- "KAvg (ns)" [real] mean duration of the kernel
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(grouped.k_middle, 1) ELSE grouped.k_middle END AS k_med, -- "KMed (ns)" [real] median duration of the kernel
  grouped.k_min AS k_least, -- "KMin (ns)" [integer] least duration of the kernel
  grouped.k_max AS k_most, -- "KMax (ns)" [integer] greatest duration of the kernel
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(grouped.k_deviation, 1) ELSE grouped.k_deviation END AS k_stddev, -- "KStdDev (ns)" [real] standard deviation of the duration of the kernel
  coalesce(call_name.name, call.text) AS api_name, -- "API Name" [text] name of the call
  kernel.text AS kernel_name -- "Kernel Name" [text] name of the kernel
FROM grouped
JOIN string AS kernel ON kernel.id = grouped.name_id
JOIN string AS call ON call.id = grouped.call_name_id
LEFT JOIN call_name ON call_name.run = grouped.run AND call_name.name_id = grouped.call_name_id
ORDER BY grouped.run, grouped.t_mean DESC, grouped.pid, grouped.tid, grouped.device, kernel.text, call.text;
