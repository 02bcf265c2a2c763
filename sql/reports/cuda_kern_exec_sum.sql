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
measured AS MATERIALIZED (
  SELECT summaries(total_ns, run, pid, tid, device, call_name_id, name_id) AS total, summaries(call_ns, run, pid, tid, device, call_name_id, name_id) AS call,
    summaries(queue_ns, run, pid, tid, device, call_name_id, name_id) AS queue, summaries(kernel_ns, run, pid, tid, device, call_name_id, name_id) AS kernel
  FROM nsys_execution
),
total AS (
  SELECT item.key AS place, arg(item.value, 'key1') AS run, arg(item.value, 'key2') AS pid, arg(item.value, 'key3') AS tid, arg(item.value, 'key4') AS device,
    arg(item.value, 'key5') AS call_name_id, arg(item.value, 'key6') AS name_id, arg(item.value, 'count') AS count,
    arg(item.value, 'mean') AS mean, arg(item.value, 'median') AS middle, arg(item.value, 'min') AS least, arg(item.value, 'max') AS most, arg(item.value, 'stddev') AS deviation
  FROM measured
  CROSS JOIN json_each(measured.total) AS item
),
call AS MATERIALIZED (
  SELECT item.key AS place, arg(item.value, 'mean') AS mean, arg(item.value, 'median') AS middle, arg(item.value, 'min') AS least, arg(item.value, 'max') AS most, arg(item.value, 'stddev') AS deviation
  FROM measured
  CROSS JOIN json_each(measured.call) AS item
),
kernel AS MATERIALIZED (
  SELECT item.key AS place, arg(item.value, 'mean') AS mean, arg(item.value, 'median') AS middle, arg(item.value, 'min') AS least, arg(item.value, 'max') AS most, arg(item.value, 'stddev') AS deviation
  FROM measured
  CROSS JOIN json_each(measured.kernel) AS item
),
queue AS MATERIALIZED (
  SELECT arg(item.value, 'key1') AS run, arg(item.value, 'key2') AS pid, arg(item.value, 'key3') AS tid, arg(item.value, 'key4') AS device,
    arg(item.value, 'key5') AS call_name_id, arg(item.value, 'key6') AS name_id, arg(item.value, 'count') AS count,
    arg(item.value, 'mean') AS mean, arg(item.value, 'median') AS middle, arg(item.value, 'min') AS least, arg(item.value, 'max') AS most, arg(item.value, 'stddev') AS deviation
  FROM measured
  CROSS JOIN json_each(measured.queue) AS item
),
grouped AS (
  SELECT total.run AS run, total.pid AS pid, total.tid AS tid, total.device AS device, total.call_name_id AS call_name_id, total.name_id AS name_id,
    total.count AS count, coalesce(queue.count, 0) AS queued,
    total.mean AS t_mean, total.middle AS t_middle, total.least AS t_min, total.most AS t_max, coalesce(total.deviation, 0.0) AS t_deviation,
    call.mean AS a_mean, call.middle AS a_middle, call.least AS a_min, call.most AS a_max, coalesce(call.deviation, 0.0) AS a_deviation,
    queue.mean AS q_mean, queue.middle AS q_middle, queue.least AS q_min, queue.most AS q_max, coalesce(queue.deviation, 0.0) AS q_deviation,
    kernel.mean AS k_mean, kernel.middle AS k_middle, kernel.least AS k_min, kernel.most AS k_max, coalesce(kernel.deviation, 0.0) AS k_deviation
  FROM total
  JOIN call ON call.place = total.place
  JOIN kernel ON kernel.place = total.place
  LEFT JOIN queue ON queue.run = total.run AND queue.pid IS total.pid AND queue.tid IS total.tid AND queue.device IS total.device
    AND queue.call_name_id = total.call_name_id AND queue.name_id = total.name_id
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
