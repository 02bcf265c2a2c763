-- Kernel and op time from run to run, in the order of ingest.
-- set: fleet
-- question: compare
-- position: 70
-- unit: run
-- key: what, name
-- measure: total_us, mean_us
-- empty: no_work, no_launchers
CREATE VIEW fleet_history AS
WITH runs AS (
  SELECT run AS run, min(created_at) AS created_at
  FROM fact_trace
  GROUP BY run
),
grouped AS (
  SELECT run AS run, 'kernel' AS what, name AS name, count(*) AS calls, sum(dur_ns) AS total_ns
  FROM fact_gpu
  WHERE kind = 'kernel'
  GROUP BY run, name
  UNION ALL
  SELECT run AS run, 'op' AS what, name AS name, count(*) AS calls, sum(direct_ns) AS total_ns
  FROM fact_launcher
  GROUP BY run, name
),
placed AS (
  SELECT grouped.run AS run, runs.created_at AS created_at, grouped.what AS what, grouped.name AS name, grouped.calls AS calls,
    CAST(grouped.total_ns AS DOUBLE PRECISION) / 1000 AS total_us,
    lag(CAST(grouped.total_ns AS DOUBLE PRECISION) / 1000) OVER (PARTITION BY grouped.what, grouped.name ORDER BY runs.created_at, grouped.run) AS before_us
  FROM grouped
  JOIN runs ON runs.run = grouped.run
)
SELECT
  run AS run, -- [text] name of the run
  what AS what, -- [text] kernel or op
  name AS name, -- [text] name of the kernel or op
  created_at AS created_at, -- [text] time of the first ingest of the run, UTC
  CAST(calls AS BIGINT) AS calls, -- [integer] number of launches of the kernel or calls of the op
  total_us AS total_us, -- [us] (lower) total duration of the kernel; GPU time that the op launched itself
  total_us / CAST(calls AS DOUBLE PRECISION) AS mean_us, -- [us] (lower) mean duration of the kernel; mean GPU time of a call of the op
  total_us - before_us AS change_us, -- [us] (lower) change of the total since the run before that has the name
  CASE WHEN before_us > 0 THEN 100 * (total_us - before_us) / before_us END AS change_percent -- [%] (lower) change of the total since the run before that has the name, in per cent
FROM placed
ORDER BY what, name, created_at, run;
