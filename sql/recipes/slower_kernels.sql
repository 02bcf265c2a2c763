-- Which kernels got slower from one run to another: longer, or more often?
-- Runs in any SQLite.
-- :before and :after are runs (a name, @last, @pin:NAME).
WITH kernel_time AS (
  SELECT run, name, count(*) AS calls, avg(dur_ns) / 1e3 AS mean_us, sum(dur_ns) / 1e6 AS ms
  FROM kernel
  WHERE run IN (:before, :after)
  GROUP BY run, name
)
SELECT name,
  max(calls) FILTER (WHERE run = :before) AS before_calls,
  max(calls) FILTER (WHERE run = :after) AS after_calls,
  max(mean_us) FILTER (WHERE run = :before) AS before_mean_us,
  max(mean_us) FILTER (WHERE run = :after) AS after_mean_us,
  coalesce(max(ms) FILTER (WHERE run = :after), 0) - coalesce(max(ms) FILTER (WHERE run = :before), 0) AS slower_ms
FROM kernel_time
GROUP BY name
ORDER BY slower_ms DESC
LIMIT 20;
