-- Reports about waiting and launching, against sums over the tables.

-- ------------------------------------------------------------------ what they stand on
SELECT 'work is kernels, copies and sets', (SELECT count(*) FROM analysed_work) = count(*) AND count(*) > 50
FROM gpu_event JOIN category ON category.id = gpu_event.category_id
WHERE category.name IN ('kernel', 'gpu_memcpy', 'gpu_memset');
SELECT 'first_work has every call that launched work, once',
  (SELECT count(*) FROM first_work) = count(DISTINCT call_id) AND (SELECT count(DISTINCT call_id) FROM first_work) = count(DISTINCT call_id)
FROM analysed_work;
SELECT 'first_work has the first', min(NOT EXISTS (
  SELECT 1 FROM gpu_event AS other
  WHERE other.call_id = first.call_id AND (other.ts_ns < first.ts_ns OR other.ts_ns = first.ts_ns AND other.id < first.id)))
FROM first_work AS first;

-- ------------------------------------------------------------------ overlap
SELECT 'kinds of work add up to the busy time', abs(sum(time_ms) - (
  SELECT sum(busy) FROM (SELECT interval_union_ns(ts_ns, dur_ns) / 1e6 AS busy FROM analysed_work GROUP BY trace_id))) < 1e-6
FROM kind_overlap;
SELECT 'communication alone and with computation',
  abs(communication_ms - (SELECT sum(time_ms) FROM kind_overlap WHERE kind_overlap.trace_id = comm_overlap.trace_id AND kinds LIKE '%communication%')) < 1e-6
  AND abs(exposed_ms - (SELECT coalesce(sum(time_ms), 0) FROM kind_overlap
    WHERE kind_overlap.trace_id = comm_overlap.trace_id AND kinds LIKE '%communication%' AND kinds NOT LIKE '%computation%')) < 1e-6
  AND abs(exposed_ms + overlap_ms - communication_ms) < 1e-6 AND communication_ms > 0
FROM comm_overlap;
SELECT 'parts of communication are not longer than all of it', count(*) > 0 AND max(part.communication_ms > comm_overlap.communication_ms + 1e-9) = 0
FROM comm_overlap_parts AS part
JOIN comm_overlap USING (trace_id);

-- ------------------------------------------------------------------ idle time
SELECT 'the causes add up to what a stream is idle', min(abs(idle - (
    SELECT (max(end_ns) - min(ts_ns) - interval_union_ns(ts_ns, dur_ns)) / 1e6 FROM analysed_work AS work
    WHERE work.trace_id = sums.trace_id AND work.device IS sums.device AND work.stream IS sums.stream)) < 1e-6
  AND abs(percent - 100) < 1e-9) AND count(*) > 0
FROM (SELECT trace_id, device, stream, sum(time_ms) AS idle, sum(percent) AS percent FROM idle_by_stream GROUP BY trace_id, device, stream) AS sums;
SELECT 'an option is set', tpq_set('kernel_wait_us', '0') = '0';
SELECT 'kernel_wait_us: nothing waits for kernels for less than nothing', count(*) FILTER (WHERE cause = 'kernel_wait') = 0 AND count(*) > 0 FROM idle_by_stream;
SELECT 'an option is set', tpq_set('kernel_wait_us', NULL) IS NULL;

