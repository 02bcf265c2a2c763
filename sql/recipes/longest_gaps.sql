-- Which GPU idle gaps are longest, and what ended them?
WITH work AS (
  SELECT run, trace_id, device, name, launcher, ts_ns,
    max(ts_ns + dur_ns) OVER (PARTITION BY run, trace_id, device ORDER BY ts_ns, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS idle_from_ns
  FROM gpu_slice
)
SELECT run, trace_id, device, idle_from_ns / 1e6 AS from_ms, (ts_ns - idle_from_ns) / 1e3 AS idle_us, launcher AS then_op, name AS then_kernel
FROM work
WHERE ts_ns > idle_from_ns
ORDER BY idle_us DESC
LIMIT 20;
