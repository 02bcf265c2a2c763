-- How long does each profiler step take, and how much do ranks differ?
-- Runs in any SQLite.
SELECT run, step, count(*) AS ranks, min(dur_ns) / 1e6 AS min_ms, avg(dur_ns) / 1e6 AS mean_ms, max(dur_ns) / 1e6 AS max_ms
FROM profiler_step
GROUP BY run, step
ORDER BY run, step;
