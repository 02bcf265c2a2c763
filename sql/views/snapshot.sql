-- Basis of the reports about memory snapshots of PyTorch.

-- Devices of memory snapshots.
CREATE VIEW snapshot_device AS
SELECT
  chosen.run AS run, -- name of the run
  chosen.trace_id AS trace_id, -- id of the trace
  device.device AS device, -- number of the device
  device.first_ns AS first_ns, -- time of the first event
  device.peak_at AS peak_at, -- number of the event that reaches the peak
  device.events - 1 AS last_at, -- number of the last event
  device.steps AS steps, -- number of ended steps
  device.initial_bytes AS initial_bytes, -- allocated bytes before the first event
  device.initial_active_bytes AS initial_active_bytes, -- active bytes before the first event
  device.initial_reserved_bytes AS initial_reserved_bytes -- reserved bytes before the first event
FROM (SELECT DISTINCT run, trace_id FROM scope) AS chosen
CROSS JOIN memory_device AS device ON device.trace_id = chosen.trace_id;

-- Allocations of memory snapshots with the words for their stacks.
CREATE VIEW snapshot_allocation AS
SELECT
  device.run AS run, -- name of the run
  device.trace_id AS trace_id, -- id of the trace
  device.device AS device, -- number of the device
  device.peak_at AS peak_at, -- number of the event that reaches the peak
  device.last_at AS last_at, -- number of the last event
  allocation.number AS number, -- number of the allocation
  allocation.bytes AS bytes, -- requested bytes
  allocation.alloc AS alloc, -- number of the alloc event; -1 when older than the recording
  coalesce(allocation.free_requested, 9223372036854775807) AS requested, -- number of the event that asks for the free
  coalesce(allocation.free_completed, 9223372036854775807) AS completed, -- number of the event that completes the free
  allocation.step AS step, -- number of the step
  allocation.stack_id AS stack_id, -- id of the stack
  coalesce(stack.frame, '(no stack)') AS frame, -- frame that names the stack
  coalesce(stack.op, '(none)') AS op, -- outermost op below the innermost Python frame
  coalesce(allocation.category, CASE WHEN allocation.in_optimizer THEN 'optimizer' END, stack.phase, 'unknown') AS phase -- phase of the training step
FROM snapshot_device AS device
CROSS JOIN memory_allocation AS allocation ON allocation.trace_id = device.trace_id AND allocation.device = device.device
LEFT JOIN memory_stack AS stack ON stack.id = allocation.stack_id;

-- Failed allocations of memory snapshots.
CREATE VIEW snapshot_failure AS
SELECT
  chosen.run AS run, -- name of the run
  chosen.trace_id AS trace_id, -- id of the trace
  chosen.device AS device, -- number of the device
  chosen.first_ns AS first_ns, -- time of the first event
  row_number() OVER (PARTITION BY chosen.run, chosen.trace_id, chosen.device ORDER BY event.number) AS oom, -- number of the failed allocation on the device, from 1
  event.number AS number, -- number of the event
  event.ts_ns AS ts_ns, -- time of the event
  event.bytes AS bytes, -- requested bytes
  event.device_free_bytes AS device_free, -- free device memory
  event.allocated_bytes AS allocated, -- allocated bytes
  event.active_bytes AS active, -- active bytes
  event.reserved_bytes AS reserved, -- reserved bytes
  event.stack_id AS stack_id -- id of the stack
FROM snapshot_device AS chosen
CROSS JOIN snapshot_event AS event ON event.trace_id = chosen.trace_id AND event.device = chosen.device
WHERE event.action = 'oom';

-- Segments of memory snapshots with the sums of their blocks.
CREATE VIEW snapshot_segment AS
WITH sums AS (
  SELECT chosen.run AS run, chosen.trace_id AS trace_id, block.segment_id AS segment_id, count(*) AS blocks,
    sum(CASE WHEN block.state LIKE 'active%' THEN block.bytes ELSE 0 END) AS used,
    sum(CASE WHEN block.state LIKE 'active%' THEN block.requested_bytes ELSE 0 END) AS requested,
    sum(CASE WHEN block.state LIKE 'active%' THEN 0 ELSE block.bytes END) AS free,
    max(CASE WHEN block.state LIKE 'active%' THEN 0 ELSE block.bytes END) AS largest
  FROM (SELECT DISTINCT run, trace_id FROM scope) AS chosen
  CROSS JOIN memory_block AS block ON block.trace_id = chosen.trace_id
  GROUP BY chosen.run, chosen.trace_id, block.segment_id
)
SELECT
  chosen.run AS run, -- name of the run
  chosen.trace_id AS trace_id, -- id of the trace
  segment.device AS device, -- number of the device
  segment.id AS id, -- id of the segment
  segment.address AS address, -- address of the segment
  segment.stream AS stream, -- stream of the segment
  segment.segment_type AS segment_type, -- type of the segment
  segment.pool AS pool, -- id of the memory pool
  segment.is_expandable AS is_expandable, -- 1 for an expandable segment
  coalesce(sums.blocks, 0) AS blocks, -- number of blocks
  segment.total_bytes AS total_bytes, -- size of the segment
  coalesce(sums.used, 0) AS used_bytes, -- bytes of live blocks
  coalesce(sums.requested, 0) AS requested_bytes, -- requested bytes of live blocks
  coalesce(sums.free, 0) AS free_bytes, -- bytes of inactive blocks
  coalesce(sums.largest, 0) AS largest_free_bytes -- size of the largest inactive block
