-- Kernel time by name (the layout of nsys stats).
-- set: nsys
-- question: kernels first
-- words: top, hottest, slowest, longest
-- alias: gpukernsum
-- name-options: base, nvtx-name
-- position: 40
-- first: 5
-- unit: run
-- key: name
-- measure: total_time, instances
-- work: GPU time of kernels
-- columns-of: cuda_gpu_kern_gb_sum
-- empty: no_work, no_kernels
CREATE VIEW cuda_gpu_kern_sum AS
SELECT
  run,
  total_ns * 100.0 / nullif(sum(total_ns) OVER (PARTITION BY run), 0) AS time_share,
  total_ns AS total_time, instances, mean_ns AS avg, median_ns AS med, min_ns AS min, max_ns AS max, stddev_ns AS stddev, name
FROM nsys_summary
WHERE kind = 'kernel'
ORDER BY run, total_ns DESC, instances DESC, name;
