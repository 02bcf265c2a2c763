-- Possible leaks in a memory snapshot: stacks whose allocations of most steps are never freed. Needs
-- four annotated steps; the first and the last are not looked at.
-- set: snapshot
-- question: memory
-- words: oom, out of memory, leak
-- position: 261
-- key: device, stack
-- measure: bytes
-- terminal: device, frame, bytes, steps, bytes_per_step, stack
-- empty: no_snapshot, no_leaks
CREATE VIEW snapshot_leaks AS
WITH RECURSIVE held AS (
  SELECT chosen.run AS run, chosen.trace_id AS trace_id, chosen.device AS device, chosen.steps AS steps, allocation.stack_id AS stack_id, allocation.step AS step, sum(allocation.bytes) AS bytes
  FROM snapshot_device AS chosen
  CROSS JOIN memory_allocation AS allocation ON allocation.trace_id = chosen.trace_id AND allocation.device = chosen.device
  WHERE allocation.free_requested IS NULL AND NOT allocation.is_initial AND allocation.step BETWEEN 2 AND chosen.steps - 1 AND chosen.steps >= 4
  GROUP BY chosen.run, chosen.trace_id, chosen.device, chosen.steps, allocation.stack_id, allocation.step
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
  SELECT leaf, group_concat(text, ';') AS words
  FROM (SELECT leaf, text FROM walk WHERE text IS NOT NULL ORDER BY leaf, place)
  GROUP BY leaf
),
by_step AS (
  SELECT held.run AS run, held.trace_id AS trace_id, held.device AS device, held.steps AS all_steps, coalesce(said.words, '(no stack)') AS stack, held.step AS step, min(line.frame) AS frame, sum(held.bytes) AS bytes
  FROM held
  LEFT JOIN said ON said.leaf = held.stack_id
  LEFT JOIN memory_stack AS line ON line.id = held.stack_id
  GROUP BY held.run, held.trace_id, held.device, held.steps, coalesce(said.words, '(no stack)'), held.step
  HAVING sum(held.bytes) > 0
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  device AS device, -- [integer] number of the device
  coalesce(min(frame), '(no stack)') AS frame, -- [text] line of user code that allocated, else the autograd node or C++ function
  stack AS stack, -- [text] frames of the allocating stack, innermost first
  count(*) AS steps, -- [integer] number of steps with such allocations
  sum(bytes) AS bytes, -- [bytes] (lower) bytes never asked to be freed
  sum(bytes) * 1.0 / count(*) AS bytes_per_step, -- [bytes] (lower) bytes never asked to be freed, per step
  min(step) AS first_step, -- [integer] number of the first step with such allocations
  max(step) AS last_step -- [integer] number of the last step with such allocations
FROM by_step
GROUP BY run, trace_id, device, all_steps, stack
HAVING count(*) >= max(2, (8 * (all_steps - 2) + 9) / 10)
ORDER BY run, trace_id, device, bytes DESC, stack;
