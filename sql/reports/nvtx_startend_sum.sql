-- NVTX start/end range time by text (the layout of nsys stats).
-- set: nsys
-- question: steps
-- alias: nvtxsesum nvtxsssum
-- position: 150
-- unit: run
-- key: range
-- measure: total_time, instances
-- when: never
-- columns-of: nvtx_pushpop_sum
-- empty: no_ranges, no_free_ranges
CREATE VIEW nvtx_startend_sum AS
SELECT
  run,
  total_ns * 100.0 / nullif(style_ns, 0) AS time_share,
  total_ns AS total_time, instances, mean_ns AS avg, median_ns AS med, min_ns AS min, max_ns AS max, stddev_ns AS stddev, name AS range
FROM nsys_range_summary
WHERE style = 'StartEnd'
ORDER BY run, total_ns DESC, name;
