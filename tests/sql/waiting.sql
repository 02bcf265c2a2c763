-- Reports about waiting: launch_delay, idle_causes, queue_length.

CREATE TEMP TABLE launched AS
SELECT gpu_event.trace_id AS trace_id, gpu_event.id AS id, call.ts_ns AS call_ns, call.ts_ns + call.dur_ns AS called_ns,
  gpu_event.ts_ns AS start_ns, gpu_event.ts_ns + gpu_event.dur_ns AS end_ns, call.id AS call_id, launcher, stream
FROM gpu_slice AS gpu_event JOIN event AS call ON call.id = gpu_event.call_id;

-- ------------------------------------------------------------------ launch_delay
SELECT 'launch_delay: every call that launched', sum(launches) = (
  SELECT count(DISTINCT call_id) FROM launched) FROM launch_delay;
SELECT 'launch_delay: of a graph the first counts', launches = 2
  AND abs(delay_sum_ms * 1e6 - (SELECT sum(delay) FROM (SELECT min(start_ns - call_ns) AS delay FROM launched
    WHERE trace_id = 1 AND launcher = 'cudaGraphLaunch' GROUP BY call_id))) < 0.1
FROM launch_delay WHERE run = 'rank0' AND name = 'cudaGraphLaunch';
SELECT 'launch_delay: the figures', launches = 4 AND (delay_mean_us, delay_median_us, delay_max_us, started_before_end) = (
  SELECT avg(start_ns - call_ns) / 1000.0, median(start_ns - call_ns) / 1000.0, max(start_ns - call_ns) / 1000.0,
    count(*) FILTER (WHERE start_ns < called_ns) FROM launched WHERE trace_id = 3 AND launcher = 'aten::relu')
FROM launch_delay WHERE run = 'frameless' AND name = 'aten::relu';
SELECT 'launch_delay: in order', min(mean BETWEEN 0 AND most AND delay_p95_us <= most AND started_before_end <= launches)
FROM (SELECT delay_mean_us AS mean, delay_max_us AS most, delay_p95_us, started_before_end, launches FROM launch_delay);

-- ------------------------------------------------------------------ idle_causes
SELECT 'idle_causes: what busy time leaves', abs(sum(time_ms) * 1e6 - (
  SELECT max(ts_ns + dur_ns) - min(ts_ns) - interval_union_ns(ts_ns, dur_ns) FROM gpu_event
  WHERE gpu_event.trace_id = idle_causes.trace_id)) < 0.1 AND abs(sum(percent_of_idle) - 100) < 1e-6
FROM idle_causes GROUP BY trace_id;
SELECT 'idle_causes: gaps one by one', (SELECT count(*) FROM launched AS ending
  WHERE trace_id = 1 AND call_ns > (SELECT max(ts_ns + dur_ns) FROM gpu_event WHERE trace_id = 1 AND ts_ns < start_ns)) = gaps
FROM idle_causes WHERE run = 'rank0' AND cause = 'launch-bound';
SELECT 'idle_causes: the longest gap is that before the first step', cause = 'launch-bound' AND main_op = 'aten::copy_'
  AND longest_us * 1000 = (SELECT min(start_ns) FROM launched WHERE trace_id = 1) - (
    SELECT min(ts_ns + dur_ns) FROM gpu_event WHERE trace_id = 1)
FROM idle_causes WHERE run = 'rank0' ORDER BY longest_us DESC LIMIT 1;
SELECT 'idle_causes: before the launch', min(CASE cause WHEN 'launch-bound' THEN before_launch_ms > 0 AND before_launch_ms < time_ms
  ELSE coalesce(before_launch_ms, 0) = 0 END) FROM idle_causes;

-- ------------------------------------------------------------------ queue_length
SELECT 'queue_length: the mean is what all waited, over the time', abs(length_mean - (
  SELECT sum(start_ns - call_ns) * 1.0 / (max(end_ns) - min(call_ns)) FROM launched WHERE trace_id = queue_length.trace_id)) < 1e-9
FROM queue_length WHERE stream = 'all';
SELECT 'queue_length: the most', length_max = (SELECT max(waiting) FROM (
  SELECT count(*) AS waiting FROM launched AS one JOIN launched AS other
    ON other.trace_id = one.trace_id AND other.call_ns <= one.call_ns AND other.start_ns > one.call_ns
  WHERE one.trace_id = queue_length.trace_id GROUP BY one.id))
FROM queue_length WHERE stream = 'all';
SELECT 'queue_length: streams make up the device', abs(sum(length_mean) FILTER (WHERE stream <> 'all') - max(length_mean)) < 1e-9
  AND sum(launches) = 2 * max(launches) FROM queue_length GROUP BY run;
SELECT 'queue_length: one piece alone', length_max = 1 AND launches = 1 AND wait_mean_us = wait_max_us
  AND abs(empty_percent - 100 + 100 * length_mean) < 1e-9
