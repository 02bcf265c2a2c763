-- Allocations at the memory peak of a snapshot by op.
-- set: snapshot
-- question: memory
-- position: 254
-- key: device, op
-- measure: bytes, allocations
-- when: never
-- empty: no_snapshot
CREATE VIEW snapshot_peak_ops AS
WITH grouped AS (
  SELECT run, trace_id, device, op, count(*) AS allocations, sum(bytes) AS bytes, max(bytes) AS largest
  FROM snapshot_allocation
  WHERE alloc <= peak_at AND requested > peak_at
  GROUP BY run, trace_id, device, op
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  device AS device, -- [integer] number of the device
  op AS op, -- [text] outermost op below the innermost Python frame
  allocations AS allocations, -- [integer] number of allocations at the peak
  bytes AS bytes, -- [bytes] (lower) requested bytes of the allocations at the peak
  100.0 * bytes / nullif(sum(bytes) OVER (PARTITION BY run, trace_id, device), 0) AS percent, -- [%] share of the allocated bytes of the device
  largest AS largest_bytes -- [bytes] size of the largest allocation
FROM grouped
ORDER BY run, trace_id, device, bytes DESC, op;
