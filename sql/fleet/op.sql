-- Op time of runs by name: calls, kernels and GPU time that ops launched themselves.
-- set: fleet
-- question: ops
-- position: 20
-- unit: run
-- key: name, category
-- measure: direct_ms, calls
-- not-included: not_included_in_ops
-- empty: no_work, no_launchers
CREATE VIEW fleet_op AS
WITH grouped AS (
  SELECT run AS run, name AS name, category AS category, count(*) AS calls, count(DISTINCT trace) AS traces, sum(kernel_count) AS kernels, sum(direct_ns) AS direct_ns
  FROM fact_launcher
  GROUP BY run, name, category
),
whole AS (
  SELECT run AS run, sum(direct_ns) AS direct_ns
  FROM grouped
  GROUP BY run
)
SELECT
  grouped.run AS run, -- [text] name of the run
  grouped.name AS name, -- [text] name of the op
  grouped.category AS category, -- [text] category of the op
  CAST(grouped.calls AS BIGINT) AS calls, -- [integer] number of calls
  CAST(grouped.traces AS BIGINT) AS traces, -- [integer] traces with the op
  CAST(grouped.kernels AS BIGINT) AS kernels, -- [integer] GPU activities that the op launched itself
  CAST(grouped.direct_ns AS DOUBLE PRECISION) / 1000000 AS direct_ms, -- [ms] (lower) GPU time that the op launched itself
  CASE WHEN whole.direct_ns > 0 THEN 100 * CAST(grouped.direct_ns AS DOUBLE PRECISION) / CAST(whole.direct_ns AS DOUBLE PRECISION) END AS percent -- [%] share of the sum over all ops of the run
FROM grouped
JOIN whole ON whole.run = grouped.run
ORDER BY grouped.run, grouped.direct_ns DESC, grouped.name, grouped.category NULLS LAST;
