-- Time of kernels by the ranges around their calls, each kernel in all of them, as Nsight Systems sums it up.
-- set: nsys
-- alias: nvtxkernsum
-- position: 220
-- unit: run
-- key: nvtx_range, style, pid, tid, kernel_name
-- measure: total_time, kern_inst
-- when: never
-- empty: lacks_kernels
CREATE VIEW nvtx_kern_sum AS
WITH kernel AS (
  SELECT id FROM category WHERE name = 'kernel' OR (name = 'gpu_graph' AND NOT (SELECT tpq_like_reference('nsys: graphs as a whole')))
),
ranges AS MATERIALIZED (
  SELECT range.run AS run, range.id AS id, range.name AS name, range.style AS style, CAST(track.process AS INTEGER) AS pid, CAST(track.thread AS INTEGER) AS tid
  FROM nsys_range AS range
  JOIN track ON track.id = range.track_id
),
inside AS (
  SELECT ranges.run AS run, ranges.name AS name, ranges.style AS style, ranges.pid AS pid, ranges.tid AS tid, ranges.id AS range_id,
    gpu_event.name_id AS name_id, gpu_event.dur_ns AS dur_ns
  FROM range_call
  CROSS JOIN gpu_event ON gpu_event.id BETWEEN range_call.call_id + 1 AND range_call.last_id AND +gpu_event.call_id = range_call.call_id
  JOIN ranges ON ranges.id = range_call.range_id
  WHERE gpu_event.category_id IN (SELECT id FROM kernel)
),
covered AS MATERIALIZED (
  SELECT DISTINCT call_id FROM range_call
),
outside AS (
  SELECT scope.run AS run, NULL AS name, NULL AS style, NULL AS pid, NULL AS tid, NULL AS range_id, gpu_event.name_id AS name_id, gpu_event.dur_ns AS dur_ns
  FROM scope
  CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
  WHERE gpu_event.category_id IN (SELECT id FROM kernel) AND (gpu_event.call_id IS NULL OR gpu_event.call_id NOT IN (SELECT call_id FROM covered))
),
grouped AS (
  SELECT run, name, style, pid, tid, name_id, count(DISTINCT range_id) AS ranges, count(*) AS kernels, sum(dur_ns) AS total, avg(dur_ns) AS mean,
    median(dur_ns) AS middle, min(dur_ns) AS least, max(dur_ns) AS most, coalesce(stddev_samp(dur_ns), 0.0) AS deviation
  FROM (SELECT run, name, style, pid, tid, range_id, name_id, dur_ns FROM inside UNION ALL SELECT run, name, style, pid, tid, range_id, name_id, dur_ns FROM outside)
  GROUP BY run, name, style, pid, tid, name_id
)
SELECT
  grouped.run AS run, -- [text] run
  grouped.name AS nvtx_range, -- "NVTX Range" [text] text of the range, with its domain in front; empty: kernels in no range
  grouped.style AS style, -- "Style" [text] PushPop or StartEnd
  grouped.pid AS pid, -- "PID" [integer] process
  grouped.tid AS tid, -- "TID" [integer] thread
  grouped.ranges AS nvtx_inst, -- "NVTX Inst" [integer] ranges with such kernels
  grouped.kernels AS kern_inst, -- "Kern Inst" [integer] kernels
  grouped.total AS total_time, -- "Total Time (ns)" [ns] sum of their durations
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(grouped.mean, 1) ELSE grouped.mean END AS avg, -- "Avg (ns)" [real] mean duration
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(grouped.middle, 1) ELSE grouped.middle END AS med, -- "Med (ns)" [real] median duration
  grouped.least AS min, -- "Min (ns)" [integer] least duration
  grouped.most AS max, -- "Max (ns)" [integer] greatest duration
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(grouped.deviation, 1) ELSE grouped.deviation END AS stddev, -- "StdDev (ns)" [real] standard deviation of a sample; 0 for one
  string.text AS kernel_name -- "Kernel Name" [text] name of the kernel
FROM grouped
JOIN string ON string.id = grouped.name_id
ORDER BY grouped.run, grouped.name, grouped.pid, grouped.tid, grouped.total DESC, string.text;
