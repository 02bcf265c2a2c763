-- What got slower from one run to another, by op?
-- :before and :after are runs (a name, @last, @pin:NAME).
WITH op_time AS (
  SELECT run, name, sum(count) AS calls, sum(total_direct_kernel_time_ms) / (SELECT count(*) FROM trace JOIN run AS r ON r.id = run_id WHERE r.name = ops_summary.run) AS ms
  FROM ops_summary
  WHERE run IN (:before, :after)
  GROUP BY run, name
)
SELECT name,
  coalesce(sum(ms) FILTER (WHERE run = :before), 0) AS before_ms,
  coalesce(sum(ms) FILTER (WHERE run = :after), 0) AS after_ms,
  coalesce(sum(ms) FILTER (WHERE run = :after), 0) - coalesce(sum(ms) FILTER (WHERE run = :before), 0) AS slower_ms
FROM op_time
GROUP BY name
ORDER BY slower_ms DESC
LIMIT 20;
