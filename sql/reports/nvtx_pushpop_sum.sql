-- NVTX push/pop range time by text (the layout of nsys stats).
-- set: nsys
-- question: steps
-- alias: nvtxppsum
-- position: 140
-- unit: run
-- key: range
-- measure: total_time, instances
-- when: never
-- empty: no_ranges, no_nested_ranges
CREATE VIEW nvtx_pushpop_sum AS
SELECT
  run AS run, -- [text] name of the run
  total_ns * 100.0 / nullif(style_ns, 0) AS time_share, -- "Time (%)" [% ~1] share of the sum of all durations
  total_ns AS total_time, -- "Total Time (ns)" [ns] sum of range durations
  instances AS instances, -- "Instances" [integer] number of ranges
  mean_ns AS avg, -- "Avg (ns)" [real ~1] mean range duration
  median_ns AS med, -- "Med (ns)" [real ~1] median range duration
  min_ns AS min, -- "Min (ns)" [integer] minimum range duration
  max_ns AS max, -- "Max (ns)" [integer] maximum range duration
  stddev_ns AS stddev, -- "StdDev (ns)" [real ~1] standard deviation of the range duration (n - 1); 0 for a single range
  name AS range -- "Range" [text] text of the range, with the domain in front
FROM nsys_range_summary
WHERE style = 'PushPop'
ORDER BY run, total_ns DESC, name;
