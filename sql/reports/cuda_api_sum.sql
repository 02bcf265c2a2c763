-- Runtime and driver call time by name (the layout of nsys stats).
-- set: nsys
-- question: idle first
-- alias: cudaapisum
-- position: 30
-- without-ops: 20, rocprof 20
-- unit: run
-- key: name
-- measure: total_time, num_calls
-- empty: lacks_runtime_calls
CREATE VIEW cuda_api_sum AS
SELECT
  run AS run, -- [text] run
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(total_ns * 100.0 / nullif(sum(total_ns) OVER (PARTITION BY run), 0), 1) ELSE total_ns * 100.0 / nullif(sum(total_ns) OVER (PARTITION BY run), 0) END AS time_share, -- "Time (%)" [%] share of the sum of all rows
  total_ns AS total_time, -- "Total Time (ns)" [ns] sum of their durations
  instances AS num_calls, -- "Num Calls" [integer] how many
  mean_ns AS avg, -- "Avg (ns)" [real] mean duration
  median_ns AS med, -- "Med (ns)" [real] median duration
  min_ns AS min, -- "Min (ns)" [integer] least duration
  max_ns AS max, -- "Max (ns)" [integer] greatest duration
  stddev_ns AS stddev, -- "StdDev (ns)" [real] standard deviation of a sample; 0 for one
  name AS name -- "Name" [text] name of the call
FROM nsys_summary
WHERE kind = 'call'
ORDER BY run, total_ns DESC, name;
