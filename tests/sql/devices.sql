-- Reports about memory, kernels and devices.

-- ------------------------------------------------------------------ memory: each layer allocates 128 KiB forward, and frees it backward
SELECT 'memory_peak: all layers of a step', peak_allocated_bytes = 4 * 131072 AND peak_reserved_bytes = 67108864
  AND end_allocated_bytes = 0 AND end_reserved_bytes = 67108864 AND allocations = 8 AND frees = 8
  AND allocated_sum_bytes = 8 * 131072 AND largest_bytes = 131072 AND device_type = 'GPU' AND device = 0
FROM memory_peak WHERE run = 'rank0';
SELECT 'memory_peak: one row a device', count(*) = 3 AND sum(peak_allocated_bytes) = (4 + 3 + 4) * 131072 FROM memory_peak;
SELECT 'memory_peak: when, and in which op', abs(peak_at_ms * 1e6 - (
    SELECT min(ts_ns) FROM memory_event WHERE memory_event.trace_id = memory_peak.trace_id AND total_allocated = peak_allocated_bytes)) < 0.1
  AND peak_op = 'aten::linear' AND peak_outer_op = 'aten::linear'
FROM memory_peak;
SELECT 'memory_use: what the records add up to', count(*) = 3 AND min((records, first_ns, last_ns, allocated_most, reserved_most, allocations, frees, allocated_bytes, most_bytes) = (
    SELECT count(*), min(ts_ns), max(ts_ns), max(total_allocated), max(total_reserved), count(*) FILTER (WHERE bytes > 0), count(*) FILTER (WHERE bytes < 0),
      sum(bytes) FILTER (WHERE bytes > 0), max(bytes) FROM memory_event
    WHERE memory_event.trace_id = memory_use.trace_id AND memory_event.device_type = memory_use.device_type AND memory_event.device = memory_use.device)) = 1
FROM memory_use;
SELECT 'memory_use: at the end', count(*) = 3 AND min((allocated_last, reserved_last) = (
    SELECT max(total_allocated), max(total_reserved) FROM memory_event WHERE memory_event.trace_id = memory_use.trace_id AND ts_ns = last_ns)) = 1
FROM memory_use;
SELECT 'memory_curve: as many parts as records, at most', count(*) = 16 FROM memory_curve WHERE run = 'rank0';
SELECT 'memory_curve: reaches the peak', max(allocated_bytes) = 524288 AND min(reserved_bytes) = 67108864
FROM memory_curve WHERE run = 'rank0';
SELECT 'memory_curve: the most of each part, or what was left before it', min(allocated_bytes = coalesce((
    SELECT max(total_allocated) FROM memory_event WHERE memory_event.trace_id = curve.trace_id
    AND ts_ns >= time_ms * 1e6 AND ts_ns < next_ms * 1e6), (
    SELECT total_allocated FROM memory_event WHERE memory_event.trace_id = curve.trace_id
    AND ts_ns < time_ms * 1e6 ORDER BY ts_ns DESC LIMIT 1)))
FROM (SELECT trace_id, time_ms, allocated_bytes, lead(time_ms, 1, 1e9) OVER (PARTITION BY trace_id ORDER BY time_ms) AS next_ms FROM memory_curve) AS curve;

-- ------------------------------------------------------------------ kernel_shape
SELECT 'kernel_shape: a kernel with a shape', launches = 24 AND grid = '[64,2,1]' AND block = '[128,1,1]' AND shapes = 1
  AND registers_per_thread = 32 AND shared_memory_bytes = 4096 AND occupancy_mean = 84 AND warps_per_sm = 9 AND blocks_per_sm = 1.5
FROM kernel_shape WHERE run = 'rank0' AND kernel_name = 'ampere_sgemm_128x64_tn';
SELECT 'kernel_shape: one without', launches = 1 AND grid IS NULL AND occupancy_mean IS NULL AND blocks_per_sm IS NULL
FROM kernel_shape WHERE kernel_name = 'warm_up_kernel';
SELECT 'kernel_shape: every kernel', sum(launches) = (SELECT count(*) FROM kernel_work WHERE kernel_work.run = kernel_shape.run)
  AND abs(sum(percent) - 100) < 1e-6 FROM kernel_shape GROUP BY run;

-- ------------------------------------------------------------------ unlinked_kernels
SELECT 'unlinked_kernels: the one that ran before', count(*) = 3
  AND min(name = 'warm_up_kernel' AND category = 'kernel' AND count = 1 AND time_us = 7 AND mean_us = 7 AND first_ms = 0)
FROM unlinked_kernels;
SELECT 'unlinked_kernels: their share', abs(percent_of_gpu_time - 7000 * 100.0 / (SELECT sum(dur_ns) FROM gpu_event WHERE trace_id = 3)) < 1e-9
FROM unlinked_kernels WHERE run = 'frameless';

-- ------------------------------------------------------------------ report_check: the one that ran before is in no launcher
SELECT 'report_check: times', count(*) = 6 AND min(is_whole) AND min(found) > 0 FROM report_check WHERE subject GLOB 'time of *';
SELECT 'report_check: GPU events', count(*) = 3 AND min(expected - found) = 1 AND max(expected - found) = 1 AND max(is_whole) = 0
FROM report_check WHERE subject GLOB 'GPU events *';
SELECT 'report_check: without collectives', expected = count(*) FROM report_check
JOIN gpu_slice ON gpu_slice.trace_id = report_check.trace_id AND NOT gpu_slice.name GLOB '*nccl*'
WHERE subject GLOB 'GPU events *' GROUP BY report_check.trace_id;

-- ------------------------------------------------------------------ timelines
SELECT 'a timeline of the only device is that of the trace', count(*) = 3 * 8 AND count(*) = (
  SELECT count(*) FROM gpu_timeline JOIN gpu_timeline_per_device AS one USING (run, type, time_ms, percent)
  WHERE one.device = 0)
FROM gpu_timeline_per_device;
SELECT 'nothing was asked about recomputing: one part', count(*) = 9 AND count(DISTINCT part) = 2
  AND sum(CASE type WHEN 'busy_time' THEN time_ms WHEN 'idle_time' THEN time_ms WHEN 'total_time' THEN -time_ms ELSE 0 END) BETWEEN -1e-9 AND 1e-9
  AND max(CASE type WHEN 'busy_together_time' THEN time_ms END) = 0
FROM gpu_timeline_recompute_share WHERE run = 'rank1';

-- ------------------------------------------------------------------ kernel_short_names
SELECT 'kernel_short_names: every kernel', sum(launches) = (SELECT count(*) FROM kernel_work WHERE kernel_work.run = names.run)
  AND abs(sum(time_ms) - (SELECT sum(dur_ns) / 1e6 FROM kernel_work WHERE kernel_work.run = names.run)) < 1e-6 AND abs(sum(percent) - 100) < 1e-6
FROM kernel_short_names AS names GROUP BY run;
SELECT 'kernel_short_names: without arguments', launches >= kernels AND kernels >= 1 AND short_name NOT LIKE '%(%' AND short_name NOT LIKE '%<%'
FROM kernel_short_names;
