-- Which ops got slower from one run to another, by op and shapes?
-- :before and :after are runs (a name, @last, @pin:NAME).
WITH call_time AS (
  SELECT run, name, input_dims, sum(operation_count) AS calls, sum(total_direct_kernel_time_sum) / sum(operation_count) AS mean_us
  FROM ops_unique_args
  WHERE run IN (:before, :after)
  GROUP BY run, name, input_dims
)
SELECT name, input_dims,
  max(mean_us) FILTER (WHERE run = :before) AS before_us,
  max(mean_us) FILTER (WHERE run = :after) AS after_us,
  max(mean_us) FILTER (WHERE run = :after) / nullif(max(mean_us) FILTER (WHERE run = :before), 0) AS ratio,
  max(calls) FILTER (WHERE run = :after) AS after_calls
FROM call_time
GROUP BY name, input_dims
HAVING count(*) = 2
ORDER BY (after_us - before_us) * after_calls DESC
LIMIT 20;
