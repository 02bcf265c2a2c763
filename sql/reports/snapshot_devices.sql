-- Memory snapshots of PyTorch by device: peak, end, fragmentation. Allocated bytes are requested and
-- not yet asked to be freed, active bytes not yet freed.
-- set: snapshot
-- question: memory
-- words: oom, out of memory, fragmentation
-- position: 251
-- key: device
-- terminal: device, events, peak_allocated_bytes, peak_ms, peak_reserved_bytes, end_allocated_bytes, end_reserved_bytes, inactive_bytes, fragmentation_percent, ooms, notes
-- empty: no_snapshot
CREATE VIEW snapshot_devices AS
WITH blocks AS (
  SELECT run, trace_id, device, count(*) AS segments, sum(free_bytes) AS free_bytes, max(largest_free_bytes) AS largest, sum(used_bytes) - sum(requested_bytes) AS internal_bytes
  FROM snapshot_segment
  GROUP BY run, trace_id, device
)
SELECT
  chosen.run AS run, -- [text] name of the run
  chosen.trace_id AS trace_id, -- [integer] id of the trace
  chosen.device AS device, -- [integer] number of the device
  device.events AS events, -- [integer] number of events
  device.allocations AS allocations, -- [integer] number of recorded allocations
  device.initial AS initial, -- [integer] number of allocations older than the recording
  device.initial_bytes AS initial_bytes, -- [bytes] allocated bytes before the first event
  device.peak_allocated_bytes AS peak_allocated_bytes, -- [bytes] (lower) peak of the allocated bytes
  device.peak_at AS peak_event, -- [integer] number of the event that reaches the peak; -1 when before the first event
  (device.peak_ns - device.first_ns) / 1000000.0 AS peak_ms, -- [ms] time of the peak, from the first event
  device.peak_active_bytes AS peak_active_bytes, -- [bytes] (lower) peak of the active bytes
  device.reserved_at_peak_bytes AS reserved_at_peak_bytes, -- [bytes] reserved bytes at the allocated peak
  device.peak_reserved_bytes AS peak_reserved_bytes, -- [bytes] (lower) peak of the reserved bytes
  device.end_allocated_bytes AS end_allocated_bytes, -- [bytes] (lower) allocated bytes at the end
  device.end_active_bytes AS end_active_bytes, -- [bytes] active bytes at the end
  device.end_reserved_bytes AS end_reserved_bytes, -- [bytes] (lower) reserved bytes at the end
  coalesce(blocks.segments, 0) AS segments, -- [integer] number of segments at the end
  coalesce(blocks.free_bytes, 0) AS inactive_bytes, -- [bytes] bytes of inactive blocks at the end
  coalesce(blocks.internal_bytes, 0) AS internal_bytes, -- [bytes] bytes of live blocks beyond the requested ones, at the end
  coalesce(blocks.largest, 0) AS largest_free_bytes, -- [bytes] size of the largest inactive block
  100.0 * (1 - CAST(blocks.largest AS REAL) / nullif(blocks.free_bytes, 0)) AS fragmentation_percent, -- [%] (lower) share of the inactive bytes outside the largest inactive block
  (SELECT count(*) FROM snapshot_event AS failed WHERE failed.trace_id = chosen.trace_id AND failed.device = chosen.device AND failed.action = 'oom') AS ooms, -- [integer] (lower) number of failed allocations
  device.steps AS annotations, -- [integer] number of annotated steps
  device.notes AS notes -- [text] oddities of the events with their counts
FROM snapshot_device AS chosen
JOIN memory_device AS device ON device.trace_id = chosen.trace_id AND device.device = chosen.device
LEFT JOIN blocks ON blocks.run = chosen.run AND blocks.trace_id = chosen.trace_id AND blocks.device = chosen.device
ORDER BY chosen.run, chosen.trace_id, chosen.device;
