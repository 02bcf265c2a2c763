-- How much memory was in use at most, and when, by device, from the records of the allocator.
-- They belong to the whole trace, whatever part of it is selected.
-- set: pytorch
-- position: 240
-- key: device_type, device
-- when: never
-- drop-empty: device
-- terminal: device_type, device, peak_allocated_bytes, peak_at_ms, peak_op, peak_outer_op, peak_reserved_bytes, end_allocated_bytes, reserved_at_ms, end_reserved_bytes, allocations, frees, allocated_sum_bytes, largest_bytes
-- empty: lacks_memory
CREATE VIEW memory_peak AS
WITH RECURSIVE
-- without the names of runs, as all records are sorted
by_trace AS MATERIALIZED (
  SELECT trace_id, device_type, device, max(total_allocated) AS allocated_most, max(total_reserved) AS reserved_most, max(ts_ns) AS last_ns,
    count(*) FILTER (WHERE bytes > 0) AS allocations, count(*) FILTER (WHERE bytes < 0) AS frees,
    sum(bytes) FILTER (WHERE bytes > 0) AS bytes_in, max(bytes) AS bytes_most
  FROM memory_event
  WHERE trace_id IN (SELECT scope.trace_id FROM scope)
  GROUP BY trace_id, device_type, device
),
grouped AS MATERIALIZED (
  SELECT chosen.run AS run, chosen.trace_id AS trace_id, device_type, device, allocated_most, reserved_most, last_ns, allocations, frees, bytes_in, bytes_most
  FROM (SELECT DISTINCT run, trace_id FROM scope) AS chosen
  JOIN by_trace ON by_trace.trace_id = chosen.trace_id
),
-- the first time of the most, and the most at the last time: whatever the order of the file
moment AS MATERIALIZED (
  SELECT grouped.run AS run, grouped.trace_id AS trace_id, grouped.device_type AS device_type, grouped.device AS device,
    min(record.ts_ns) FILTER (WHERE record.total_allocated = grouped.allocated_most) AS peak_ns,
    min(record.ts_ns) FILTER (WHERE record.total_reserved = grouped.reserved_most) AS reserved_ns,
    max(record.total_allocated) FILTER (WHERE record.ts_ns = grouped.last_ns) AS allocated_last,
    max(record.total_reserved) FILTER (WHERE record.ts_ns = grouped.last_ns) AS reserved_last
  -- records are many, devices few
  FROM memory_event AS record
  CROSS JOIN grouped ON grouped.trace_id = record.trace_id AND grouped.device_type IS record.device_type AND grouped.device IS record.device
  WHERE record.trace_id IN (SELECT scope.trace_id FROM scope)
    AND (record.total_allocated = grouped.allocated_most OR record.total_reserved = grouped.reserved_most OR record.ts_ns = grouped.last_ns)
  GROUP BY grouped.run, grouped.trace_id, grouped.device_type, grouped.device
),
at_peak AS (
  SELECT moment.run AS run, moment.trace_id AS trace_id, moment.device_type AS device_type, moment.device AS device, record.track_id AS track_id,
    row_number() OVER (PARTITION BY moment.run, moment.trace_id, moment.device_type, moment.device ORDER BY track.process, track.thread) AS place
  FROM moment
  JOIN grouped ON grouped.run = moment.run AND grouped.trace_id = moment.trace_id
    AND grouped.device_type IS moment.device_type AND grouped.device IS moment.device
  CROSS JOIN memory_event AS record ON record.trace_id = moment.trace_id AND record.ts_ns = moment.peak_ns
    AND record.device_type IS moment.device_type AND record.device IS moment.device AND record.total_allocated = grouped.allocated_most
  JOIN track ON track.id = record.track_id
),
peak AS MATERIALIZED (
  SELECT grouped.run AS run, grouped.trace_id AS trace_id, grouped.device_type AS device_type, grouped.device AS device,
    allocated_most, allocated_last, reserved_most, reserved_ns, reserved_last, allocations, frees, bytes_in, bytes_most,
    peak_ns, track.first_event AS first_event, track.last_event AS last_event,
    row_number() OVER (ORDER BY grouped.trace_id, grouped.device_type, grouped.device) AS number
  FROM grouped
  JOIN moment ON moment.run = grouped.run AND moment.trace_id = grouped.trace_id
    AND moment.device_type IS grouped.device_type AND moment.device IS grouped.device
  LEFT JOIN at_peak ON at_peak.run = grouped.run AND at_peak.trace_id = grouped.trace_id
    AND at_peak.device_type IS grouped.device_type AND at_peak.device IS grouped.device AND at_peak.place = 1
  LEFT JOIN track ON track.id = at_peak.track_id
),
search (number, peak_ns, low, high) AS (
  -- the last id of the track that starts by then; accelerator work stands where its call does
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
  peak.run AS run, -- [text] run
  peak.trace_id AS trace_id, -- [integer] trace
  CASE device_type WHEN 0 THEN 'CPU' WHEN 1 THEN 'GPU' WHEN 6 THEN 'GPU (HIP)' ELSE 'type ' || device_type END AS device_type, -- [text] kind of device
  device AS device, -- [integer] number of the device
  allocated_most AS peak_allocated_bytes, -- [bytes] (lower) most memory in use
  peak_ns / 1000000.0 AS peak_at_ms, -- [ms] when, from the start of the trace
  inner_name.text AS peak_op, -- [text] innermost op that ran then on the thread that allocated
  outer_name.text AS peak_outer_op, -- [text] outermost op that ran then
  reserved_most AS peak_reserved_bytes, -- [bytes] (lower) most memory held by the allocator
  reserved_ns / 1000000.0 AS reserved_at_ms, -- [ms] when
  allocated_last AS end_allocated_bytes, -- [bytes] memory in use at the end
  reserved_last AS end_reserved_bytes, -- [bytes] memory held at the end
  allocations AS allocations, -- [integer] blocks that were allocated
  frees AS frees, -- [integer] blocks that were freed
  bytes_in AS allocated_sum_bytes, -- [bytes] sum of the allocated blocks
  bytes_most AS largest_bytes -- [bytes] largest of them
FROM peak
LEFT JOIN running ON running.number = peak.number
LEFT JOIN event AS inner_op ON inner_op.id = running.inner_id
LEFT JOIN string AS inner_name ON inner_name.id = inner_op.name_id
LEFT JOIN event AS outer_op ON outer_op.id = running.outer_id
LEFT JOIN string AS outer_name ON outer_name.id = outer_op.name_id
ORDER BY peak.run, peak.trace_id, peak.device_type DESC, peak.device;
