-- Kernel time of runs by name, with its share of all GPU time of the run.
-- set: fleet
-- question: kernels
-- position: 10
-- unit: run
-- key: kind, name
-- measure: total_us, launches
-- empty: no_work
CREATE VIEW fleet_kernel AS
WITH grouped AS (
  SELECT run AS run, kind AS kind, name AS name, count(*) AS launches, sum(dur_ns) AS total_ns, min(dur_ns) AS min_ns, max(dur_ns) AS max_ns
  FROM fact_gpu
  GROUP BY run, kind, name
),
whole AS (
  SELECT run AS run, sum(total_ns) AS total_ns
  FROM grouped
  GROUP BY run
)
SELECT
  grouped.run AS run, -- [text] name of the run
  grouped.kind AS kind, -- [text] kernel, gpu_memcpy, gpu_memset, ...
  grouped.name AS name, -- [kernel] name of the kernel or copy
  CAST(grouped.launches AS BIGINT) AS launches, -- [integer] number of launches
  CAST(grouped.total_ns AS DOUBLE PRECISION) / 1000 AS total_us, -- [us] (lower) total duration of all launches
  CAST(grouped.total_ns AS DOUBLE PRECISION) / 1000 / CAST(grouped.launches AS DOUBLE PRECISION) AS mean_us, -- [us] mean duration
  CAST(grouped.min_ns AS DOUBLE PRECISION) / 1000 AS min_us, -- [us] minimum duration
  CAST(grouped.max_ns AS DOUBLE PRECISION) / 1000 AS max_us, -- [us] maximum duration
  CASE WHEN whole.total_ns > 0 THEN 100 * CAST(grouped.total_ns AS DOUBLE PRECISION) / CAST(whole.total_ns AS DOUBLE PRECISION) END AS percent -- [%] share of the summed duration of all GPU activities of the run
FROM grouped
JOIN whole ON whole.run = grouped.run
ORDER BY grouped.run, grouped.total_ns DESC, grouped.kind, grouped.name;
