-- Which kernels start long after their launch?
-- Runs in any SQLite.
-- :run is a run (a name, @last, @pin:NAME).
SELECT rank, name, launch, count(*) AS launches, avg(launch_dur_ns) / 1e3 AS latency_us, avg(launch_delay_ns) / 1e3 AS mean_delay_us, max(launch_delay_ns) / 1e3 AS max_delay_us
FROM kernel
WHERE run = :run AND launch IS NOT NULL
GROUP BY rank, name, launch
ORDER BY mean_delay_us DESC, rank, name
LIMIT 20;
