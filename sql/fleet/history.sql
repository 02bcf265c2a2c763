-- Kernel and op time from run to run, in the order of ingest.
-- set: fleet
-- question: compare
-- position: 70
-- unit: run
-- across-runs: yes
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
  run AS run, -- [text] run
  what AS what, -- [text] kernel or op
  name AS name, -- [text] its name
  created_at AS created_at, -- [text] when the first trace of the run came in, UTC
  CAST(calls AS BIGINT) AS calls, -- [integer] how often it ran
  total_us AS total_us, -- [us] (lower) sum of its durations; of ops, of their own work
  total_us / CAST(calls AS DOUBLE PRECISION) AS mean_us, -- [us] (lower) their mean
  total_us - before_us AS change_us, -- [us] (lower) change of the sum from the run before that has it
  CASE WHEN before_us > 0 THEN 100 * (total_us - before_us) / before_us END AS change_percent -- [%] (lower) the same in per cent
FROM placed
ORDER BY what, name, created_at, run;
