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
WITH grouped AS (
  SELECT run, name, CASE WHEN is_pushed THEN 'PushPop' ELSE 'StartEnd' END AS style, sum(dur_ns) AS total, sum(range_ns) AS original, count(*) AS instances,
    avg(dur_ns) AS mean, median(dur_ns) AS middle, min(dur_ns) AS least, max(dur_ns) AS most,
    coalesce(stddev_samp(dur_ns), 0.0) AS deviation, sum(pieces) AS pieces, avg(pieces) AS mean_pieces, avg(level) AS mean_level, avg(children) AS mean_children
  FROM nsys_projection
  GROUP BY run, name, is_pushed
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
