-- OpenACC event time by name (the layout of nsys stats).
-- set: nsys
-- question: raw
-- alias: openaccsum
-- position: 68
-- unit: run
-- key: name
-- measure: total_time, num_calls
-- empty: no_openacc_events
CREATE VIEW openacc_sum AS
WITH grouped AS (
  SELECT run, name, sum(dur_ns) AS total, count(*) AS instances, avg(dur_ns) AS mean, median(dur_ns) AS middle, min(dur_ns) AS least,
    max(dur_ns) AS most, coalesce(stddev_samp(dur_ns), 0.0) AS deviation
  FROM nsys_directive
  WHERE kind = 'openacc'
  GROUP BY run, name
)
SELECT
  run AS run, -- [text] name of the run
  total * 100.0 / nullif(sum(total) OVER (PARTITION BY run), 0) AS time_share, -- "Time (%)" [% ~1] share of the sum of all durations
  total AS total_time, -- "Total Time (ns)" [ns] sum of durations
  instances AS num_calls, -- "Num Calls" [integer] number of events
  mean AS avg, -- "Avg (ns)" [real ~1] mean duration
  middle AS med, -- "Med (ns)" [real ~1] median duration
  least AS min, -- "Min (ns)" [integer] minimum duration
  most AS max, -- "Max (ns)" [integer] maximum duration
  deviation AS stddev, -- "StdDev (ns)" [real ~1] standard deviation of the duration (n - 1); 0 for a single event
  name AS name -- "Name" [text] kind of event, with the position in the source
FROM grouped
ORDER BY run, total DESC, name;
