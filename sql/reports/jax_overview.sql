-- Overview: GPU time of each device by kind, and of all devices by category.
-- set: jax
-- question: time first
-- position: 5
-- key: section, subject, name
-- measure: value
-- no-sum: yes
-- when: never
-- tab: overview
-- terminal: section, subject, name, value, unit, percent, words
-- columns-of: overview
-- format: xplane profiles of XLA
-- empty: no_xla_kernels
CREATE VIEW jax_overview AS
WITH kind (type, name, tone) AS (
  VALUES ('computation_time', 'computation', 'compute'), ('exposed_comm_time', 'exposed communication', 'comm'),
    ('exposed_memcpy_time', 'exposed memcpy', 'copy'), ('idle_time', 'idle', 'idle')
),
device_part AS (
  SELECT timeline.run AS run, timeline.trace_id AS trace_id, 'GPU time by kind' AS section, 'bar' AS form, 'GPU process ' || coalesce(timeline.gpu_pid, '') AS subject,
    kind.name AS name, kind.tone AS kind, timeline.time_ms AS value, 'ms' AS unit, timeline.percent AS percent, NULL AS words, 'gpu_timeline' AS report
  FROM jax_gpu_timeline AS timeline
  JOIN kind ON kind.type = timeline.type
),
category_part AS (
  SELECT run, trace_id, 'Compute time by category' AS section, 'bar' AS form, 'all GPUs' AS subject, name, NULL AS kind, time_ms AS value, 'ms' AS unit,
    percent, NULL AS words, NULL AS report
  FROM jax_analysis_categories
  WHERE time_ms > 0
),
part AS (
  SELECT 1 AS part, row_number() OVER () AS position, run, trace_id, section, form, subject, name, kind, value, unit, percent, words, report FROM device_part
  UNION ALL SELECT 2, row_number() OVER (), run, trace_id, section, form, subject, name, kind, value, unit, percent, words, report FROM category_part
)
SELECT run, trace_id, section, form, subject, name, kind, value, unit, percent, words, report
FROM part
ORDER BY part.part, part.run, part.trace_id, part.position;
