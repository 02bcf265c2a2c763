-- Kernel time by name, grid and block (the layout of nsys stats).
-- set: nsys
-- question: kernels
-- alias: gpukerngbsum
-- name-options: base, nvtx-name
-- position: 160
-- unit: run
-- key: name, grid_xyz, block_xyz
-- measure: total_time, instances
-- when: never
-- empty: no_work, no_kernels
CREATE VIEW cuda_gpu_kern_gb_sum AS
WITH shape AS MATERIALIZED (
  SELECT args_id, grid, block
  FROM nsys_shape
  WHERE args_id IN (SELECT gpu_event.args_id FROM scope CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event)
),
named AS MATERIALIZED (SELECT id, name FROM nsys_named_kernel),
listed AS (
  SELECT summaries(work.dur_ns, work.run, coalesce(named.name, work.name_id), shape.grid, shape.block) AS list
  FROM nsys_work AS work
  LEFT JOIN shape ON shape.args_id = work.args_id
  LEFT JOIN named ON named.id = work.id
  WHERE work.category = 'kernel'
),
grouped AS (
  SELECT arg(item.value, 'key1') AS run, arg(item.value, 'key2') AS name_id, arg(item.value, 'key3') AS grid, arg(item.value, 'key4') AS block,
    arg(item.value, 'sum') AS total_ns, arg(item.value, 'count') AS instances, arg(item.value, 'mean') AS mean, arg(item.value, 'median') AS middle,
    arg(item.value, 'min') AS min_ns, arg(item.value, 'max') AS max_ns, coalesce(arg(item.value, 'stddev'), 0.0) AS deviation
  FROM listed
  CROSS JOIN json_each(listed.list) AS item
)
SELECT
  run AS run, -- [text] name of the run
  total_ns * 100.0 / nullif(sum(total_ns) OVER (PARTITION BY run), 0) AS time_share, -- "Time (%)" [% ~1] share of the total time of all rows
  total_ns AS total_time, -- "Total Time (ns)" [ns] total duration of the kernels
  instances AS instances, -- "Instances" [integer] number of kernels
  mean AS avg, -- "Avg (ns)" [real ~1] mean kernel duration
  middle AS med, -- "Med (ns)" [real ~1] median kernel duration
  min_ns AS min, -- "Min (ns)" [integer] minimum kernel duration
  max_ns AS max, -- "Max (ns)" [integer] maximum kernel duration
  deviation AS stddev, -- "StdDev (ns)" [real ~1] standard deviation (n - 1) of the kernel durations; 0 for one kernel
  grid AS grid_xyz, -- "GridXYZ" [text] grid of the kernel: blocks in x, y and z
  block AS block_xyz, -- "BlockXYZ" [text] block of the kernel: threads in x, y and z
  coalesce(string.text, grouped.name_id) AS name -- "Name" [text] name of the kernel
FROM grouped
LEFT JOIN string ON typeof(grouped.name_id) = 'integer' AND string.id = grouped.name_id
ORDER BY run, total_ns DESC, instances DESC, coalesce(string.text, grouped.name_id), grid, block;
