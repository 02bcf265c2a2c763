-- Memcpy: how much, how often, how fast?
SELECT run, name, count(*) AS copies, sum(bytes) / 1e6 AS mb, sum(dur_ns) / 1e6 AS ms, sum(bytes) * 1.0 / nullif(sum(dur_ns), 0) AS gb_per_s
FROM gpu_slice
WHERE category LIKE '%memcpy%'
GROUP BY run, name
ORDER BY ms DESC;
