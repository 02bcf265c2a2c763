-- Which kernels does each op launch, with which input shapes?
-- Runs in any SQLite.
-- :run is a run (a name, @last, @pin:NAME).
SELECT op, input_shapes, name AS kernel, count(*) AS calls, sum(dur_ns) / 1e6 AS ms
FROM kernel
WHERE run = :run
GROUP BY op, input_shapes, name
ORDER BY ms DESC, op, input_shapes, name
LIMIT 30;
