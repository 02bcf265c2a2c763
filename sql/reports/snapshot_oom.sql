-- Failed allocations of a memory snapshot, and whether free memory was fragmented.
-- set: snapshot
-- question: memory
-- words: oom, out of memory, fragmentation
-- position: 258
-- key: device, oom
-- empty: no_snapshot, no_ooms
CREATE VIEW snapshot_oom AS
SELECT
  run AS run, -- [text] name of the run
  failed.trace_id AS trace_id, -- [integer] id of the trace
  device AS device, -- [integer] number of the device
  oom AS oom, -- [integer] number of the failed allocation on the device, from 1
  number AS event, -- [integer] number of the event
  (ts_ns - first_ns) / 1000000.0 AS at_ms, -- [ms] time of the failed allocation, from the first event
  bytes AS requested_bytes, -- [bytes] requested bytes
  device_free AS device_free_bytes, -- [bytes] free device memory
  allocated AS allocated_bytes, -- [bytes] allocated bytes
  active AS active_bytes, -- [bytes] active bytes
  reserved AS reserved_bytes, -- [bytes] reserved bytes
  reserved - active AS unused_bytes, -- [bytes] reserved bytes that are not active
  CASE WHEN reserved - active >= bytes THEN 'fragmented' ELSE 'full' END AS verdict, -- [text] fragmented when the unused bytes suffice for the request, else full
  coalesce(stack.frame, '(no stack)') AS frame -- [text] line of user code that allocated, else the autograd node or C++ function
FROM snapshot_failure AS failed
LEFT JOIN memory_stack AS stack ON stack.id = failed.stack_id
ORDER BY run, failed.trace_id, device, oom;
