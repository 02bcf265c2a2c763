-- Time of kernels that XLA generated, by name without digits.
-- set: jax-analysis
-- question: kernels
-- format: xplane profiles of XLA
-- sheet: xla_grouped
-- position: 30
-- level: op
-- key: short_name_grouped
-- measure: time_ms, count
-- work: GPU time of kernels
-- keep-empty: yes
-- empty: no_xla_kernels
CREATE VIEW jax_analysis_xla_grouped AS
WITH summed AS (
  SELECT run, trace_id, plain_name AS name, count(*) AS count, sum(dur_ps) AS ps
  FROM (
    SELECT run, trace_id, dur_ps,
      replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(rtrim(name, '_'), '0', ''), '1', ''), '2', ''), '3', ''), '4', ''),
        '5', ''), '6', ''), '7', ''), '8', ''), '9', '') AS plain_name
    FROM xla_kernel
    WHERE class = 'computation' AND analysis_category = 'Uncategorized Events'
  )
  GROUP BY run, trace_id, plain_name
),
gpus AS (
  SELECT run, trace_id, count(*) AS gpus FROM xla_timeline_sum GROUP BY run, trace_id
),
measured AS (
  SELECT summed.run AS run, summed.trace_id AS trace_id, summed.name AS name, summed.count AS count, summed.ps / 1000000000.0 AS time_ms,
    summed.ps / 1000000000.0 / gpus.gpus AS time_ms_per_gpu,
    summed.ps * 100.0 / nullif(sum(summed.ps) OVER (PARTITION BY summed.run, summed.trace_id), 0) AS percent
  FROM summed
  JOIN gpus ON gpus.run = summed.run AND gpus.trace_id = summed.trace_id
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  name AS short_name_grouped, -- [kernel] name of the kernels, without digits and underscores at the end
  count AS count, -- [integer] number of kernels
  time_ms AS time_ms, -- "time ms" [ms ~2] (lower) total kernel duration
  time_ms_per_gpu AS time_ms_per_gpu, -- "time ms per gpu" [ms ~2] total kernel duration per device
  percent AS percent -- [% ~2] share of the total duration of all rows
FROM measured
ORDER BY run, trace_id, measured.percent DESC, name;
