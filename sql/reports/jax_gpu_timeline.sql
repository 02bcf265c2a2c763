-- GPU time by kind for each device: compute, communication, memcpy, idle. Communication is exposed
-- while no computation runs, memcpy while no kernel runs.
-- set: jax
-- question: time
-- format: xplane profiles of XLA
-- sheet: gpu_timeline
-- position: 10
-- first: 10
-- first-spread: time_ms, percent over gpu_pid
-- wide: type
-- key: type, gpu_pid
-- measure: time_ms
-- total: total_time
-- keep-empty: yes
-- empty: no_xla_kernels
CREATE VIEW jax_gpu_timeline AS
WITH sums AS MATERIALIZED (
  SELECT run, trace_id, pid, computation_ps, exposed_comm_ps, exposed_memcpy_ps, busy_ps, total_ps, comm_ps, memcpy_ps
  FROM xla_timeline_sum
),
kinds (position, type) AS (
  VALUES (1, 'computation_time'), (2, 'exposed_comm_time'), (3, 'exposed_memcpy_time'), (4, 'busy_time'),
  (5, 'idle_time'), (6, 'total_time'), (7, 'total_comm_time'), (8, 'total_memcpy_time')
),
parts AS (
  SELECT run, trace_id, pid, total_ps, position, type,
    CASE position
      WHEN 1 THEN computation_ps WHEN 2 THEN exposed_comm_ps WHEN 3 THEN exposed_memcpy_ps WHEN 4 THEN busy_ps
      WHEN 5 THEN total_ps - busy_ps WHEN 6 THEN total_ps WHEN 7 THEN comm_ps ELSE memcpy_ps
    END AS ps
  FROM sums CROSS JOIN kinds
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  type AS type, -- [text] kind of time; computation, exposed_comm, exposed_memcpy and idle add up to the total
  ps / 1000000000.0 AS time_ms, -- "time ms" [ms] (lower) time of the kind on the device
  ps * 100.0 / nullif(total_ps, 0) AS percent, -- [%] share of the device's total time
  pid AS gpu_pid -- [integer] process id of the device
FROM parts
ORDER BY run, trace_id, pid, position;
