-- GPU time by kind, mean over devices.
-- set: jax
-- question: time
-- format: xplane profiles of XLA
-- sheet: gpu_events_averages
-- position: 20
-- level: timeline
-- key: type
-- measure: time_ms
-- total: total_time
-- chart: bar type time_ms
-- keep-empty: yes
-- empty: no_xla_kernels
CREATE VIEW jax_gpu_events_averages AS
WITH mean AS MATERIALIZED (
  SELECT run, trace_id, type, avg(time_ms) AS time_ms, min(place) AS position
  FROM (
    SELECT run, trace_id, type, time_ms,
      CASE type WHEN 'computation_time' THEN 1 WHEN 'exposed_comm_time' THEN 2 WHEN 'exposed_memcpy_time' THEN 3
        WHEN 'busy_time' THEN 4 WHEN 'idle_time' THEN 5 WHEN 'total_time' THEN 6 WHEN 'total_comm_time' THEN 7 ELSE 8 END AS place
    FROM jax_gpu_timeline
  )
  GROUP BY run, trace_id, type
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  type AS type, -- [text] kind of time
  time_ms AS time_ms, -- "time ms" [ms] (lower) mean time of the kind per device
  time_ms * 100.0 / nullif(max(time_ms) FILTER (WHERE type = 'total_time') OVER (PARTITION BY run, trace_id), 0) AS percent -- [%] share of the mean total time
FROM mean
ORDER BY run, trace_id, position;
