-- Allocations at the memory peak of a snapshot by stack.
-- set: snapshot
-- question: memory
-- words: oom, out of memory, stack, peak
-- position: 260
-- key: device, stack
-- measure: bytes
-- when: never
-- empty: no_snapshot
CREATE VIEW snapshot_peak_stacks AS
WITH RECURSIVE held AS MATERIALIZED (
  SELECT run, trace_id, device, stack_id, count(*) AS allocations, sum(bytes) AS bytes, max(bytes) AS largest
  FROM snapshot_allocation
  WHERE alloc <= peak_at AND requested > peak_at
  GROUP BY run, trace_id, device, stack_id
),
walk (leaf, id, place, text) AS (
  SELECT DISTINCT stack_id, stack_id, 0, NULL FROM held WHERE stack_id IS NOT NULL
  UNION ALL
  SELECT walk.leaf, CASE WHEN stack.parent_id < stack.id THEN stack.parent_id END, walk.place + 1, CASE WHEN frame.is_noise THEN NULL ELSE frame.text END
  FROM walk
  JOIN memory_stack AS stack ON stack.id = walk.id
  JOIN memory_frame AS frame ON frame.id = stack.frame_id
),
said AS MATERIALIZED (
  SELECT leaf, json_list(text) AS words
  FROM (SELECT leaf, text FROM walk WHERE text IS NOT NULL ORDER BY leaf, place)
  GROUP BY leaf
),
worded AS (
  SELECT held.run AS run, held.trace_id AS trace_id, held.device AS device, coalesce(said.words, '[]') AS stack, sum(held.allocations) AS allocations,
    sum(held.bytes) AS bytes, max(held.largest) AS largest
  FROM held
  LEFT JOIN said ON said.leaf = held.stack_id
  GROUP BY held.run, held.trace_id, held.device, coalesce(said.words, '[]')
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  device AS device, -- [integer] number of the device
  stack AS stack, -- [text] frames of the allocating stack, innermost first, a JSON array; empty when not recorded
  allocations AS allocations, -- [integer] number of allocations at the peak
  bytes AS bytes, -- [bytes] (lower) requested bytes of the allocations at the peak
  100.0 * bytes / nullif(sum(bytes) OVER (PARTITION BY run, trace_id, device), 0) AS percent, -- [%] share of the allocated bytes of the device
  largest AS largest_bytes -- [bytes] size of the largest allocation
FROM worded
ORDER BY run, trace_id, device, bytes DESC, stack;
