-- How long do collectives of each size take on each rank?
-- Runs in any SQLite.
-- The kernel of an early rank includes waiting: the minimum is closest to the transfer.
SELECT run, collective, process_group, bytes / 1e6 AS mb, rank, count(*) AS calls, min(dur_ns) / 1e3 AS min_us, avg(dur_ns) / 1e3 AS mean_us
FROM collective_kernel
GROUP BY run, collective, process_group, bytes, rank
ORDER BY run, collective, process_group, bytes DESC, rank;