SELECT 'stream_until_ns: the latest end before, of the stream', count(*) > 50 AND min(stream_until_ns IS until_ns AND device_until_ns IS of_device_ns)
FROM (SELECT stream_until_ns, device_until_ns,
  max(end_ns) OVER (PARTITION BY trace_id, device, stream ORDER BY ts_ns, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS until_ns,
  max(end_ns) OVER (PARTITION BY trace_id, device ORDER BY ts_ns, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS of_device_ns FROM analysed_work);
SELECT 'step_id: the first step that has the start of the call', count(step_id) > 0 AND min(step_id IS (
  SELECT signpost.id FROM signpost WHERE signpost.trace_id = work.trace_id AND kind = 'step' AND signpost.ts_ns <= work.call_ts_ns AND signpost.ts_ns + signpost.dur_ns > work.call_ts_ns
  ORDER BY signpost.ts_ns, signpost.id LIMIT 1))
FROM analysed_work AS work;
SELECT 'step_until_ns: the latest end before, of the step', min(step_until_ns IS until_ns) AND count(step_until_ns) > 0
FROM (SELECT step_until_ns, max(end_ns) OVER (PARTITION BY step_id ORDER BY ts_ns, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS until_ns
  FROM analysed_work WHERE step_id IS NOT NULL);
SELECT 'pace_ns: from start to start', min(pace_ns IS apart_ns) AND count(pace_ns) > 3
FROM (SELECT pace_ns, ts_ns - lag(ts_ns) OVER (PARTITION BY trace_id, name_id ORDER BY ts_ns, id) AS apart_ns
  FROM analysed_work WHERE category_id = (SELECT id FROM category WHERE name = 'kernel'));
SELECT 'an option is set', tpq_set('gap_min_us', '0') = '0';
SELECT 'device_gap: all time in which nothing ran', min(abs(idle_ns - (
    SELECT max(end_ns) - min(ts_ns) - interval_union_ns(ts_ns, dur_ns) FROM analysed_work AS work WHERE work.trace_id = sums.trace_id AND work.device IS sums.device)) = 0) AND count(*) > 0
FROM (SELECT trace_id, device, sum(to_ns - from_ns) AS idle_ns FROM device_gap GROUP BY trace_id, device) AS sums;
SELECT 'device_gap: all are counted', (SELECT count(*) FROM device_gap) = count(from_ns) AND count(from_ns) > 3 FROM device_gap;
SELECT 'device_gap: its parts are the gap', min(sync_ns + call_ns + op_ns + outside_ns + launch_ns = to_ns - from_ns) AND count(launch_ns) > 3 FROM device_gap WHERE call_id IS NOT NULL;
SELECT 'device_gap: what the thread was in', count(*) > 3 AND min(calls_ns IS sync_ns + call_ns AND host_ns IS sync_ns + call_ns + op_ns)
FROM (
  SELECT sync_ns, gap.call_ns AS call_ns, op_ns, coalesce(interval_union_ns(max(event.ts_ns, gap.from_ns), min(event.ts_ns + event.dur_ns, call.ts_ns, gap.to_ns) - max(event.ts_ns, gap.from_ns)), 0) AS host_ns,
    coalesce(interval_union_ns(max(event.ts_ns, gap.from_ns), min(event.ts_ns + event.dur_ns, call.ts_ns, gap.to_ns) - max(event.ts_ns, gap.from_ns)) FILTER (WHERE category.role = 'call'), 0) AS calls_ns
  FROM device_gap AS gap
  JOIN event AS call ON call.id = gap.call_id AND call.ts_ns > gap.from_ns
  LEFT JOIN (event JOIN category ON category.id = event.category_id AND category.role IN ('op', 'call')) ON event.track_id = call.track_id AND event.id < call.id
    AND event.ts_ns < min(call.ts_ns, gap.to_ns) AND event.ts_ns + event.dur_ns > gap.from_ns
  GROUP BY gap.id);
SELECT 'an option is set', tpq_set('gap_min_us', NULL) IS NULL;

-- ------------------------------------------------------------------ copies
SELECT 'copies: all of them, with all bytes', sum(copies) = (SELECT count(*) FROM gpu_slice WHERE category <> 'kernel')
  AND sum(bytes) = (SELECT sum(bytes) FROM gpu_slice WHERE category <> 'kernel') AND sum(bytes) > 0
FROM memory_bandwidth;
SELECT 'copies: rates', min(gbps_peak >= gbps_active - 1e-9 AND abs(gbps_active * active_ms * 1e6 - bytes) < 1 AND percent_of_link IS NULL)
FROM memory_bandwidth WHERE bytes > 0;
SELECT 'an option is set', tpq_set('link_gbps', 'Memcpy HtoD=2e1,Memset=5') = 'Memcpy HtoD=2e1,Memset=5';
SELECT 'copies: against a link', min(CASE kind WHEN 'Memcpy HtoD' THEN abs(percent_of_link - gbps_active * 5) < 1e-9
  WHEN 'Memset' THEN percent_of_link IS NULL OR abs(percent_of_link - gbps_active * 20) < 1e-9 ELSE percent_of_link IS NULL END)
  AND count(percent_of_link) > 0
FROM memory_bandwidth;
SELECT 'an option is set', tpq_set('link_gbps', NULL) IS NULL;

-- ------------------------------------------------------------------ launches
SELECT 'launches: all calls', launches = (SELECT count(*) FROM first_work WHERE first_work.trace_id = launch_stats.trace_id)
  AND launches = (SELECT sum(launches) FROM launch_stats_by_call WHERE launch_stats_by_call.trace_id = launch_stats.trace_id)
  AND launches = (SELECT sum(count) FROM launch_split WHERE launch_split.trace_id = launch_stats.trace_id)
  AND abs(call_ms - (SELECT sum(call_ms) FROM launch_split WHERE launch_split.trace_id = launch_stats.trace_id)) < 1e-6
  AND abs(delay_ms - (SELECT sum(queue_ms) FROM launch_split WHERE launch_split.trace_id = launch_stats.trace_id)) < 1e-6
  AND delay_max_us >= delay_p95_us AND delay_p95_us >= delay_median_us
FROM launch_stats;
SELECT 'blocked: never by as many launches as are allowed', max(blocked_ms) = 0 AND max(waiting_ms) > 0 FROM queue_length WHERE stream <> 'all';
SELECT 'an option is set', tpq_set('queue_full', '1') = '1';
SELECT 'blocked: by one as long as any waited', min(blocked_ms = waiting_ms) FROM queue_length WHERE stream <> 'all';
SELECT 'an option is set', tpq_set('queue_full', NULL) IS NULL;

-- ------------------------------------------------------------------ kernels
SELECT 'kernel_breakdown: all work', sum(count) = (SELECT count(*) FROM analysed_work)
  AND abs(sum(sum_ms) - (SELECT sum(dur_ns) / 1e6 FROM analysed_work)) < 1e-6 AND min(min_us <= mean_us AND mean_us <= max_us)
FROM kernel_breakdown;
SELECT 'ranks_kernel_breakdown: of each run one rank', count(*) = (SELECT count(*) FROM kernel_breakdown)
  AND max(abs(mean_ms - most_ms)) = 0 AND max(ranks) = 1
FROM ranks_kernel_breakdown;
SELECT 'ranks_comm_overlap: what comm_overlap says of each rank', count(*) > 0 AND count(*) = (SELECT count(*) FROM ranks_comm_overlap) AND NOT EXISTS (
  SELECT run, exposed_ms, overlap_percent FROM comm_overlap EXCEPT SELECT run, exposed_ms, overlap_percent FROM ranks_comm_overlap) FROM comm_overlap;
SELECT 'ranks_kind_overlap: what kind_overlap says of each rank', count(*) > 0 AND count(*) = (SELECT count(*) FROM ranks_kind_overlap) AND NOT EXISTS (
  SELECT run, kinds, time_ms, percent FROM kind_overlap EXCEPT SELECT run, kinds, time_ms, percent FROM ranks_kind_overlap) FROM kind_overlap;
SELECT 'ranks_launch_stats: what launch_stats says of each rank', count(*) > 0 AND count(*) = (SELECT count(*) FROM ranks_launch_stats) AND NOT EXISTS (
  SELECT run, launches, late, delay_ms FROM launch_stats EXCEPT SELECT run, launches, late, delay_ms FROM ranks_launch_stats) FROM launch_stats;
SELECT 'ranks_memory_bandwidth: what memory_bandwidth says of each rank', count(*) > 0 AND count(*) = (SELECT count(*) FROM ranks_memory_bandwidth) AND NOT EXISTS (
  SELECT run, kind, bytes, gbps_peak FROM memory_bandwidth EXCEPT SELECT run, kind, bytes, gbps_peak FROM ranks_memory_bandwidth) FROM memory_bandwidth;
SELECT 'ranks_step_bounds: what step_bounds says of each rank', count(*) > 0 AND count(*) = (SELECT count(*) FROM ranks_step_bounds) AND NOT EXISTS (
  SELECT run, step, works, starved_ms, verdict FROM step_bounds EXCEPT SELECT run, step, works, starved_ms, verdict FROM ranks_step_bounds) FROM step_bounds;
SELECT 'ranks_annotation_time: what annotation_time says of each rank', count(*) > 0 AND count(*) = (SELECT count(*) FROM ranks_annotation_time) AND NOT EXISTS (
  SELECT run, name, works, busy_ms, host_ms FROM annotation_time EXCEPT SELECT run, name, works, busy_ms, host_ms FROM ranks_annotation_time) FROM annotation_time;
SELECT 'ranks_queue_length: what queue_length says of each rank', count(*) > 0 AND count(*) = (SELECT count(*) FROM ranks_queue_length) AND NOT EXISTS (
  SELECT run, device, stream, length_mean, waiting_ms FROM queue_length EXCEPT SELECT run, device, stream, length_mean, waiting_ms FROM ranks_queue_length) FROM queue_length;
SELECT 'ranks_idle_by_stream: what idle_by_stream says of each rank', count(*) > 0 AND count(*) = (SELECT count(*) FROM ranks_idle_by_stream) AND NOT EXISTS (
  SELECT run, device, stream, cause, gaps, time_ms, percent FROM idle_by_stream EXCEPT SELECT run, device, stream, cause, gaps, time_ms, percent FROM ranks_idle_by_stream) FROM idle_by_stream;
SELECT 'ranks_launch_split: what launch_split says of each rank', count(*) > 0 AND count(*) = (SELECT count(*) FROM ranks_launch_split) AND NOT EXISTS (
  SELECT run, call, name, count, queue_ms, total_ms FROM launch_split EXCEPT SELECT run, call, name, count, queue_ms, total_ms FROM ranks_launch_split) FROM launch_split;
SELECT 'an option is set', tpq_set('gap_min_us', '0') = '0';
SELECT 'ranks_gpu_gaps: what gpu_gaps says of each rank', count(*) > 0 AND count(*) = (SELECT count(*) FROM ranks_gpu_gaps) AND NOT EXISTS (
  SELECT run, device, from_ms, gap_ms, cause FROM gpu_gaps EXCEPT SELECT run, device, from_ms, gap_ms, cause FROM ranks_gpu_gaps) FROM gpu_gaps;
SELECT 'an option is set', tpq_set('gap_min_us', NULL) IS NULL;
SELECT 'ranks_utilisation_map: parts hold what is busy', min(abs(busy_ms - (SELECT interval_union_ns(ts_ns, dur_ns) / 1000000.0 FROM gpu_event WHERE gpu_event.trace_id = map.trace_id)) < 1e-6)
FROM (SELECT run_rank.trace_id AS trace_id, sum(any_percent * (to_ms - from_ms)) / 100 AS busy_ms
      FROM ranks_utilisation_map AS map JOIN run_rank ON run_rank.run = map.run AND run_rank.label = map.rank GROUP BY run_rank.trace_id) AS map;
SELECT 'ranks_utilisation_map: kinds are parts of any', count(*) > 0 AND min(max(computation_percent, communication_percent, memory_percent) <= any_percent + 1e-9 AND any_percent <= 100 + 1e-9)
FROM ranks_utilisation_map;
SELECT 'kernel_pace: from start to start', min(abs(interval_mean_us * (count - 1) - (
    SELECT (max(ts_ns) - min(ts_ns)) / 1e3 FROM gpu_slice AS kernel
    WHERE kernel.trace_id = kernel_pace.trace_id AND kernel.name = kernel_pace.name)) < 1e-6)
  AND count(*) > 3 AND min(count) >= 3
FROM kernel_pace;
SELECT 'kernel_pace_instances: all runs of these', count(*) = (SELECT sum(count) FROM kernel_pace) AND max(number) = (SELECT max(count) FROM kernel_pace)
  AND sum(number = 1) = (SELECT count(*) FROM kernel_pace) AND min((number = 1) = (interval_us IS NULL)) AND min(abs(interval_us - delta_us - median) < 1e-6)
FROM (SELECT number, interval_us, delta_us, (SELECT interval_median_us FROM kernel_pace AS sums WHERE sums.trace_id = one.trace_id AND sums.name = one.name) AS median
      FROM kernel_pace_instances AS one);
SELECT 'kernel_pace_instances: joined start to start', min(abs(gap - interval_us) < 1e-3)
FROM (SELECT interval_us, (start_ms - lag(start_ms) OVER (PARTITION BY trace_id, name ORDER BY number)) * 1000 AS gap FROM kernel_pace_instances)
WHERE interval_us IS NOT NULL;

SELECT 'step_bounds: no path without the option', count(path_host_percent) = 0 AND count(*) > 1 FROM step_bounds;
SELECT 'an option is set', tpq_set('with_path', '1') = '1';
SELECT 'step_bounds: what the path of the step says', count(path_host_percent) = count(*) AND min(abs(path_host_percent + path_device_percent + path_comm_percent - (
    SELECT sum(percent) FROM critical_path_steps AS path
    WHERE path.trace_id = step_bounds.trace_id AND path.step = step_bounds.step AND bound_by IN ('cpu_bound', 'data_loading') + (bound_by LIKE 'gpu%'))) < 1e-6)
  AND min(path_host_percent < 50 OR verdict = CASE works WHEN 0 THEN 'no work' ELSE 'host' END OR path_host_percent - max(path_device_percent, path_comm_percent) < 15)
FROM step_bounds;
SELECT 'an option is set', tpq_set('with_path', NULL) IS NULL;

-- ------------------------------------------------------------------ time and ranges
SELECT 'utilisation_map: all work, once', max(abs(busy - expected)) < 1e-6 AND count(*) > 0
FROM (SELECT trace_id, device, sum(busy_ms) AS busy, count(*) AS parts, (
      SELECT interval_union_ns(ts_ns, dur_ns) / 1e6 FROM analysed_work AS work WHERE work.trace_id = map.trace_id AND work.device IS map.device) AS expected
      FROM utilisation_map AS map WHERE kind = 'any' GROUP BY trace_id, device);
SELECT 'utilisation_map: parts join', max(abs(before - from_ms)) = 0 AND count(*) = 30 * (SELECT count(DISTINCT trace_id) FROM gpu_event)
FROM (SELECT from_ms, lag(to_ms, 1, 0.0) OVER (PARTITION BY trace_id ORDER BY bin) AS before FROM utilisation_map WHERE kind = 'any');
SELECT 'annotation_time: every piece once', sum(works) = (SELECT count(*) FROM analysed_work) AND count(*) FILTER (WHERE name <> '(none)') > 0
FROM annotation_time;
SELECT 'annotation_time: innermost ranges of the call''s own thread', min(works = (
  SELECT count(*) FROM gpu_event WHERE gpu_event.trace_id = annotation_time.trace_id AND coalesce((
    SELECT mark.name FROM gpu_event AS work
    JOIN event AS call ON call.id = work.call_id
    JOIN track AS own ON own.id = call.track_id
    JOIN signpost AS mark ON mark.trace_id = work.trace_id AND mark.kind IN ('step', 'range')
    JOIN track ON track.id = mark.track_id AND track.process IS own.process AND track.thread IS own.thread
    WHERE work.id = gpu_event.id AND mark.ts_ns <= call.ts_ns AND mark.ts_ns + mark.dur_ns > call.ts_ns
    ORDER BY mark.ts_ns DESC, mark.id DESC LIMIT 1), '(none)') = annotation_time.name))
FROM annotation_time;
CREATE TEMP TABLE open_range AS
SELECT DISTINCT work.id AS id, mark.name AS name FROM gpu_event AS work
JOIN event AS call ON call.id = work.call_id
JOIN track AS own ON own.id = call.track_id
JOIN signpost AS mark ON mark.trace_id = work.trace_id AND mark.kind IN ('step', 'range') AND mark.ts_ns <= call.ts_ns AND mark.ts_ns + mark.dur_ns > call.ts_ns
JOIN track ON track.id = mark.track_id AND track.process IS own.process AND track.thread IS own.thread;
SELECT 'an option is set', tpq_set('inclusive', '1') = '1';
SELECT 'annotation_time inclusive: all ranges of the call''s own thread, each name once', min(works = (
  SELECT count(*) FROM gpu_event WHERE gpu_event.trace_id = annotation_time.trace_id AND CASE name WHEN '(none)' THEN NOT EXISTS (
    SELECT 1 FROM open_range WHERE open_range.id = gpu_event.id) ELSE EXISTS (
    SELECT 1 FROM open_range WHERE open_range.id = gpu_event.id AND open_range.name = annotation_time.name) END))
  AND sum(works) > (SELECT count(*) FROM analysed_work)
FROM annotation_time;
SELECT 'an option is set', tpq_set('inclusive', NULL) IS NULL;
SELECT 'marked_range: every range and point', count(*) = (SELECT count(*) FROM signpost WHERE kind IN ('step', 'range', 'point'))
  AND min(name = (SELECT signpost.name FROM signpost WHERE signpost.id = marked_range.id)) AND count(*) > 0
FROM marked_range;
SELECT 'range_nest: a path ends with the range, behind that of its parent', min(path IS coalesce((
    SELECT parent.path FROM range_nest AS parent WHERE parent.id = nest.parent_id), '') || ':' || nest.id AND parent_number IS parent_id) AND count(*) > 0
FROM range_nest AS nest;
SELECT 'range_projection: ranges with work, in the order of their places', count(*) > 0 AND min(work_start_ns >= before) AND min(pieces = (
    SELECT count(*) FROM range_call JOIN gpu_event ON gpu_event.call_id = range_call.call_id WHERE range_call.range_id = listed.id))
FROM (SELECT id, work_start_ns, pieces, lag(work_start_ns, 1, work_start_ns) OVER (PARTITION BY run ORDER BY place) AS before FROM range_projection) AS listed;
SELECT 'range_nest: in the order of starts', group_concat(id) = (SELECT group_concat(id) FROM (SELECT id FROM range_nest ORDER BY run || '', start_ns, dur_ns, id))
FROM (SELECT id FROM range_nest ORDER BY run, start_ns, dur_ns, id);
SELECT 'nsys_range_summary: shares of the run and the style', count(*) > 0 AND min(run_ns = (SELECT sum(dur_ns) FROM marked_range AS range WHERE range.run = sums.run AND style <> 'Point'))
  AND min(style_ns = (SELECT sum(dur_ns) FROM marked_range AS range WHERE range.run = sums.run AND range.style = sums.style))
FROM nsys_range_summary AS sums;
SELECT 'nsys_gpu_gaps: none by itself is so long', count(*) = 0 FROM nsys_gpu_gaps;
SELECT 'an option is set', tpq_set('gpu_gap_us', '0') = '0';
SELECT 'nsys_gpu_gaps: no GPU activity in a gap', count(*) > 0 AND min(NOT EXISTS (SELECT 1 FROM nsys_work AS work
    WHERE work.run = gaps.run AND work.device = gaps.device_id AND work.start_ns < gaps.start + gaps.duration AND work.start_ns + work.dur_ns > gaps.start))
FROM nsys_gpu_gaps AS gaps;
SELECT 'an option is set', tpq_set('gpu_gap_us', NULL) IS NULL;
SELECT 'an option is set', tpq_set('gpu_use_percent', '101') = '101';
SELECT 'nsys_gpu_time_util: all of the time of a device', count(*) > 0 AND sum(duration) = (SELECT sum(whole) FROM (
    SELECT max(start_ns + dur_ns) - min(start_ns) AS whole FROM nsys_work WHERE device IS NOT NULL GROUP BY trace_id, device))
  AND abs(sum(in_use * duration / 100) - (SELECT sum(busy) FROM (SELECT interval_union_ns(start_ns, dur_ns) AS busy FROM nsys_work WHERE device IS NOT NULL GROUP BY trace_id, device))) < 1
FROM nsys_gpu_time_util;
SELECT 'an option is set', tpq_set('gpu_use_percent', NULL) IS NULL;
SELECT 'nsys_execution: every kernel that has a call', count(*) > 0 AND count(*) = (
    SELECT count(*) FROM scope JOIN gpu_event AS work ON work.id BETWEEN first_event AND last_event JOIN event AS call ON call.id = work.call_id
    WHERE work.category_id = (SELECT id FROM category WHERE name = 'kernel'))
  AND min(queue_ns IS NULL OR total_ns = call_ns + queue_ns + kernel_ns)
FROM nsys_execution;
SELECT 'nvtx_kern_sum: each kernel in every range that its call is in', count(*) > 0 AND min(kern_inst = (
    SELECT count(*) FROM range_call JOIN marked_range AS range ON range.id = range_call.range_id
    JOIN gpu_event ON gpu_event.call_id = range_call.call_id JOIN string ON string.id = gpu_event.name_id
    WHERE range.run = sums.run AND range.name = sums.nvtx_range AND range.tid = sums.tid AND string.text = sums.kernel_name)) AND min(nvtx_inst <= kern_inst)
FROM nvtx_kern_sum AS sums WHERE nvtx_range LIKE '%1';
SELECT 'cuda_kern_exec_sum: figures of kernels and their calls', count(*) > 0 AND min((count, q_count, t_most, k_most, a_avg) IS (
    SELECT count(*), count(queue_ns), max(total_ns), max(kernel_ns), avg(call_ns) FROM nsys_execution AS one
    JOIN string AS kernel ON kernel.id = one.name_id JOIN string AS call ON call.id = one.call_name_id
    WHERE one.run = sums.run AND one.pid IS sums.pid AND one.tid IS sums.tid AND one.device IS sums.dev_id AND call.text = sums.api_name AND kernel.text = sums.kernel_name))
  AND sum(count) = (SELECT count(*) FROM nsys_execution)
FROM cuda_kern_exec_sum AS sums;
SELECT 'nvtx_gpu_proj_sum: ranges by text and style', count(*) > 0 AND min((total_proj_time, total_range_time, total_gpu_ops, round(avg_range_lvl, 6)) IS (
    SELECT sum(work_ns), sum(dur_ns), sum(pieces), round(avg(level), 6) FROM range_projection AS range
    WHERE range.run = sums.run AND range.style = sums.style AND range.name = sums.range))
FROM nvtx_gpu_proj_sum AS sums;
SELECT 'lists of nsys come by start, then as events stand', (SELECT count(*) > 3 AND min(start >= before) FROM (SELECT start, lag(start, 1, start) OVER (PARTITION BY run ROWS UNBOUNDED PRECEDING) AS before FROM cuda_gpu_trace))
  AND (SELECT count(*) > 3 AND min(start >= before) FROM (SELECT start, lag(start, 1, start) OVER (PARTITION BY run ROWS UNBOUNDED PRECEDING) AS before FROM cuda_api_trace))
  AND (SELECT count(*) > 3 AND min(api_start >= before) FROM (SELECT api_start, lag(api_start, 1, api_start) OVER (PARTITION BY run ROWS UNBOUNDED PRECEDING) AS before FROM cuda_kern_exec_trace))
  AND (SELECT count(*) > 3 AND min(duration_us <= before) FROM (SELECT duration_us, lag(duration_us, 1, duration_us) OVER (PARTITION BY run, trace_id ROWS UNBOUNDED PRECEDING) AS before FROM rocprof_kernel_details));
SELECT 'nvtx_kern_sum: the others in no range', sum(kern_inst) = (
    SELECT count(*) FROM gpu_event JOIN category ON category.id = gpu_event.category_id
    WHERE category.name = 'kernel' AND (call_id IS NULL OR call_id NOT IN (SELECT call_id FROM range_call)))
FROM nvtx_kern_sum WHERE nvtx_range IS NULL;
SELECT 'step_bounds: work of a step', min(works = (
    SELECT count(*) FROM gpu_event JOIN event AS call ON call.id = gpu_event.call_id
    JOIN signpost ON signpost.trace_id = gpu_event.trace_id AND signpost.kind = 'step' AND signpost.step = step_bounds.step
    WHERE gpu_event.trace_id = step_bounds.trace_id AND call.ts_ns >= signpost.ts_ns AND call.ts_ns < signpost.ts_ns + signpost.dur_ns)
  AND abs(busy_ms + idle_ms - host_ms) < 1e-9 AND starved_ms <= idle_ms AND verdict IN ('device', 'host', 'mixed'))
  AND count(*) = (SELECT count(*) FROM signpost WHERE kind = 'step')
FROM step_bounds;

-- ------------------------------------------------------------------ critical path
SELECT 'the graph holds what it promises', min(holds) AND count(*) = (SELECT count(*) FROM trace) FROM critical_path_graph;
SELECT 'the path has no hole', min(before IS NULL OR before = from_ms)
FROM (SELECT from_ms, lag(to_ms) OVER (PARTITION BY trace_id ORDER BY from_ms, to_ms) AS before FROM critical_path WHERE time_us >= 0);
SELECT 'what lies before a moment and what lies behind it are the path', (SELECT sum(time_ns) FROM path_kind WHERE before_ns = middle)
  + (SELECT sum(time_ns) FROM path_kind WHERE after_ns = middle) = (SELECT sum(time_ns) FROM path_kind)
  AND (SELECT min(after_ns = middle) AND sum(time_ns) > 0 FROM path_kind WHERE after_ns = middle)
  AND (SELECT count(*) FROM path_kind WHERE after_ns = NULL) = 0
FROM (SELECT (min(to_ns) + max(to_ns)) / 2 AS middle FROM path_segment);
SELECT 'the path is all of the time', min(abs(makespan_ms - (SELECT sum(time_ms) FROM critical_path_sum AS path WHERE path.trace_id = graph.trace_id)) < 1e-6)
FROM critical_path_graph AS graph;
SELECT 'its parts by step are all of it', max(abs(whole - parts)) < 1e-6 AND count(*) > 0
FROM (SELECT trace_id, sum(time_ms) AS parts, (SELECT sum(time_ms) FROM critical_path_sum AS path WHERE path.trace_id = steps.trace_id) AS whole
      FROM critical_path_steps AS steps GROUP BY trace_id);
SELECT 'every piece of work has slack, and none on the path', count(*) = (SELECT count(*) FROM analysed_work) AND min(slack_us) = 0
  AND max(slack_us) FILTER (WHERE on_path) = 0 AND sum(on_path) = (SELECT count(DISTINCT trace_id || ' ' || uid) FROM critical_path WHERE kind IN ('computation', 'communication', 'copy'))
FROM critical_path_slack;
SELECT 'what is an op belongs to itself, and a call to an op above it', count(*) > 10
  AND min(kind <> 'host op' OR op = name) AND count(op) FILTER (WHERE kind = 'runtime call') > 0
FROM critical_path WHERE kind IN ('host op', 'runtime call');

-- ------------------------------------------------------------------ predictions
SELECT 'nothing changes when nothing is faster', sum(saved_ns) = 0 AND sum(switches) = 0 AND count(*) = (SELECT count(*) FROM trace) AND min(note IS NULL)
FROM what_if_trace('identity');
SELECT 'what is saved is not more than what the path loses', min(saved_ns BETWEEN 0 AND on_path_ns) AND count(*) >= 8 * (SELECT count(*) FROM trace) FROM what_if_trace;
SELECT 'work that is selected in two ways is the same', count(DISTINCT new_ns) = 1 AND count(*) = 3
FROM what_if_trace('all x0.5; class=computation x0.5, class=communication x0.5, class=memory x0.5; kernel~. x0.5')
WHERE trace_id = (SELECT min(id) FROM trace);
SELECT 'a name that is not there changes nothing, and a note says so', sum(saved_ns) = 0 AND min(note = 'nothing is called so')
FROM what_if_trace('kernel=nix x0; op=nix+host x0; category=nix x0; module=nix x0; device=99 x0; rank=99 x0');
SELECT 'ops are what is below them', saved_ns <= on_path_ns AND on_path_ns > 0
FROM what_if_trace('op~.+host x0') WHERE trace_id = (SELECT min(id) FROM trace);
SELECT 'an option is set', tpq_set('what_if', 'host x0; wait x0') = 'host x0; wait x0';
SELECT 'the report has what is asked for', group_concat(DISTINCT scenario) = 'host x0,wait x0' FROM what_if;
SELECT 'an option is set', tpq_set('what_if', NULL) IS NULL;
