-- Active allocations at each failed allocation of a memory snapshot, by source line.
-- set: snapshot
-- question: memory
-- words: oom, out of memory
-- position: 259
-- key: device, oom, frame
-- measure: bytes, allocations
-- when: never
-- empty: no_snapshot, no_ooms
CREATE VIEW snapshot_oom_frames AS
WITH grouped AS (
  SELECT failed.run AS run, failed.trace_id AS trace_id, failed.device AS device, failed.oom AS oom, held.frame AS frame,
    count(*) AS allocations, sum(held.bytes) AS bytes, max(held.bytes) AS largest
  FROM snapshot_failure AS failed
  JOIN snapshot_allocation AS held ON held.run = failed.run AND held.trace_id = failed.trace_id AND held.device = failed.device
    AND held.alloc <= failed.number AND held.completed > failed.number
  GROUP BY failed.run, failed.trace_id, failed.device, failed.oom, held.frame
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  device AS device, -- [integer] number of the device
  oom AS oom, -- [integer] number of the failed allocation on the device, from 1
  frame AS frame, -- [text] line of user code that allocated, else the autograd node or C++ function
  allocations AS allocations, -- [integer] number of active allocations
  bytes AS bytes, -- [bytes] (lower) requested bytes of the active allocations
  100.0 * bytes / nullif(sum(bytes) OVER (PARTITION BY run, trace_id, device, oom), 0) AS percent, -- [%] share of the active bytes of the device
  largest AS largest_bytes -- [bytes] size of the largest allocation
FROM grouped
ORDER BY run, trace_id, device, oom, bytes DESC, frame;
