-- Time of runtime calls, kernels, memcpy and memset by name (the layout of nsys stats).
-- set: nsys
-- question: raw
-- alias: apigpusum
-- name-options: base, nvtx-name
-- position: 120
-- unit: run
-- key: category, operation
-- measure: total_time, instances
-- columns-of: cuda_gpu_sum
-- empty: no_runtime_calls
CREATE VIEW cuda_api_gpu_sum AS
SELECT
  run,
  total_ns * 100.0 / nullif(sum(total_ns) OVER (PARTITION BY run), 0) AS time_share,
  total_ns AS total_time, instances, mean_ns AS avg, median_ns AS med, min_ns AS min, max_ns AS max, stddev_ns AS stddev,
  CASE kind WHEN 'call' THEN 'CUDA_API' WHEN 'kernel' THEN 'CUDA_KERNEL' ELSE 'MEMORY_OPER' END AS category,
  name AS operation
FROM nsys_summary
WHERE kind IN ('call', 'kernel', 'memory')
ORDER BY run, total_ns DESC, kind, name;
