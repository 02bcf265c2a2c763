-- Which ops with GPU time have no performance model?
-- `tpq help model` says how to add one.
SELECT run, name, sum(calls) AS calls, sum(kernel_time_ms) AS kernel_time_ms
FROM ops_without_model
GROUP BY run, name
ORDER BY kernel_time_ms DESC
LIMIT 20;
