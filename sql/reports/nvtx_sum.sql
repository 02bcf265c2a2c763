-- NVTX range time by text (the layout of nsys stats).
-- set: nsys
-- question: steps first
-- alias: nvtxsum
-- position: 10
-- without-ops: 60
-- unit: run
-- key: style, range
-- measure: total_time, instances
-- columns-of: nvtx_pushpop_sum
-- empty: no_ranges
CREATE VIEW nvtx_sum AS
SELECT
  run,
  total_ns * 100.0 / nullif(run_ns, 0) AS time_share,
  total_ns AS total_time, instances, mean_ns AS avg, median_ns AS med, min_ns AS min, max_ns AS max, stddev_ns AS stddev,
  style AS style, -- "Style" [text] range style: PushPop or StartEnd
  name AS range
FROM nsys_range_summary
ORDER BY run, total_ns DESC, style, name;
