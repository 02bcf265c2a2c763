-- NVTX ranges projected onto the GPU, by text and style (the layout of nsys stats).
-- set: nsys
-- question: steps
-- alias: nvtxgpuproj
-- position: 240
-- unit: run
-- key: range, style
-- measure: total_proj_time, range_instances
-- when: never
-- empty: no_ranges, no_projections
CREATE VIEW nvtx_gpu_proj_sum AS
WITH projected AS (
  SELECT run, style, name, work_ns, dur_ns, level, work_children, CASE WHEN (SELECT tpq_like_reference('nsys: GPU activities')) THEN work_calls ELSE pieces END AS pieces
  FROM range_projection
),
grouped AS (
  SELECT run, style, name, count(*) AS instances, sum(work_ns) AS total_ns, avg(work_ns) AS mean_ns, median(work_ns) AS median_ns, min(work_ns) AS min_ns,
    max(work_ns) AS max_ns, stddev_samp(work_ns) AS stddev_ns, sum(dur_ns) AS range_ns, sum(pieces) AS pieces, avg(pieces) AS mean_pieces,
    avg(level) AS mean_level, avg(work_children) AS mean_children
  FROM projected
  GROUP BY run, style, name
)
SELECT
  run AS run, -- [text] name of the run
  name AS range, -- "Range" [text] text of the range, with the domain in front
  style AS style, -- "Style" [text] range style: PushPop or StartEnd
  total_ns AS total_proj_time, -- "Total Proj Time (ns)" [ns] sum of the projected GPU times
  range_ns AS total_range_time, -- "Total Range Time (ns)" [ns] sum of the range durations on the host
  instances AS range_instances, -- "Range Instances" [integer] number of ranges
  mean_ns AS proj_avg, -- "Proj Avg (ns)" [real ~1] mean projected GPU time
  median_ns AS proj_med, -- "Proj Med (ns)" [real ~1] median projected GPU time
  min_ns AS proj_min, -- "Proj Min (ns)" [integer] minimum projected GPU time
  max_ns AS proj_max, -- "Proj Max (ns)" [integer] maximum projected GPU time
  coalesce(stddev_ns, 0.0) AS proj_stddev, -- "Proj StdDev (ns)" [real ~1] standard deviation of the projected GPU time (n - 1); 0 for a single range
  pieces AS total_gpu_ops, -- "Total GPU Ops" [integer] number of GPU activities in the ranges
  mean_pieces AS avg_gpu_ops, -- "Avg GPU Ops" [real ~1] mean number of GPU activities per range
  mean_level AS avg_range_lvl, -- "Avg Range Lvl" [real ~1] mean nesting level of the ranges
  mean_children AS avg_num_child -- "Avg Num Child" [real ~1] mean number of direct child ranges with GPU activities
FROM grouped
ORDER BY run, total_ns DESC, name, style;
