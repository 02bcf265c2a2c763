-- Which rank do the others wait for?
-- For each rank of a run: to how many collectives it came last, and how late
-- it was in all.
WITH arrival AS (
  SELECT run, rank, ts,
    min(ts) OVER (PARTITION BY run, collective_id) AS first_ts,
    max(ts) OVER (PARTITION BY run, collective_id) AS last_ts,
    count(*) OVER (PARTITION BY run, collective_id) AS ranks
  FROM ranks_collectives
)
SELECT run, rank, count(*) AS collectives,
  sum(ts = last_ts) AS came_last,
  sum(ts - first_ts) / 1e3 AS late_ms,
  sum(last_ts - ts) / 1e3 AS waited_ms
FROM arrival
WHERE ranks > 1
GROUP BY run, rank
ORDER BY run, late_ms DESC;
