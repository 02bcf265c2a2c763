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
WITH RECURSIVE chosen AS MATERIALIZED (
  SELECT run, trace_id, device, first_ns, initial_bytes, initial_active_bytes, initial_reserved_bytes, last_at + 1 AS events, min(last_at + 1, CAST((SELECT tpq_option('snapshot-parts')) AS INTEGER)) AS parts
  FROM snapshot_device
  WHERE last_at >= 0
),
counted (part) AS (SELECT 0 UNION ALL SELECT part + 1 FROM counted WHERE part + 1 < (SELECT max(parts) FROM chosen)),
change AS (
  SELECT run, chosen.trace_id AS trace_id, chosen.device AS device, alloc AS number, alloc_ns AS ts_ns, bytes AS allocated, bytes AS active, 0 AS reserved
  FROM chosen CROSS JOIN memory_allocation AS one ON one.trace_id = chosen.trace_id AND one.device = chosen.device
  WHERE alloc >= 0
  UNION ALL
  SELECT run, chosen.trace_id, chosen.device, free_requested, free_requested_ns, -bytes, 0, 0
  FROM chosen CROSS JOIN memory_allocation AS one ON one.trace_id = chosen.trace_id AND one.device = chosen.device
  WHERE free_requested >= 0
  UNION ALL
  SELECT run, chosen.trace_id, chosen.device, free_completed, free_completed_ns, 0, -bytes, 0
  FROM chosen CROSS JOIN memory_allocation AS one ON one.trace_id = chosen.trace_id AND one.device = chosen.device
  WHERE free_completed >= 0
  UNION ALL
  SELECT run, chosen.trace_id, chosen.device, number, ts_ns, 0, 0, CASE WHEN action IN ('segment_alloc', 'segment_map') THEN bytes WHEN action IN ('segment_free', 'segment_unmap') THEN -bytes ELSE 0 END
  FROM chosen CROSS JOIN snapshot_event AS one ON one.trace_id = chosen.trace_id AND one.device = chosen.device
  UNION ALL
  SELECT run, trace_id, device, part * events / parts, NULL, 0, 0, 0 FROM chosen JOIN counted ON part < parts
),
curve AS (
  SELECT run, trace_id, device, number, max(ts_ns) AS ts_ns,
    sum(sum(allocated)) OVER (PARTITION BY run, trace_id, device ORDER BY number) AS allocated,
    sum(sum(active)) OVER (PARTITION BY run, trace_id, device ORDER BY number) AS active,
    sum(sum(reserved)) OVER (PARTITION BY run, trace_id, device ORDER BY number) AS reserved
  FROM change
  GROUP BY run, trace_id, device, number
),
placed AS (
  SELECT curve.run AS run, curve.trace_id AS trace_id, curve.device AS device, ((number + 1) * parts - 1) / events AS part, number, ts_ns - first_ns AS ns,
    initial_bytes + allocated AS allocated, initial_active_bytes + active AS active, initial_reserved_bytes + reserved AS reserved, parts, events
  FROM curve
  JOIN chosen ON chosen.run = curve.run AND chosen.trace_id = curve.trace_id AND chosen.device = curve.device
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  device AS device, -- [integer] number of the device
  part AS part, -- [integer] number of the part, from 0
  min(number) AS first_event, -- [integer] number of the first event of the part
  max(CASE WHEN number = part * events / parts THEN ns END) / 1000000.0 AS time_ms, -- [ms] time of the first event of the part, from the first event
  max(allocated) AS allocated_bytes, -- [bytes] peak of the allocated bytes
  max(active) AS active_bytes, -- [bytes] peak of the active bytes
  max(reserved) AS reserved_bytes, -- [bytes] peak of the reserved bytes
  max(reserved - active) AS unused_bytes -- [bytes] peak of the reserved bytes that are not active
FROM placed
GROUP BY run, trace_id, device, part
ORDER BY run, trace_id, device, part;
