-- What the reports about memory snapshots of PyTorch are made of.

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
