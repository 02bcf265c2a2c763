-- Time of kernels, memcpy and memset by name (the layout of nsys stats).
-- set: nsys
-- question: kernels
-- alias: gpusum
-- name-options: base, nvtx-name
-- position: 130
-- unit: run
-- key: category, operation
-- measure: total_time, instances
-- work: GPU time of kernels and copies
-- empty: no_work
CREATE VIEW cuda_gpu_sum AS
SELECT
  run AS run, -- [text] name of the run
  total_ns * 100.0 / nullif(sum(total_ns) OVER (PARTITION BY run), 0) AS time_share, -- "Time (%)" [% ~1] share of the total time of all rows
  total_ns AS total_time, -- "Total Time (ns)" [ns] total duration of all instances
  instances AS instances, -- "Instances" [integer] number of instances
  mean_ns AS avg, -- "Avg (ns)" [real ~1] mean duration of an instance
  median_ns AS med, -- "Med (ns)" [real ~1] median duration of an instance
  min_ns AS min, -- "Min (ns)" [integer] minimum duration of an instance
  max_ns AS max, -- "Max (ns)" [integer] maximum duration of an instance
  stddev_ns AS stddev, -- "StdDev (ns)" [real ~1] standard deviation (n - 1) of the durations; 0 for one instance
  CASE kind WHEN 'call' THEN 'CUDA_API' WHEN 'kernel' THEN 'CUDA_KERNEL' ELSE 'MEMORY_OPER' END AS category, -- "Category" [text] category of the row: CUDA_API, CUDA_KERNEL or MEMORY_OPER
  name AS operation -- "Operation" [text] name of the runtime call, kernel, memcpy or memset
FROM nsys_summary
WHERE kind IN ('kernel', 'memory')
ORDER BY run, total_ns DESC, kind, name;
