-- Where the time of a rank goes, the mean over all; what overlaps, and copies, count twice in the total.
-- set: multirank
-- sheet: grouped_breakdown
-- position: 110
-- unit: run
CREATE VIEW ranks_breakdown AS
WITH timeline AS (
  SELECT run, avg(comm_ns) AS comm_ns, avg(memcpy_ns) AS memcpy_ns
  FROM timeline_sum
  WHERE is_recompute IS NOT 1
  GROUP BY run
),
named (place, op_group) AS (
  SELECT DISTINCT place, op_group FROM op_group WHERE purpose = 'breakdown'
  UNION ALL
  SELECT 1000, 'Other'
),
launched AS MATERIALIZED (
  SELECT run, op_group, sum(mean_ns) AS mean_ns FROM breakdown_launcher GROUP BY run, op_group
),
parts AS (
  SELECT runs.run AS run, CASE named.op_group WHEN 'Other' THEN 1000 ELSE named.place END AS place, named.op_group AS op_group,
    coalesce(launched.mean_ns, 0) AS mean_ns
  FROM (SELECT DISTINCT run FROM scope) AS runs
  CROSS JOIN named
  LEFT JOIN launched ON launched.run = runs.run AND launched.op_group = named.op_group
  UNION ALL
  SELECT run, 900, 'Comms', comm_ns FROM timeline
  UNION ALL
  SELECT run, 910, 'Memcpy', memcpy_ns FROM timeline
),
listed AS (
  SELECT run, place, op_group, mean_ns FROM parts
  UNION ALL
  SELECT run, 2000, 'Total', sum(mean_ns) FROM parts GROUP BY run
)
SELECT
  run AS run, -- run
  op_group AS op_group, -- "Group" group of ops, or kind of work; Other is in no group
  mean_ns / 1e9 AS time_s -- "Time (s)" time on a rank
FROM listed
ORDER BY run, place, op_group;
