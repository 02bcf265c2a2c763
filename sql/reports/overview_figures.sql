-- The main figures of a trace, a row each: times by kind, counts, idle gaps, top kernels, launch delay,
-- memory, MFU. idle_half_gaps: the fewest gaps that hold half of the idle time.
-- set: pytorch
-- question: time
-- words: summary, overview, figures
-- position: 295
-- key: figure
-- no-sum: yes
-- when: never
-- terminal: figure, value, unit, percent, of, what
-- not-included: not_included_figures
-- empty: no_work
CREATE VIEW overview_figures AS
WITH part AS (
  SELECT run, trace_id, type, time_ms, percent FROM gpu_timeline WHERE is_recompute IS NOT 1
),
work AS MATERIALIZED (
  SELECT run, trace_id, kind, name, count, sum_ms FROM kernel_breakdown
),
top AS (
  SELECT run, trace_id, name, sum_ms,
    row_number() OVER (PARTITION BY run, trace_id ORDER BY sum_ms DESC, name) AS place
  FROM work
  WHERE kind <> 'memory'
),
kernels AS (
  SELECT run, trace_id, sum(count) AS count, sum(sum_ms) AS sum_ms FROM work WHERE kind <> 'memory' GROUP BY run, trace_id
),
place AS (
  SELECT scope.run AS run, scope.trace_id AS trace_id, count(*) AS works, count(DISTINCT gpu_event.device) AS devices, count(DISTINCT gpu_event.track_id) AS streams
  FROM scope
  CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
  GROUP BY scope.run, scope.trace_id
),
step AS (
  SELECT run, trace_id, count(*) AS steps, avg(dur_ns) / 1e6 AS mean_ms FROM trace_step WHERE kind = 'step' GROUP BY run, trace_id
),
mfu AS (
  SELECT run, trace_id, sum(mfu_pct * step_time_ms) / sum(step_time_ms) AS percent FROM step_mfu WHERE mfu_pct IS NOT NULL GROUP BY run, trace_id
),
-- idle gaps of all devices together by length, and the idle time in longer ones
gap AS (
  SELECT run, trace_id, ts_ns - until_ns AS idle_ns, sum(ts_ns - until_ns) OVER (PARTITION BY run, trace_id ORDER BY ts_ns - until_ns DESC, id) - (ts_ns - until_ns) AS longer_ns
  FROM window_work
  WHERE idle_cause IS NOT NULL
),
idle AS (
  SELECT gap.run AS run, gap.trace_id AS trace_id, count(*) AS gaps, whole.idle_ns AS idle_ns, sum(gap.longer_ns * 2 < whole.idle_ns) AS half
  FROM gap
  JOIN (SELECT run, trace_id, sum(idle_ns) AS idle_ns FROM gap GROUP BY run, trace_id) AS whole ON whole.run = gap.run AND whole.trace_id = gap.trace_id
  GROUP BY gap.run, gap.trace_id
),
figure AS (
  SELECT run, trace_id, 1 AS place, type AS figure, time_ms AS value, 'ms' AS unit, percent, 'total_time' AS base, NULL AS what FROM part
  UNION ALL SELECT run, trace_id, 1.1, 'idle_gaps', gaps, 'count', NULL, NULL, NULL FROM idle
  UNION ALL SELECT run, trace_id, 1.2, 'idle_half_gaps', half, 'count', half * 100.0 / gaps, 'idle_gaps',
    format('half of %s idle time lies in %,d of %,d gaps (%s)', time_words(idle_ns), half, gaps, iif(half <= max(3, gaps / 10), 'concentrated', 'spread')) FROM idle
  UNION ALL SELECT run, trace_id, 2, 'gpu_events', works, 'count', NULL, NULL, NULL FROM place
  UNION ALL SELECT run, trace_id, 3, 'kernels', count, 'count', NULL, NULL, NULL FROM kernels
  UNION ALL SELECT run, trace_id, 4, 'kernel_time', sum_ms, 'ms', NULL, NULL, NULL FROM kernels
  UNION ALL SELECT run, trace_id, 5, 'devices', devices, 'count', NULL, NULL, NULL FROM place
  UNION ALL SELECT run, trace_id, 6, 'streams', streams, 'count', NULL, NULL, NULL FROM place
  UNION ALL SELECT place.run, place.trace_id, 7, 'ranks', trace.world_size, 'count', NULL, NULL, NULL FROM place JOIN trace ON trace.id = place.trace_id WHERE trace.world_size IS NOT NULL
  UNION ALL SELECT run, trace_id, 8, 'steps', steps, 'count', NULL, NULL, NULL FROM step
  UNION ALL SELECT run, trace_id, 9, 'step_time_mean', mean_ms, 'ms', NULL, NULL, NULL FROM step
  UNION ALL SELECT top.run, top.trace_id, 9 + top.place, 'top_kernel_' || top.place, top.sum_ms, 'ms', top.sum_ms * 100.0 / kernels.sum_ms, 'kernel_time', top.name
    FROM top JOIN kernels ON kernels.run = top.run AND kernels.trace_id = top.trace_id WHERE top.place <= 3
  UNION ALL SELECT run, trace_id, 14, 'launch_delay_median', delay_median_us, 'us', NULL, NULL, NULL FROM launch_stats WHERE delay_median_us IS NOT NULL
  UNION ALL SELECT run, trace_id, 15, 'peak_memory', peak_allocated_bytes, 'bytes', NULL, NULL, NULL
    FROM (SELECT run, trace_id, peak_allocated_bytes, min(device) FROM memory_peak WHERE device_type = 'GPU' GROUP BY run, trace_id)
  UNION ALL SELECT run, trace_id, 16, 'mfu', percent, '%', NULL, NULL, NULL FROM mfu
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  figure AS figure, -- [text] name of the figure
  CAST(value AS REAL) AS value, -- [real] value of the figure, in the unit of its row
  unit AS unit, -- [text] unit of the value
  percent AS percent, -- [%] value as a share of its base
  base AS of, -- [text] figure that is the base of the share
  what AS what -- [text] name of what the figure is about
FROM figure
ORDER BY run, trace_id, place, figure;
