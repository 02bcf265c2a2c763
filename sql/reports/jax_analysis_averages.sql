-- GPU time by kind, mean over devices, as XLA's analysis computes it.
-- set: jax-analysis
-- question: time
-- format: xplane profiles of XLA
-- sheet: gpu_events_averages
-- position: 10
-- level: timeline
-- key: type
-- measure: time_ms
-- total: total_time
-- keep-empty: yes
-- empty: no_xla_kernels
CREATE VIEW jax_analysis_averages AS
WITH mean AS MATERIALIZED (
  SELECT run, trace_id, type, time_ms, percent FROM jax_gpu_events_averages
),
wide AS (
  SELECT run, trace_id,
    max(time_ms) FILTER (WHERE type = 'total_comm_time') - max(time_ms) FILTER (WHERE type = 'exposed_comm_time') AS overlapped_ms,
    max(time_ms) FILTER (WHERE type = 'total_time') AS total_ms
  FROM mean
  GROUP BY run, trace_id
),
listed AS (
  SELECT run, trace_id, type, time_ms, percent,
    instr('|computation_time|exposed_comm_time|exposed_memcpy_time|busy_time|idle_time|total_time|overlapped_comm|total_comm_time|total_memcpy_time|', '|' || type || '|') AS position
  FROM (
    SELECT run, trace_id, type, time_ms, percent FROM mean
    UNION ALL
    SELECT run, trace_id, 'overlapped_comm', overlapped_ms, overlapped_ms * 100.0 / nullif(total_ms, 0) FROM wide
  )
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  type AS type, -- [text] kind of time; overlapped_comm is overlapped communication
  time_ms AS time_ms, -- "time ms" [ms ~2] (lower) mean time of the kind per device
  percent AS percent -- [% ~2] share of the mean total time
FROM listed
ORDER BY run, trace_id, position;