FROM (SELECT DISTINCT run, trace_id FROM scope) AS chosen
CROSS JOIN memory_segment AS segment ON segment.trace_id = chosen.trace_id
LEFT JOIN sums ON sums.run = chosen.run AND sums.trace_id = chosen.trace_id AND sums.segment_id = segment.id;

-- Allocations at the peak and at the end of memory snapshots by source line.
CREATE VIEW snapshot_held_frame AS
WITH grouped AS (
  SELECT run, trace_id, device, moment.column1 AS moment, frame, count(*) AS allocations, sum(bytes) AS bytes, max(bytes) AS largest
  FROM (VALUES ('peak'), ('end')) AS moment
  CROSS JOIN snapshot_allocation AS held
  WHERE alloc <= CASE moment.column1 WHEN 'peak' THEN peak_at ELSE last_at END
    AND requested > CASE moment.column1 WHEN 'peak' THEN peak_at ELSE last_at END
  GROUP BY run, trace_id, device, moment.column1, frame
)
SELECT
  run AS run, -- name of the run
  trace_id AS trace_id, -- id of the trace
  device AS device, -- number of the device
  moment AS moment, -- peak or end
  frame AS frame, -- frame that names the stack
  coalesce(regexp_substr(frame, '^(.*?):\d+ ', 1) || regexp_substr(frame, '^.*?:\d+( .*)$', 1), frame) AS site, -- frame without the line number
  allocations AS allocations, -- number of allocations
  bytes AS bytes, -- requested bytes
  largest AS largest -- size of the largest allocation
FROM grouped;

-- Memory snapshots with the traces of their process: traces of the same rank and run. A snapshot
-- without a rank belongs to the only other trace of its run.
CREATE VIEW snapshot_trace AS
WITH pair AS MATERIALIZED (
  SELECT chosen.run AS run, chosen.trace_id AS trace_id, chosen.wall_ns AS wall_ns, other.id AS other_id, other.wall_start_ns AS other_wall_ns
  FROM (
    SELECT device.run AS run, device.trace_id AS trace_id, trace.run_id AS run_id, trace.rank AS rank, trace.wall_start_ns AS wall_ns
    FROM snapshot_device AS device
    JOIN trace ON trace.id = device.trace_id
    GROUP BY device.run, device.trace_id
  ) AS chosen
  JOIN trace AS other ON other.run_id = chosen.run_id AND other.format <> 'snapshot'
  WHERE other.rank = chosen.rank
    OR chosen.rank IS NULL AND (SELECT count(*) FROM trace WHERE trace.run_id = chosen.run_id) = 2
),
spans AS (
  SELECT run, trace_id, wall_ns, other_id, other_wall_ns,
    wall_ns + max(
      coalesce((SELECT max(max(coalesce(alloc_ns, 0), coalesce(free_requested_ns, 0), coalesce(free_completed_ns, 0))) FROM memory_allocation WHERE memory_allocation.trace_id = pair.trace_id), 0),
      coalesce((SELECT max(ts_ns) FROM snapshot_event WHERE snapshot_event.trace_id = pair.trace_id), 0)) AS end_ns,
    other_wall_ns + (SELECT max(event.ts_ns + event.dur_ns) FROM trace CROSS JOIN event ON event.id BETWEEN trace.first_event AND trace.last_event WHERE trace.id = pair.other_id) AS other_end_ns
  FROM pair
)
SELECT
  run AS run, -- name of the run
  trace_id AS trace_id, -- id of the snapshot
  other_id AS other_id, -- id of the trace of the same process
  other_wall_ns - wall_ns AS offset_ns, -- start of the trace, from the start of the snapshot
  coalesce(wall_ns <= other_end_ns AND other_wall_ns <= end_ns, 0) AS overlaps -- 1 when both have a time in common
FROM spans;

-- Modules of the traces that belong to memory snapshots, for interval_innermost.
CREATE VIEW snapshot_module_list AS
SELECT
  pair.run AS run, -- name of the run
  pair.trace_id AS trace_id, -- id of the snapshot
  interval_list(frame.id, frame.ts_ns + pair.offset_ns, frame.dur_ns) AS list -- a number for the frames of modules by time
FROM snapshot_trace AS pair
CROSS JOIN trace ON trace.id = pair.other_id
CROSS JOIN event AS frame ON frame.id BETWEEN trace.first_event AND trace.last_event
WHERE pair.overlaps
  AND frame.category_id IN (SELECT id FROM category WHERE role = 'frame')
  AND frame.name_id IN (SELECT id FROM string WHERE text GLOB 'nn.Module: *')
GROUP BY pair.run, pair.trace_id;
