-- Which kernels take most GPU time in a run?
-- Runs in any SQLite.
-- :run is a run (a name, @last, @pin:NAME).
SELECT name, count(*) AS calls, sum(dur_ns) / 1e6 AS ms, avg(dur_ns) / 1e3 AS mean_us, sum(dur_ns) * 100.0 / sum(sum(dur_ns)) OVER () AS percent
FROM kernel
WHERE run = :run
GROUP BY name
ORDER BY ms DESC, name
LIMIT 20;
