-- Kernel time by NVTX range; a kernel counts in every range around its launch (the layout of nsys
-- stats).
-- set: nsys
-- question: steps
-- alias: nvtxkernsum
-- name-options: base
-- position: 220
-- unit: run
-- key: nvtx_range, style, pid, tid, kernel_name
-- measure: total_time, kern_inst
-- when: never
-- empty: no_kernels
CREATE VIEW nvtx_kern_sum AS
WITH range AS MATERIALIZED (SELECT id, style, name, pid, tid FROM marked_range),
kernel AS (
  SELECT scope.run AS run, work.call_id AS call_id, work.name_id AS name_id, work.dur_ns AS dur_ns
  FROM scope
  CROSS JOIN gpu_event AS work ON work.id BETWEEN scope.first_event AND scope.last_event
  WHERE work.category_id IN (SELECT id FROM category WHERE name = 'kernel' OR (name = 'gpu_graph' AND NOT (SELECT tpq_like_reference('nsys: graphs as a whole'))))
),
inside AS (
  SELECT pair.run AS run, range.name AS name, range.style AS style, range.pid AS pid, range.tid AS tid, pair.range_id AS range_id, work.name_id AS name_id, work.dur_ns AS dur_ns
  FROM range_call AS pair
  JOIN range ON range.id = pair.range_id
  CROSS JOIN gpu_event AS work ON work.id BETWEEN pair.call_id AND pair.last_id
  WHERE +work.call_id = pair.call_id AND work.category_id IN (SELECT id FROM category WHERE name = 'kernel' OR (name = 'gpu_graph' AND NOT (SELECT tpq_like_reference('nsys: graphs as a whole'))))
  UNION ALL
  SELECT run, NULL, NULL, NULL, NULL, NULL, name_id, dur_ns
  FROM kernel
  WHERE call_id IS NULL OR call_id NOT IN (SELECT call_id FROM range_call)
),
kernel_name AS MATERIALIZED (
  SELECT string.id AS id, CASE WHEN (SELECT tpq_option('kernel-names')) = 'base' THEN kernel_base_name(string.text) ELSE string.text END AS text
  FROM string
  WHERE string.id IN (SELECT name_id FROM kernel)
),
sums AS (
  SELECT inside.run AS run, inside.name AS name, inside.style AS style, inside.pid AS pid, inside.tid AS tid, kernel_name.text AS kernel, count(DISTINCT inside.range_id) AS ranges,
    count(*) AS kernels, sum(inside.dur_ns) AS total_ns, avg(inside.dur_ns) AS mean_ns, median(inside.dur_ns) AS median_ns, min(inside.dur_ns) AS min_ns,
    max(inside.dur_ns) AS max_ns, stddev_samp(inside.dur_ns) AS stddev_ns
  FROM inside
  JOIN kernel_name ON kernel_name.id = inside.name_id
  GROUP BY inside.run, inside.name, inside.style, inside.pid, inside.tid, kernel_name.text
)
SELECT
  sums.run AS run, -- [text] name of the run
  sums.name AS nvtx_range, -- "NVTX Range" [text] text of the range, with the domain in front; empty: kernels in no range
  sums.style AS style, -- "Style" [text] range style: PushPop or StartEnd
  sums.pid AS pid, -- "PID" [integer] process id
  sums.tid AS tid, -- "TID" [integer] thread id
  sums.ranges AS nvtx_inst, -- "NVTX Inst" [integer] number of ranges with the kernel
  sums.kernels AS kern_inst, -- "Kern Inst" [integer] number of runs of the kernel
  sums.total_ns AS total_time, -- "Total Time (ns)" [ns] sum of kernel durations
  sums.mean_ns AS avg, -- "Avg (ns)" [real ~1] mean kernel duration
  sums.median_ns AS med, -- "Med (ns)" [real ~1] median kernel duration
  sums.min_ns AS min, -- "Min (ns)" [integer] minimum kernel duration
  sums.max_ns AS max, -- "Max (ns)" [integer] maximum kernel duration
  coalesce(sums.stddev_ns, 0.0) AS stddev, -- "StdDev (ns)" [real ~1] standard deviation of the kernel duration (n - 1); 0 for a single run
  sums.kernel AS kernel_name -- "Kernel Name" [text] name of the kernel
FROM sums
ORDER BY sums.run, sums.name, sums.pid, sums.tid, sums.total_ns DESC, sums.kernel, sums.style;
