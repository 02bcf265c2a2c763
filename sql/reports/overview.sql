-- Overview: GPU time by kind, with idle time by cause (time_parts), GPU time by category, and
-- estimated savings.
-- set: pytorch
-- question: time
-- position: 5
-- key: section, subject, name
-- measure: value
-- no-sum: yes
-- when: never
-- tab: overview
-- shares: bounded_call, time_parts, queue_length, gpu_timeline, gpu_timeline_per_device, time_above_roofline, ops_summary_by_category
-- terminal: section, subject, name, value, unit, percent, words
-- not-included: not_included_in_timelines
-- empty: no_work
CREATE VIEW overview AS
WITH place AS MATERIALIZED (
  SELECT run, trace_id, count(*) OVER () AS traces,
    CASE WHEN (SELECT count(DISTINCT other.run) FROM scope AS other) > 1 THEN run || ' ' ELSE '' END
      || CASE WHEN count(*) OVER (PARTITION BY run) > 1 THEN 'rank ' || label || ' ' ELSE '' END AS prefix
  FROM run_rank
),
-- of many steps only the longest are shown
marked AS MATERIALIZED (
  SELECT run, trace_id, step, dur_ns,
    count(*) OVER (PARTITION BY run, trace_id) AS steps, avg(dur_ns) OVER (PARTITION BY run, trace_id) AS mean_ns,
    row_number() OVER (PARTITION BY run, trace_id ORDER BY dur_ns DESC, step) AS position
  FROM trace_step
  WHERE kind = 'step'
),
kind (place, type, name, tone) AS (
  VALUES (1, 'computation_time', 'computation', 'compute'), (2, 'exposed_comm_time', 'exposed communication', 'comm'),
    (3, 'exposed_memcpy_time', 'exposed memcpy', 'copy'), (4, 'idle_time', 'idle', 'idle'),
    (5, 'micro_idle_time', 'idle, short gaps', 'micro'), (6, 'macro_idle_time', 'idle, long gaps', 'idle'),
    (7, NULL, 'other GPU activity', 'other'), (8, NULL, 'idle: data loading', 'loading'), (9, NULL, 'idle: before the first kernel', 'micro'),
    (10, NULL, 'idle: allocator', 'allocator'), (11, NULL, 'idle: synchronization', 'sync'), (12, NULL, 'idle: launch-bound', 'launch'), (13, NULL, 'idle: other', 'idle')
),
devices AS MATERIALIZED (
  SELECT run, trace_id, max(device) AS device, count(DISTINCT device) > 1 AS has_several FROM gpu_timeline_per_device GROUP BY run, trace_id
),
-- all steps, or the whole window where no step is whole
part_sum AS MATERIALIZED (
  SELECT run, trace_id, part, max(step IS NOT NULL) AS is_of_steps, sum(time_ns) AS time_ns, sum(sum(time_ns)) OVER (PARTITION BY run, trace_id) AS window_ns
  FROM (SELECT run, trace_id, step, part, time_ns, rank() OVER (PARTITION BY run, trace_id ORDER BY step IS NOT NULL) AS nth FROM time_parts)
  WHERE nth = 1
  GROUP BY run, trace_id, part
),
-- Devices have a bar each, before the bar of all of them, or of the steps, with the causes of idle time.
device_part AS (
  SELECT timeline.run AS run, timeline.trace_id AS trace_id, 'GPU time by kind' AS section, 'bar' AS form, 'GPU ' || timeline.device AS subject,
    kind.name AS name, kind.tone AS kind, timeline.time_ms AS value, 'ms' AS unit, timeline.percent AS percent, NULL AS words, 'gpu_timeline' AS report, timeline.device * 100 + kind.place AS row
  FROM devices
  CROSS JOIN gpu_timeline_per_device AS timeline ON timeline.run = devices.run AND timeline.trace_id = devices.trace_id AND timeline.is_recompute IS NOT 1
  CROSS JOIN kind ON kind.type = timeline.type
  WHERE devices.has_several OR EXISTS (SELECT 1 FROM part_sum AS part WHERE part.run = devices.run AND part.trace_id = devices.trace_id AND part.is_of_steps)
  UNION ALL
  SELECT part.run, part.trace_id, iif(part.is_of_steps, 'GPU time of steps by kind', 'GPU time by kind'), 'bar',
    CASE WHEN part.is_of_steps THEN 'all steps' WHEN devices.has_several THEN 'all GPUs' ELSE 'GPU ' || coalesce(devices.device, '') END,
    kind.name, kind.tone, part.time_ns / 1000000.0, 'ms', part.time_ns * 100.0 / part.window_ns, NULL, 'time_parts', 1e9 + kind.place
  FROM part_sum AS part
  CROSS JOIN kind ON kind.name = part.part
  JOIN devices ON devices.run = part.run AND devices.trace_id = part.trace_id
),
category_part AS (
  SELECT run, trace_id, 'Busy time by category of op' AS section, 'bar' AS form, 'busy' AS subject, op_category AS name, NULL AS kind,
    sum(total_direct_kernel_time_ms) AS value, 'ms' AS unit, sum(percentage) AS percent, NULL AS words, 'ops_summary_by_category' AS report
  FROM ops_summary_by_category
  GROUP BY run, trace_id, op_category
  ORDER BY value DESC, op_category
),
peaked AS (
  SELECT run, trace_id, CASE WHEN peak_tflops IS NOT NULL THEN peak_spec || coalesce(' by ' || peak_reason, '') END AS peak, coalesce(compute_spec, 'an unknown type') AS compute_spec,
    sum(flops) AS flops, sum(flops / (peak_tflops * 1e3)) AS peak_ns
  FROM bounded_call
  WHERE flops > 0
  GROUP BY run, trace_id, 3, 4
  ORDER BY flops DESC, peak, compute_spec
),
modelled AS (
  SELECT run, trace_id, sum(flops) AS flops, sum(peak_ns) AS peak_ns, coalesce(sum(flops) FILTER (WHERE peak IS NOT NULL), 0) AS peaked_flops,
    group_concat(DISTINCT peak) AS peaks, group_concat(DISTINCT compute_spec) FILTER (WHERE peak IS NULL) AS lacking
  FROM peaked
  GROUP BY run, trace_id
),
card AS (
  SELECT run, trace_id, 'busy' AS name, percent AS value, '%' AS unit, 'of the time of device ' || coalesce(device, '') AS words, 'gpu_timeline' AS report, 1 AS position
  FROM gpu_timeline_per_device
  WHERE type = 'busy_time'
  UNION ALL
  SELECT total.run, total.trace_id, 'MFU of the GPU activity time', CASE WHEN modelled.peaked_flops >= 0.99 * modelled.flops THEN modelled.peak_ns * 100.0 / nullif(total.time_ms * 1e6, 0) END, '%',
    CASE
      WHEN modelled.flops IS NULL THEN coalesce((
        SELECT why FROM empty_reason
        WHERE name = CASE WHEN NOT EXISTS (SELECT 1 FROM trace_with_ops) THEN 'no_ops' WHEN NOT EXISTS (
          SELECT 1 FROM scope CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event JOIN op ON op.id = event.op_id WHERE op.dims_id IS NOT NULL) THEN 'no_shapes' END
        ), 'no op has a model of its FLOPs')
      WHEN limits.device IS NULL THEN 'the device is not known; --gpu-arch-platform names it'
      WHEN modelled.peaked_flops >= 0.99 * modelled.flops THEN 'FLOPs at the peak of their precision, as a share of the time from the first to the last GPU activity (by step: step_mfu); ' || limits.device || coalesce(': ' || modelled.peaks, '')
      ELSE 'no peak of ' || limits.device || ' is known for ' || modelled.lacking
    END, NULL, 2
  FROM gpu_timeline AS total
  LEFT JOIN modelled ON modelled.run = total.run AND modelled.trace_id = total.trace_id
  LEFT JOIN trace_device AS limits ON limits.run = total.run AND limits.trace_id = total.trace_id
  WHERE total.type = 'total_time' AND total.is_recompute IS NOT 1
  UNION ALL
  SELECT run, trace_id, 'GPU activities that wait', length_mean, NULL, 'mean over time, at most ' || length_max || '; device ' || device, 'queue_length', 4
  FROM queue_length
  WHERE stream = 'all'
  UNION ALL
  SELECT run, trace_id, 'busy time ' || subject, percent, '%', printf('%.1f ms', time_ms), NULL, 5
  FROM gpu_time_coverage
  WHERE subject IN ('linked to an op', 'with a model')
  UNION ALL
  SELECT run, trace_id, 'most memory in use', peak_allocated_bytes / 1073741824.0, 'GiB', device_type || coalesce(' ' || device, '') || coalesce(', in ' || peak_op, ''), NULL, 6
  FROM memory_peak
  WHERE device_type <> 'CPU'
),
card_part AS (
  SELECT run, trace_id, 'Figures' AS section, 'card' AS form, '' AS subject, name, NULL AS kind, value, unit, NULL AS percent, words, report
  FROM card
  WHERE (value IS NOT NULL OR name = 'MFU of the GPU activity time') AND (SELECT count(*) FROM place) <= 4 -- words say why there is no MFU
  ORDER BY position, name
),
step_part AS (
  SELECT run, trace_id, CASE WHEN steps > 40 THEN 'Longest steps' ELSE 'Steps' END AS section, 'list' AS form, '' AS subject, 'step ' || step AS name, NULL AS kind,
    dur_ns / 1000000.0 AS value, 'ms' AS unit, NULL AS percent,
    'on the host' || CASE WHEN steps > 2 AND dur_ns > 1.5 * mean_ns THEN printf('; %.1f times the mean', dur_ns / mean_ns) ELSE '' END AS words, NULL AS report,
    CASE WHEN steps > 40 THEN position ELSE step END AS position
  FROM marked
  WHERE position <= 40
),
phase_part AS (
  SELECT run, trace_id, 'Prefill and decode' AS section, 'list' AS form, '' AS subject,
    CASE phase WHEN 'prefill_only' THEN 'prefill' WHEN 'decode_only' THEN 'decode' WHEN 'prefilldecode' THEN 'prefill and decode' ELSE phase END AS name, NULL AS kind,
    gpu_busy_ms AS value, 'ms' AS unit, percentage AS percent,
    printf('GPU time of %,d step%s with %,d token%s', steps, CASE steps WHEN 1 THEN '' ELSE 's' END, tokens, CASE tokens WHEN 1 THEN '' ELSE 's' END)
      || coalesce(printf(', %.1f us a token', gpu_us_per_token), '') AS words, 'inference_phases' AS report
  FROM inference_phases
),
won AS (
  SELECT run, trace_id, name, input_dims, above_roofline_ms, roofline_pct, bound, row_number() OVER (PARTITION BY run, trace_id ORDER BY above_roofline_ms DESC) AS position
  FROM time_above_roofline
  WHERE above_roofline_ms > 0
),
won_part AS (
  SELECT run, trace_id, 'Calls farthest from the roofline' AS section, 'list' AS form, '' AS subject, name || coalesce(' ' || input_dims, '') AS name, NULL AS kind,
    above_roofline_ms AS value, 'ms' AS unit, NULL AS percent, coalesce(printf('estimated saving; %.0f %% of the ', roofline_pct) || bound || ' roofline', '') AS words, NULL AS report
  FROM won
  WHERE position <= 6
),
gap_part AS (
  SELECT run, trace_id, 'Longest GPU idle gaps' AS section, 'list' AS form, 'GPU ' || device AS subject, format('idle at %.3f ms: %s', from_ms, coalesce(frame, range, cause)) AS name, NULL AS kind,
    gap_ms AS value, 'ms' AS unit, NULL AS percent, cause || coalesce(', in ' || CASE WHEN frame IS NOT NULL THEN range END, '') AS words, 'gpu_gaps' AS report
  FROM (SELECT run, trace_id, device, from_ms, gap_ms, cause, range, frame, row_number() OVER (PARTITION BY run, trace_id ORDER BY gap_ms DESC, device, from_ms) AS position FROM gpu_gaps)
  WHERE position <= 6
),
part AS (
  SELECT 1 AS part, row, run, trace_id, section, form, subject, name, kind, value, unit, percent, words, report FROM device_part
  UNION ALL SELECT 3, row_number() OVER (), run, trace_id, section, form, subject, name, kind, value, unit, percent, words, report FROM category_part
  UNION ALL SELECT 4, row_number() OVER (), run, trace_id, section, form, subject, name, kind, value, unit, percent, words, report FROM card_part
  UNION ALL SELECT 5, row_number() OVER (), run, trace_id, section, form, subject, name, kind, value, unit, percent, words, report FROM won_part
  UNION ALL SELECT 5.5, row_number() OVER (), run, trace_id, section, form, subject, name, kind, value, unit, percent, words, report FROM gap_part
  UNION ALL SELECT 6, row_number() OVER (), run, trace_id, section, form, subject, name, kind, value, unit, percent, words, report FROM phase_part
  UNION ALL SELECT 7, position, run, trace_id, section, form, subject, name, kind, value, unit, percent, words, report FROM step_part
)
SELECT
  part.run AS run, -- [text] name of the run
  part.trace_id AS trace_id, -- [integer] id of the trace
  part.section AS section, -- [text] section of the overview
  part.form AS form, -- [text] form on the page: bar (parts of a whole), card or list
  place.prefix || part.subject AS subject, -- [text] subject of the section: run, rank, device or step
  part.name AS name, -- [text] name of the figure
  part.kind AS kind, -- [text] kind of time, for the colour
  part.value AS value, -- [real] value of the figure
  part.unit AS unit, -- [text] unit of the value
  part.percent AS percent, -- [%] share of the whole
  part.words AS words, -- [text] further text about the figure
  part.report AS report -- [text] name of the report with details
FROM part
JOIN place ON place.run = part.run AND place.trace_id = part.trace_id
ORDER BY part.part, part.run, part.trace_id, part.row;
