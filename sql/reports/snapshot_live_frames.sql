-- Allocations at the end of a memory snapshot by source line.
-- set: snapshot
-- question: memory
-- position: 255
-- key: device, site
-- within: frame
-- measure: bytes, allocations
-- work: live memory
-- when: never
-- terminal: device, frame, allocations, bytes, percent, largest_bytes
-- empty: no_snapshot
CREATE VIEW snapshot_live_frames AS
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  device AS device, -- [integer] number of the device
  frame AS frame, -- [text] line of user code that allocated, else the autograd node or C++ function
  site AS site, -- [text] frame without the line number, by which runs are compared
  allocations AS allocations, -- [integer] number of allocations at the end
  bytes AS bytes, -- [bytes] (lower) requested bytes of the allocations at the end
  100.0 * bytes / nullif(sum(bytes) OVER (PARTITION BY run, trace_id, device), 0) AS percent, -- [%] share of the allocated bytes of the device
  largest AS largest_bytes -- [bytes] size of the largest allocation
FROM snapshot_held_frame
WHERE moment = 'end'
ORDER BY run, trace_id, device, bytes DESC, frame;
