-- Time of memcpy and memset by kind (the layout of nsys stats).
-- set: nsys
-- question: memory
-- alias: gpumemtimesum
-- position: 50
-- unit: run
-- key: operation
-- measure: total_time, count
-- empty: no_work, no_copies
CREATE VIEW cuda_gpu_mem_time_sum AS
SELECT
  run AS run, -- [text] name of the run
  total_ns * 100.0 / nullif(sum(total_ns) OVER (PARTITION BY run), 0) AS time_share, -- "Time (%)" [% ~1] share of the total time of all rows
  total_ns AS total_time, -- "Total Time (ns)" [ns] total duration of the memcpy or memset operations
  instances AS count, -- "Count" [integer] number of memcpy or memset operations
  mean_ns AS avg, -- "Avg (ns)" [real ~1] mean duration of an operation
  median_ns AS med, -- "Med (ns)" [real ~1] median duration of an operation
  min_ns AS min, -- "Min (ns)" [integer] minimum duration of an operation
  max_ns AS max, -- "Max (ns)" [integer] maximum duration of an operation
  stddev_ns AS stddev, -- "StdDev (ns)" [real ~1] standard deviation (n - 1) of the durations; 0 for one operation
  name AS operation -- "Operation" [text] kind of memcpy, or memset
FROM nsys_summary
WHERE kind = 'memory'
ORDER BY run, total_ns DESC, name;
