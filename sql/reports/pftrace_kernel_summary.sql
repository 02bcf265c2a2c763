-- Kernels and memcpy by launch configuration.
-- set: pftrace
-- question: kernels first
-- sheet: kernel_summary
-- position: 30
-- level: kernel
-- key: name, grid, block, vgpr, accum_vgpr, sgpr, lds, scratch
-- measure: sum, instances
-- work: GPU time of kernels
-- when: not no-kernel-summary
-- keep-empty: yes
-- drop-empty: grid_text, block_text, vgpr, accum_vgpr, sgpr, lds, scratch, grid, grid_y, grid_z, block, block_y, block_z
-- terminal: name, percent, sum, instances, mean, median, min, max, deviation
-- empty: no_work
CREATE VIEW pftrace_kernel_summary AS
WITH shape AS MATERIALIZED (
  SELECT args_id, grid, block, vgprs, accum_vgprs, sgprs, shared_bytes, scratch_bytes
  FROM pftrace_shape
  WHERE args_id IN (SELECT args_id FROM pftrace_activity)
),
baseline AS MATERIALIZED (
  SELECT run, trace_id, sum(dur_ns) AS ns
  FROM pftrace_activity
  WHERE is_long AND (class <> 'rccl' OR (SELECT tpq_option('kernel-summary-baseline')) = 'total')
  GROUP BY run, trace_id
),
chosen AS (
  SELECT work.run AS run, work.trace_id AS trace_id, work.dur_ns AS dur_ns, work.name AS name,
    CASE WHEN by.config THEN coalesce(shape.grid, 0) END AS grid,
    CASE WHEN by.config THEN coalesce(shape.block, 0) END AS block,
    CASE WHEN by.config THEN coalesce(shape.vgprs, 0) END AS vgprs,
    CASE WHEN by.config THEN coalesce(shape.accum_vgprs, 0) END AS accum_vgprs,
    CASE WHEN by.config THEN coalesce(shape.sgprs, 0) END AS sgprs,
    CASE WHEN by.config THEN coalesce(shape.shared_bytes, 0) END AS shared_bytes,
    CASE WHEN by.config THEN coalesce(shape.scratch_bytes, 0) END AS scratch_bytes
  FROM pftrace_activity AS work
  CROSS JOIN (SELECT tpq_option('kernel-summary-group') = 'config' AS config) AS by
  LEFT JOIN shape ON shape.args_id = work.args_id
  WHERE work.is_long AND (work.class <> 'rccl' OR (SELECT tpq_option('kernel-summary-include-rccl')) IS NOT NULL)
),
grouped AS (
  SELECT work.run AS run, work.trace_id AS trace_id, work.name AS name, work.grid AS grid, work.block AS block, work.vgprs AS vgprs, work.accum_vgprs AS accum_vgprs, work.sgprs AS sgprs, work.shared_bytes AS shared_bytes, work.scratch_bytes AS scratch_bytes,
    sum(work.dur_ns) AS sum_ns, count(*) AS instances, avg(work.dur_ns) AS mean_ns, median(work.dur_ns) AS median_ns,
    min(work.dur_ns) AS min_ns, max(work.dur_ns) AS max_ns, stddev_pop(work.dur_ns) AS deviation_ns
  FROM chosen AS work
  GROUP BY work.run, work.trace_id, work.name, work.grid, work.block, work.vgprs, work.accum_vgprs, work.sgprs, work.shared_bytes, work.scratch_bytes
),
shared AS (
  SELECT grouped.run AS run, grouped.trace_id AS trace_id, name, grid, block, vgprs, accum_vgprs, sgprs, shared_bytes, scratch_bytes, sum_ns, instances, mean_ns, median_ns, min_ns, max_ns, deviation_ns,
    coalesce(100.0 * sum_ns / nullif(baseline.ns, 0), 0.0) AS percent
  FROM grouped
  LEFT JOIN baseline ON baseline.run = grouped.run AND baseline.trace_id = grouped.trace_id
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  printf('%.1f%%', percent) AS time_text, -- "Time" [text] share of the kernel time, as a text
  CASE WHEN sum_ns >= 1000000 THEN printf('%.3f ms', sum_ns / 1000000.0) WHEN sum_ns >= 1000 THEN printf('%.3f μs', sum_ns / 1000.0) ELSE printf('%d ns', sum_ns) END AS total_text, -- "Total Time" [text] sum of durations, as a text
  instances AS instances, -- "Instances" [integer] number of runs of the kernel
  CASE WHEN mean_ns >= 1000000 THEN printf('%.3f ms', mean_ns / 1000000.0) WHEN mean_ns >= 1000 THEN printf('%.3f μs', mean_ns / 1000.0) ELSE printf('%d ns', mean_ns) END AS mean_text, -- "Avg" [text] mean duration (column Avg (ns)), as a text
  CASE WHEN median_ns >= 1000000 THEN printf('%.3f ms', median_ns / 1000000.0) WHEN median_ns >= 1000 THEN printf('%.3f μs', median_ns / 1000.0) ELSE printf('%d ns', median_ns) END AS median_text, -- "Med" [text] median duration (column Med (ns)), as a text
  CASE WHEN min_ns >= 1000000 THEN printf('%.3f ms', min_ns / 1000000.0) WHEN min_ns >= 1000 THEN printf('%.3f μs', min_ns / 1000.0) ELSE printf('%d ns', min_ns) END AS min_text, -- "Min" [text] minimum duration (column Min (ns)), as a text
  CASE WHEN max_ns >= 1000000 THEN printf('%.3f ms', max_ns / 1000000.0) WHEN max_ns >= 1000 THEN printf('%.3f μs', max_ns / 1000.0) ELSE printf('%d ns', max_ns) END AS max_text, -- "Max" [text] maximum duration (column Max (ns)), as a text
  CASE WHEN deviation_ns >= 1000000 THEN printf('%.3f ms', deviation_ns / 1000000.0) WHEN deviation_ns >= 1000 THEN printf('%.3f μs', deviation_ns / 1000.0) ELSE printf('%d ns', deviation_ns) END AS deviation_text, -- "StdDev" [text] standard deviation of the duration (column StdDev (ns)), as a text
  CASE WHEN grid IS NOT NULL THEN printf('%7d %4d %4d', grid, 1, 1) END AS grid_text, -- "GridXYZ" [text] number of work-items of the grid, as a text
  CASE WHEN block IS NOT NULL THEN printf('%7d %4d %4d', block, 1, 1) END AS block_text, -- "BlockXYZ" [text] number of work-items of a workgroup, as a text
  vgprs AS vgpr, -- "VGPR" [integer] number of vector registers
  accum_vgprs AS accum_vgpr, -- "AccumVGPR" [integer] number of accumulation vector registers
  sgprs AS sgpr, -- "SGPR" [integer] number of scalar registers
  shared_bytes AS lds, -- "LDS" [integer] LDS bytes of a workgroup
  scratch_bytes AS scratch, -- "Scratch" [integer] scratch bytes of a work-item, for spilled registers
  name AS name, -- "Name" [kernel] name of the kernel
  percent AS percent, -- "Time %" [%] share of the kernel time
  sum_ns AS sum, -- "Total Time (ns)" [ns] sum of kernel durations
  mean_ns AS mean, -- "Avg (ns)" [real] mean kernel duration
  median_ns AS median, -- "Med (ns)" [real] median kernel duration
  min_ns AS min, -- "Min (ns)" [integer] minimum kernel duration
  max_ns AS max, -- "Max (ns)" [integer] maximum kernel duration
  deviation_ns AS deviation, -- "StdDev (ns)" [real] population standard deviation of the kernel duration
  grid AS grid, -- "GridX" [integer] number of work-items of the grid
  CASE WHEN grid IS NOT NULL THEN 1 END AS grid_y, -- "GridY" [integer] size of the grid in y; 1, as the file has the product of all three
  CASE WHEN grid IS NOT NULL THEN 1 END AS grid_z, -- "GridZ" [integer] size of the grid in z; 1, as the file has the product of all three
  block AS block, -- "BlockX" [integer] number of work-items of a workgroup
  CASE WHEN block IS NOT NULL THEN 1 END AS block_y, -- "BlockY" [integer] size of the workgroup in y; 1, as the file has the product of all three
  CASE WHEN block IS NOT NULL THEN 1 END AS block_z -- "BlockZ" [integer] size of the workgroup in z; 1, as the file has the product of all three
FROM shared
ORDER BY run, trace_id, sum_ns DESC, name, grid, block, vgprs, accum_vgprs, sgprs, shared_bytes, scratch_bytes;