FROM queue_length WHERE run = 'frameless' AND stream = '20';

-- ------------------------------------------------------------------ timelines
CREATE TEMP VIEW timeline_by_intervals AS
SELECT run, trace_id, is_recompute, interval_union_ns(ts_ns, dur_ns) FILTER (WHERE class = 'computation') AS computation_ns,
  interval_difference_ns(ts_ns, dur_ns, class = 'computation') FILTER (WHERE class <> 'memcpy') AS exposed_comm_ns,
  interval_difference_ns(ts_ns, dur_ns, class <> 'memcpy') AS exposed_memcpy_ns, interval_union_ns(ts_ns, dur_ns) AS busy_ns,
  max(ts_ns + dur_ns) - min(ts_ns) AS total_ns, interval_union_ns(ts_ns, dur_ns) FILTER (WHERE class = 'communication') AS comm_ns,
  interval_union_ns(ts_ns, dur_ns) FILTER (WHERE class = 'memcpy') AS memcpy_ns,
  ifnull(sum(gap_ns) FILTER (WHERE gap_ns > 0 AND gap_ns < tpq_option('micro_idle_thresh_us') * 1000), 0) AS micro_idle_ns, tpq_option('micro_idle_thresh_us') IS NOT NULL AS has_micro_idle
FROM (SELECT *, ts_ns - max(ts_ns + dur_ns) OVER (PARTITION BY trace_id, is_recompute ORDER BY ts_ns, dur_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS gap_ns
  FROM timeline_work)
GROUP BY run, trace_id, is_recompute;
SELECT 'timeline_sum: what its work covers', (SELECT count(*) FROM timeline_sum) = (SELECT count(*) FROM timeline_by_intervals)
  AND NOT EXISTS (SELECT * FROM timeline_sum EXCEPT SELECT * FROM timeline_by_intervals) AND (SELECT sum(total_ns - busy_ns) > 0 AND sum(micro_idle_ns) = 0 FROM timeline_sum);
SELECT 'an option is set', tpq_set('micro_idle_thresh_us', '20') = '20';
SELECT 'timeline_sum: idle in short gaps', (SELECT sum(micro_idle_ns) > 0 FROM timeline_sum) AND NOT EXISTS (SELECT * FROM timeline_sum EXCEPT SELECT * FROM timeline_by_intervals);
SELECT 'an option is set', tpq_set('compat', '1') = '1';
SELECT 'timeline_sum: linked work alone, as the option compat has it', EXISTS (SELECT * FROM timeline_sum) AND NOT EXISTS (SELECT * FROM timeline_sum EXCEPT SELECT * FROM timeline_by_intervals);
SELECT 'options are as before', tpq_set('compat', NULL) IS NULL AND tpq_set('micro_idle_thresh_us', NULL) IS NULL;
SELECT 'device_timeline_sum: what each covers', sum(device.busy_ns) >= whole.busy_ns AND max(device.busy_ns) <= whole.busy_ns AND max(device.total_ns) <= whole.total_ns
FROM timeline_sum AS whole JOIN device_timeline_sum AS device ON device.trace_id = whole.trace_id GROUP BY whole.trace_id;
SELECT 'an option is set', tpq_set('curve_parts', '7') = '7';
SELECT 'timeline_part: parts are told as interval_parts tells them', NOT EXISTS (
  SELECT run, trace_id, device, part, computation_ns, exposed_comm_ns + computation_ns, exposed_memcpy_ns + exposed_comm_ns + computation_ns FROM timeline_part
  EXCEPT SELECT part.run, part.trace_id, part.device, part.part, json_extract(interval_parts(ts_ns, dur_ns, part.first_ns, part.span_ns, part.parts) FILTER (WHERE class = 'computation'), '$[' || part.part || ']'),
    json_extract(interval_parts(ts_ns, dur_ns, part.first_ns, part.span_ns, part.parts) FILTER (WHERE class <> 'memcpy'), '$[' || part.part || ']'),
    json_extract(interval_parts(ts_ns, dur_ns, part.first_ns, part.span_ns, part.parts), '$[' || part.part || ']')
  FROM timeline_part AS part JOIN timeline_work AS work ON work.trace_id = part.trace_id AND work.device IS part.device GROUP BY part.run, part.trace_id, part.device, part.part)
  AND count(*) = 7 AND min(parts) = 7 AND max(part) = 6
FROM timeline_part GROUP BY trace_id, device;
SELECT 'timeline_part: parts add up to the whole', NOT EXISTS (
  SELECT trace_id, device, computation_ns, exposed_comm_ns, exposed_memcpy_ns FROM device_timeline_sum
  EXCEPT SELECT trace_id, device, sum(computation_ns), sum(exposed_comm_ns), sum(exposed_memcpy_ns) FROM timeline_part GROUP BY trace_id, device);
SELECT 'an option is set', tpq_set('curve_parts', NULL) IS NULL;
