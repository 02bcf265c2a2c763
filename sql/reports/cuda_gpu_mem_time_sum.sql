-- Time of memcpy and memset by kind (the layout of nsys stats).
-- set: nsys
-- question: memory
-- alias: gpumemtimesum
-- position: 50
-- unit: run
-- key: operation
-- measure: total_time, count
-- empty: lacks_work, lacks_copies
CREATE VIEW cuda_gpu_mem_time_sum AS
SELECT
  run AS run, -- [text] run
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(total_ns * 100.0 / nullif(sum(total_ns) OVER (PARTITION BY run), 0), 1) ELSE total_ns * 100.0 / nullif(sum(total_ns) OVER (PARTITION BY run), 0) END AS time_share, -- "Time (%)" [%] share of the sum of all rows
  total_ns AS total_time, -- "Total Time (ns)" [ns] sum of their durations
  instances AS count, -- "Count" [integer] how many
  mean_ns AS avg, -- "Avg (ns)" [real] mean duration
  median_ns AS med, -- "Med (ns)" [real] median duration
  min_ns AS min, -- "Min (ns)" [integer] least duration
  max_ns AS max, -- "Max (ns)" [integer] greatest duration
  stddev_ns AS stddev, -- "StdDev (ns)" [real] standard deviation of a sample; 0 for one
  name AS operation -- "Operation" [text] kind of copy, or set
FROM nsys_summary
WHERE kind = 'memory'
ORDER BY run, total_ns DESC, name;
