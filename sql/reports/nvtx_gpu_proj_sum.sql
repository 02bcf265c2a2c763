-- NVTX ranges projected onto the GPU, by text and style (the layout of nsys stats).
-- set: nsys
-- question: steps
-- alias: nvtxgpuproj
-- position: 240
-- unit: run
-- key: range, style
-- measure: total_proj_time, range_instances
-- when: never
-- empty: lacks_ranges, lacks_projections
CREATE VIEW nvtx_gpu_proj_sum AS
SELECT
  run AS run, -- [text] run
  name AS range, -- "Range" [text] text of the range, with its domain in front
  style AS style, -- "Style" [text] PushPop or StartEnd
  total_ns AS total_proj_time, -- "Total Proj Time (ns)" [ns] sum of the times on the accelerator
  range_ns AS total_range_time, -- "Total Range Time (ns)" [ns] sum of the durations on the host
  instances AS range_instances, -- "Range Instances" [integer] ranges
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(mean_ns, 1) ELSE mean_ns END AS proj_avg, -- "Proj Avg (ns)" [real] mean time on the accelerator
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(median_ns, 1) ELSE median_ns END AS proj_med, -- "Proj Med (ns)" [real] median of it
  min_ns AS proj_min, -- "Proj Min (ns)" [integer] least of it
  max_ns AS proj_max, -- "Proj Max (ns)" [integer] greatest of it
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(coalesce(stddev_ns, 0.0), 1) ELSE coalesce(stddev_ns, 0.0) END AS proj_stddev, -- "Proj StdDev (ns)" [real] standard deviation of a sample; 0 for one
  pieces AS total_gpu_ops, -- "Total GPU Ops" [integer] pieces of work
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(mean_pieces, 1) ELSE mean_pieces END AS avg_gpu_ops, -- "Avg GPU Ops" [real] pieces of work in one of them
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(mean_level, 1) ELSE mean_level END AS avg_range_lvl, -- "Avg Range Lvl" [real] how many ranges one of them is in
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(mean_children, 1) ELSE mean_children END AS avg_num_child -- "Avg Num Child" [real] ranges with work right inside one of them
FROM range_projection_sum
ORDER BY run, place;
