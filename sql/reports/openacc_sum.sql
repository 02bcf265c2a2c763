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
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(total * 100.0 / nullif(sum(total) OVER (PARTITION BY run), 0), 1) ELSE total * 100.0 / nullif(sum(total) OVER (PARTITION BY run), 0) END AS time_share, -- "Time (%)" [%] share of the sum of all durations
  total AS total_time, -- "Total Time (ns)" [ns] sum of durations
  instances AS num_calls, -- "Num Calls" [integer] number of events
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(mean, 1) ELSE mean END AS avg, -- "Avg (ns)" [real] mean duration
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(middle, 1) ELSE middle END AS med, -- "Med (ns)" [real] median duration
  least AS min, -- "Min (ns)" [integer] minimum duration
  most AS max, -- "Max (ns)" [integer] maximum duration
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(deviation, 1) ELSE deviation END AS stddev, -- "StdDev (ns)" [real] standard deviation of the duration (n - 1); 0 for a single event
  name AS name -- "Name" [text] kind of event, with the position in the source
FROM grouped
ORDER BY run, total DESC, name;
