-- Which ops take time, and have no model that tells their FLOPs and bytes?
-- `tpq model` says how to give them one.
SELECT run, name, sum(calls) AS calls, sum(kernel_time_ms) AS kernel_time_ms
FROM ops_without_model
GROUP BY run, name
ORDER BY kernel_time_ms DESC
LIMIT 20;
