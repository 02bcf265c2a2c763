-- How often and how long did each op, runtime call and kernel run in two runs?
-- :before and :after are runs (a name, @last, @pin:NAME). Rows of
-- only one run are included.
WITH counted AS (
  SELECT run, name, count(*) AS calls, sum(dur_ns) / 1e3 AS us
  FROM slice
  WHERE run IN (:before, :after)
  GROUP BY run, name
),
both AS (
  SELECT name,
    coalesce(sum(calls) FILTER (WHERE run = :before), 0) AS before_calls,
    coalesce(sum(us) FILTER (WHERE run = :before), 0) AS before_us,
    coalesce(sum(calls) FILTER (WHERE run = :after), 0) AS after_calls,
    coalesce(sum(us) FILTER (WHERE run = :after), 0) AS after_us
  FROM counted
  GROUP BY name
)
SELECT name, before_calls, before_us, after_calls, after_us,
  after_calls - before_calls AS more_calls,
  after_us - before_us AS more_us,
  CASE
    WHEN before_calls = 0 THEN 'added'
    WHEN after_calls = 0 THEN 'deleted'
    WHEN after_calls > before_calls THEN 'increased'
    WHEN after_calls < before_calls THEN 'decreased'
    ELSE 'unchanged'
  END AS change
FROM both
ORDER BY abs(after_us - before_us) DESC, name;
