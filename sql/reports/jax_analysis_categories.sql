-- Compute time of all devices by category. The name of a kernel decides before that of its
-- instruction.
-- set: jax-analysis
-- question: kernels
-- format: xplane profiles of XLA
-- sheet: gpu_events_categorized_mean
-- position: 20
-- level: category
-- key: name
-- measure: time_ms, count
-- work: GPU time of kernels
-- keep-empty: yes
-- empty: no_xla_kernels
CREATE VIEW jax_analysis_categories AS
WITH gpus AS MATERIALIZED (
  SELECT run, trace_id, count(*) AS gpus, avg(computation_ps) * count(*) AS computation_ps FROM xla_timeline_sum GROUP BY run, trace_id
),
grouped AS (
  SELECT run, trace_id, analysis_category AS name, count(*) AS count, sum(dur_ps) AS ps
  FROM xla_kernel
  WHERE class = 'computation'
  GROUP BY run, trace_id, analysis_category
  UNION ALL
  SELECT run, trace_id, 'Uncategorized Events', 0, 0 FROM gpus
),
summed AS (
  SELECT run, trace_id, name, sum(count) AS count, sum(ps) AS ps FROM grouped GROUP BY run, trace_id, name
),
measured AS (
  SELECT summed.run AS run, summed.trace_id AS trace_id, summed.name AS name, summed.count AS count, summed.ps / 1000000000.0 AS time_ms,
    summed.ps / 1000000000.0 / gpus.gpus AS time_ms_per_gpu, summed.ps * 100.0 / nullif(gpus.computation_ps, 0) AS percent
  FROM summed
  JOIN gpus ON gpus.run = summed.run AND gpus.trace_id = summed.trace_id
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  name AS name, -- [text] name of the category
  count AS count, -- [integer] number of kernels
  time_ms AS time_ms, -- "time ms" [ms ~2] (lower) total kernel duration
  time_ms_per_gpu AS time_ms_per_gpu, -- "time ms per gpu" [ms ~2] total kernel duration per device
  percent AS percent -- [% ~2] share of the computation time of all devices
FROM measured
ORDER BY run, trace_id, measured.percent DESC, name;
