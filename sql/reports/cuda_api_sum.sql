-- Runtime and driver call time by name (the layout of nsys stats).
-- set: nsys
-- question: idle first
-- alias: cudaapisum
-- position: 30
-- first: 5
-- without-ops: 20, rocprof 20
-- unit: run
-- key: name
-- measure: total_time, num_calls
-- empty: no_runtime_calls
CREATE VIEW cuda_api_sum AS
SELECT
  run AS run, -- [text] name of the run
  total_ns * 100.0 / nullif(sum(total_ns) OVER (PARTITION BY run), 0) AS time_share, -- "Time (%)" [% ~1] share of the total time of all rows
  total_ns AS total_time, -- "Total Time (ns)" [ns] total duration of the calls
  instances AS num_calls, -- "Num Calls" [integer] number of calls
  mean_ns AS avg, -- "Avg (ns)" [real ~1] mean duration of a call
  median_ns AS med, -- "Med (ns)" [real ~1] median duration of a call
  min_ns AS min, -- "Min (ns)" [integer] minimum duration of a call
  max_ns AS max, -- "Max (ns)" [integer] maximum duration of a call
  stddev_ns AS stddev, -- "StdDev (ns)" [real ~1] standard deviation (n - 1) of the call durations; 0 for one call
  name AS name -- "Name" [text] name of the call
FROM nsys_summary
WHERE kind = 'call'
ORDER BY run, total_ns DESC, name;
