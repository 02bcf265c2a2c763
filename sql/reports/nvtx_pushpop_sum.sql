-- NVTX push/pop range time by text (the layout of nsys stats).
-- set: nsys
-- question: steps
-- alias: nvtxppsum
-- position: 140
-- unit: run
-- key: range
-- measure: total_time, instances
-- when: never
-- empty: lacks_ranges, lacks_nested_ranges
CREATE VIEW nvtx_pushpop_sum AS
SELECT
  run AS run, -- [text] run
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(total_ns * 100.0 / nullif(style_ns, 0), 1) ELSE total_ns * 100.0 / nullif(style_ns, 0) END AS time_share, -- "Time (%)" [%] share of the sum of all rows
  total_ns AS total_time, -- "Total Time (ns)" [ns] sum of their durations
  instances AS instances, -- "Instances" [integer] how many
  mean_ns AS avg, -- "Avg (ns)" [real] mean duration
  median_ns AS med, -- "Med (ns)" [real] median duration
  min_ns AS min, -- "Min (ns)" [integer] least duration
  max_ns AS max, -- "Max (ns)" [integer] greatest duration
  stddev_ns AS stddev, -- "StdDev (ns)" [real] standard deviation of a sample; 0 for one
  name AS range -- "Range" [text] text of the range, with its domain in front
FROM nsys_range_summary
WHERE style = 'PushPop'
ORDER BY run, place;
