-- Peak memory in use by device, from the records of the allocator. They belong to the whole trace,
-- also where a part is selected.
-- set: pytorch
-- question: memory
-- words: oom, out of memory, footprint
-- position: 240
-- key: device_type, device
-- when: never
-- drop-empty: device
-- terminal: device_type, device, peak_allocated_bytes, peak_at_ms, peak_op, peak_outer_op, peak_reserved_bytes, end_allocated_bytes, reserved_at_ms, end_reserved_bytes, allocations, frees, allocated_sum_bytes, largest_bytes
-- empty: no_memory
CREATE VIEW memory_peak AS
WITH RECURSIVE
-- without the names of runs, as all records are sorted
peak AS MATERIALIZED (
  SELECT use.run AS run, use.trace_id AS trace_id, use.device_type AS device_type, use.device AS device,
    use.allocated_most AS allocated_most, use.allocated_last AS allocated_last, use.reserved_most AS reserved_most, use.reserved_ns AS reserved_ns,
    use.reserved_last AS reserved_last, use.allocations AS allocations, use.frees AS frees, use.allocated_bytes AS bytes_in, use.most_bytes AS bytes_most,
    use.peak_ns AS peak_ns, track.first_event AS first_event, track.last_event AS last_event,
    row_number() OVER (ORDER BY use.trace_id, use.device_type, use.device) AS number
  FROM memory_use AS use
  LEFT JOIN track ON track.id = use.peak_track_id
),
search (number, peak_ns, low, high) AS (
  -- the last id of the track that starts by then; GPU activities stands where its call does
  SELECT number, peak_ns, first_event, last_event FROM peak WHERE first_event <= last_event
  UNION ALL
  SELECT search.number, search.peak_ns,
    CASE WHEN coalesce(call.ts_ns, probe.ts_ns) <= search.peak_ns THEN probe.id ELSE search.low END,
    CASE WHEN coalesce(call.ts_ns, probe.ts_ns) <= search.peak_ns THEN search.high ELSE probe.id - 1 END
  FROM search
  JOIN event AS probe ON probe.id = (search.low + search.high + 1) / 2
  LEFT JOIN gpu_event ON gpu_event.id = probe.id
  LEFT JOIN event AS call ON call.id = gpu_event.call_id
  WHERE search.low < search.high
),
above AS (
  SELECT number, peak_ns, low AS id FROM search WHERE low = high
  UNION ALL
  SELECT search.number, search.peak_ns, ancestors.id FROM search, ancestors(search.low) WHERE search.low = search.high
),
running AS MATERIALIZED (
  SELECT above.number AS number, max(above.id) AS inner_id, min(above.id) AS outer_id
  FROM above
  JOIN event ON event.id = above.id
  JOIN category ON category.id = event.category_id
  WHERE category.role = 'op' AND event.ts_ns <= above.peak_ns AND event.ts_ns + event.dur_ns >= above.peak_ns
  GROUP BY above.number
)
SELECT
  peak.run AS run, -- [text] name of the run
  peak.trace_id AS trace_id, -- [integer] id of the trace
  CASE device_type WHEN 0 THEN 'CPU' WHEN 1 THEN 'GPU' WHEN 6 THEN 'GPU (HIP)' ELSE 'type ' || device_type END AS device_type, -- [text] type of the device
  device AS device, -- [integer] number of the device
  allocated_most AS peak_allocated_bytes, -- [bytes] (lower) peak memory in use
  peak_ns / 1000000.0 AS peak_at_ms, -- [ms] time of the peak in use, from the start of the trace
  inner_name.text AS peak_op, -- [text] innermost op at the peak, on the thread that allocated
  outer_name.text AS peak_outer_op, -- [text] outermost op at the peak, on the thread that allocated
  reserved_most AS peak_reserved_bytes, -- [bytes] (lower) peak memory reserved by the allocator
  reserved_ns / 1000000.0 AS reserved_at_ms, -- [ms] time of the reserved peak, from the start of the trace
  allocated_last AS end_allocated_bytes, -- [bytes] memory in use at the end
  reserved_last AS end_reserved_bytes, -- [bytes] memory reserved by the allocator at the end
  allocations AS allocations, -- [integer] number of allocated blocks
  frees AS frees, -- [integer] number of freed blocks
  bytes_in AS allocated_sum_bytes, -- [bytes] total bytes of the allocated blocks
  bytes_most AS largest_bytes -- [bytes] size of the largest allocated block
FROM peak
LEFT JOIN running ON running.number = peak.number
LEFT JOIN event AS inner_op ON inner_op.id = running.inner_id
LEFT JOIN string AS inner_name ON inner_name.id = inner_op.name_id
LEFT JOIN event AS outer_op ON outer_op.id = running.outer_id
LEFT JOIN string AS outer_name ON outer_name.id = outer_op.name_id
ORDER BY peak.run, peak.trace_id, peak.device_type DESC, peak.device;
