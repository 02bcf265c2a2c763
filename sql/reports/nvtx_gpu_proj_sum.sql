-- Ranges as the accelerator saw them, by text and style, as Nsight Systems sums them up.
-- set: nsys
-- alias: nvtxgpuproj
-- position: 240
-- unit: run
-- key: range, style
-- measure: total_proj_time, range_instances
-- when: never
-- empty: lacks_ranges, lacks_projections
CREATE VIEW nvtx_gpu_proj_sum AS
WITH projected AS MATERIALIZED (
  SELECT run, id, dur_ns, pieces FROM nsys_projection
),
placed AS MATERIALIZED (
  SELECT nest.id AS id, nest.level AS level, nest.parent_id AS parent_id FROM range_nest AS nest JOIN projected ON projected.id = nest.id
),
children AS MATERIALIZED (
  SELECT parent_id AS id, count(*) AS count FROM placed WHERE parent_id IS NOT NULL GROUP BY parent_id
),
grouped AS (
  SELECT range.run AS run, range.name AS name, range.style AS style, sum(projected.dur_ns) AS total, sum(range.dur_ns) AS original, count(*) AS instances,
    avg(projected.dur_ns) AS mean, median(projected.dur_ns) AS middle, min(projected.dur_ns) AS least, max(projected.dur_ns) AS most,
    coalesce(stddev_samp(projected.dur_ns), 0.0) AS deviation, sum(projected.pieces) AS pieces, avg(projected.pieces) AS mean_pieces,
    avg(placed.level) AS mean_level, avg(coalesce(children.count, 0)) AS mean_children
  FROM projected
  JOIN nsys_range AS range ON range.id = projected.id
  JOIN placed ON placed.id = projected.id
  LEFT JOIN children ON children.id = projected.id
  GROUP BY range.run, range.name, range.style
)
SELECT
  run AS run, -- [text] run
  name AS range, -- "Range" [text] text of the range, with its domain in front
  style AS style, -- "Style" [text] PushPop or StartEnd
  total AS total_proj_time, -- "Total Proj Time (ns)" [ns] sum of the times on the accelerator
  original AS total_range_time, -- "Total Range Time (ns)" [ns] sum of the durations on the host
  instances AS range_instances, -- "Range Instances" [integer] ranges
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(mean, 1) ELSE mean END AS proj_avg, -- "Proj Avg (ns)" [real] mean time on the accelerator
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(middle, 1) ELSE middle END AS proj_med, -- "Proj Med (ns)" [real] median of it
  least AS proj_min, -- "Proj Min (ns)" [integer] least of it
  most AS proj_max, -- "Proj Max (ns)" [integer] greatest of it
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(deviation, 1) ELSE deviation END AS proj_stddev, -- "Proj StdDev (ns)" [real] standard deviation of a sample; 0 for one
  pieces AS total_gpu_ops, -- "Total GPU Ops" [integer] pieces of work
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(mean_pieces, 1) ELSE mean_pieces END AS avg_gpu_ops, -- "Avg GPU Ops" [real] pieces of work in one of them
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(mean_level, 1) ELSE mean_level END AS avg_range_lvl, -- "Avg Range Lvl" [real] how many ranges one of them is in
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(mean_children, 1) ELSE mean_children END AS avg_num_child -- "Avg Num Child" [real] ranges with work right inside one of them
FROM grouped
ORDER BY run, total DESC, name, style;
