-- Memory in use over time by device. The time from the first to the last record of the allocator is
-- split into up to 1000 equal parts, each with its peak.
-- set: pytorch
-- question: memory
-- position: 250
-- key: device_type, device
-- within: time_ms
-- when: never
-- drop-empty: device
-- chart: line time_ms allocated_bytes reserved_bytes
-- empty: no_memory
CREATE VIEW memory_curve AS
WITH RECURSIVE record AS (
  SELECT chosen.run AS run, chosen.trace_id AS trace_id, coalesce(memory_event.device_type, -1) AS device_type,
    coalesce(memory_event.device, -1) AS device, memory_event.ts_ns AS ts_ns,
    memory_event.total_allocated AS allocated, memory_event.total_reserved AS reserved
  FROM (SELECT DISTINCT run, trace_id FROM scope) AS chosen
  CROSS JOIN memory_event ON memory_event.trace_id = chosen.trace_id
),
spans AS MATERIALIZED (
  SELECT run, trace_id, coalesce(device_type, -1) AS device_type, coalesce(device, -1) AS device, first_ns, last_ns - first_ns + 1 AS span_ns, min(records, 1000) AS parts,
    row_number() OVER (ORDER BY run, trace_id, coalesce(device_type, -1), coalesce(device, -1)) AS number
  FROM memory_use
),
counted (part) AS (SELECT 0 UNION ALL SELECT part + 1 FROM counted WHERE part + 1 < (SELECT max(parts) FROM spans)),
parted AS MATERIALIZED (
  -- one number says device and part: it is sorted faster than many columns
  SELECT spans.number * 1000 + CAST((record.ts_ns - spans.first_ns) * 1.0 * spans.parts / spans.span_ns AS INTEGER) AS place,
    max(record.allocated) AS allocated, max(record.reserved) AS reserved,
    value_at_least(record.allocated, -record.ts_ns) AS allocated_last, value_at_least(record.reserved, -record.ts_ns) AS reserved_last
  FROM (
    -- of several at one time the most
    SELECT run, trace_id, device_type, device, ts_ns, max(allocated) AS allocated, max(reserved) AS reserved
    FROM record
    GROUP BY run, trace_id, device_type, device, ts_ns
  ) AS record
  JOIN spans ON spans.run = record.run AND spans.trace_id = record.trace_id
    AND spans.device_type = record.device_type AND spans.device = record.device
  GROUP BY 1
),
filled AS (
  SELECT spans.run AS run, spans.trace_id AS trace_id, spans.device_type AS device_type, spans.device AS device,
    counted.part AS part, spans.first_ns + counted.part * 1.0 * spans.span_ns / spans.parts AS ts_ns,
    parted.allocated AS allocated, parted.reserved AS reserved, parted.allocated_last AS allocated_last, parted.reserved_last AS reserved_last,
    count(parted.place) OVER (PARTITION BY spans.run, spans.trace_id, spans.device_type, spans.device ORDER BY counted.part ROWS UNBOUNDED PRECEDING) AS known
  FROM spans
  JOIN counted ON counted.part < spans.parts
  LEFT JOIN parted ON parted.place = spans.number * 1000 + counted.part
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  CASE device_type WHEN 0 THEN 'CPU' WHEN 1 THEN 'GPU' WHEN 6 THEN 'GPU (HIP)' WHEN -1 THEN NULL ELSE 'type ' || device_type END AS device_type, -- [text] type of the device
  nullif(device, -1) AS device, -- [integer] number of the device
  ts_ns / 1000000.0 AS time_ms, -- "time ms" [ms] start of the part, from the start of the trace
  coalesce(allocated, max(allocated_last) OVER (PARTITION BY run, trace_id, device_type, device, known)) AS allocated_bytes, -- [bytes] (lower) peak memory in use within the part
  coalesce(reserved, max(reserved_last) OVER (PARTITION BY run, trace_id, device_type, device, known)) AS reserved_bytes -- [bytes] peak memory reserved by the allocator within the part
FROM filled
ORDER BY run, trace_id, filled.device_type DESC, filled.device, part;
