-- System call time by name (the layout of nsys stats).
-- set: nsys
-- question: raw
-- alias: syscallsum
-- position: 25
-- unit: run
-- key: name
-- measure: total_time, num_calls
-- columns-of: cuda_api_sum
-- empty: no_system_calls
CREATE VIEW syscall_sum AS
SELECT
  run,
  total_ns * 100.0 / nullif(sum(total_ns) OVER (PARTITION BY run), 0) AS time_share,
  total_ns AS total_time, instances AS num_calls, mean_ns AS avg, median_ns AS med, min_ns AS min, max_ns AS max, stddev_ns AS stddev, name
FROM nsys_summary
WHERE kind = 'kernel call'
ORDER BY run, total_ns DESC, name;
