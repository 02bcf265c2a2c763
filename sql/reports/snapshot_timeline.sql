-- Memory of a snapshot over its events: parts of equal numbers of events (--snapshot-parts, 100), each
-- with its peaks.
-- set: snapshot
-- question: memory
-- position: 262
-- key: device, part
-- when: never
-- no-sum: yes
-- chart: line first_event allocated_bytes reserved_bytes
-- empty: no_snapshot
CREATE VIEW snapshot_timeline AS
WITH chosen AS MATERIALIZED (
  SELECT run, trace_id, device, first_ns, initial_reserved_bytes, last_at + 1 AS events, min(last_at + 1, CAST((SELECT tpq_option('snapshot-parts')) AS INTEGER)) AS parts
  FROM snapshot_device
  WHERE last_at >= 0
),
curve AS MATERIALIZED (
  SELECT run, trace_id, device, (
      SELECT '[' || peak_parts(held, first, requested, events, parts) || ',' || peak_parts(held, first, completed, events, parts) || ','
        || peak_parts(reserved, first, NULL, events, parts) || ',' || peak_parts(reserved - held, first, completed, events, parts) || ']'
      FROM (
        SELECT alloc AS first, free_requested AS requested, free_completed AS completed, bytes AS held, 0 AS reserved
        FROM memory_allocation
        WHERE memory_allocation.trace_id = chosen.trace_id AND memory_allocation.device = chosen.device
        UNION ALL
        SELECT number, NULL, NULL, 0, CASE WHEN action IN ('segment_alloc', 'segment_map') THEN bytes ELSE -bytes END
        FROM snapshot_event
        WHERE snapshot_event.trace_id = chosen.trace_id AND snapshot_event.device = chosen.device AND action IN ('segment_alloc', 'segment_map', 'segment_free', 'segment_unmap')
        UNION ALL
        SELECT -1, NULL, NULL, 0, chosen.initial_reserved_bytes
      )
    ) AS peaks
  FROM chosen
),
start AS MATERIALIZED (
  SELECT chosen.run AS run, chosen.trace_id AS trace_id, chosen.device AS device, chosen.first_ns AS first_ns, part.key AS part, part.key * events / parts AS number,
    max(part.value) FILTER (WHERE lane.key = 0) AS allocated, max(part.value) FILTER (WHERE lane.key = 1) AS active,
    max(part.value) FILTER (WHERE lane.key = 2) AS reserved, max(part.value) FILTER (WHERE lane.key = 3) AS unused
  FROM chosen
  JOIN curve ON curve.run = chosen.run AND curve.trace_id = chosen.trace_id AND curve.device = chosen.device
  CROSS JOIN json_each(peaks) AS lane
  CROSS JOIN json_each(lane.value) AS part
  GROUP BY chosen.run, chosen.trace_id, chosen.device, part.key
),
started AS MATERIALIZED (
  SELECT trace_id, device, alloc AS number, alloc_ns AS ts_ns FROM memory_allocation WHERE trace_id IN (SELECT trace_id FROM chosen) AND alloc IN (SELECT number FROM start)
  UNION ALL
  SELECT trace_id, device, free_requested, free_requested_ns FROM memory_allocation WHERE trace_id IN (SELECT trace_id FROM chosen) AND free_requested IN (SELECT number FROM start)
  UNION ALL
  SELECT trace_id, device, free_completed, free_completed_ns FROM memory_allocation WHERE trace_id IN (SELECT trace_id FROM chosen) AND free_completed IN (SELECT number FROM start)
  UNION ALL
  SELECT trace_id, device, number, ts_ns FROM snapshot_event WHERE trace_id IN (SELECT trace_id FROM chosen) AND number IN (SELECT number FROM start)
)
SELECT
  run AS run, -- [text] name of the run
  start.trace_id AS trace_id, -- [integer] id of the trace
  start.device AS device, -- [integer] number of the device
  part AS part, -- [integer] number of the part, from 0
  start.number AS first_event, -- [integer] number of the first event of the part
  (max(started.ts_ns) - first_ns) / 1000000.0 AS time_ms, -- [ms] time of the first event of the part, from the first event
  allocated AS allocated_bytes, -- [bytes] peak of the allocated bytes
  active AS active_bytes, -- [bytes] peak of the active bytes
  reserved AS reserved_bytes, -- [bytes] peak of the reserved bytes
  unused AS unused_bytes -- [bytes] peak of the reserved bytes that are not active
FROM start
LEFT JOIN started ON started.trace_id = start.trace_id AND started.device = start.device AND started.number = start.number
GROUP BY run, start.trace_id, start.device, part
ORDER BY run, start.trace_id, start.device, part;
