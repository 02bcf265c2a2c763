-- Which kernels take longer in the runs of the last days than before?
-- Runs in any SQLite.
-- :days is the number of days: 7 for a week.
WITH kernel_time AS (
  SELECT kernel.name, run.created_at >= datetime('now', '-' || :days || ' days') AS is_new, kernel.dur_ns
  FROM kernel
  JOIN run ON run.name = kernel.run
)
SELECT name,
  avg(dur_ns) FILTER (WHERE NOT is_new) / 1e3 AS before_mean_us,
  avg(dur_ns) FILTER (WHERE is_new) / 1e3 AS since_mean_us,
  avg(dur_ns) FILTER (WHERE is_new) / avg(dur_ns) FILTER (WHERE NOT is_new) AS ratio,
  count(*) FILTER (WHERE is_new) AS since_calls
FROM kernel_time
GROUP BY name
HAVING count(*) FILTER (WHERE is_new) > 0 AND count(*) FILTER (WHERE NOT is_new) > 0
ORDER BY sum(dur_ns) FILTER (WHERE is_new) * (1 - 1 / ratio) DESC
LIMIT 20;
