-- largest_segments: The ?3 largest segments of device ?2 of trace ?1, with their blocks in order.
WITH largest AS (
  SELECT id, total_bytes, format('%s, pool %s, stream %s, 0x%x', coalesce(segment_type, 'segment'), pool, coalesce(stream, '-'), address)
    AS title, count(*) OVER () AS segments, sum(total_bytes) OVER () AS bytes
  FROM memory_segment WHERE trace_id = ?1 AND device = ?2 ORDER BY total_bytes DESC, id LIMIT ?3)
SELECT largest.id, title, total_bytes, coalesce(block.bytes, 0), CASE WHEN state = 'active_allocated' THEN 1 WHEN state LIKE 'active%' THEN
  2 ELSE 0 END, coalesce(stack.frame, '(no stack)'), segments, largest.bytes
FROM largest LEFT JOIN memory_block AS block ON block.trace_id = ?1 AND block.segment_id = largest.id
LEFT JOIN memory_stack AS stack ON stack.id = block.stack_id ORDER BY total_bytes DESC, largest.id, block.number;

-- snapshot_devices: Devices of snapshots, by the number of their trace.
WITH chosen AS MATERIALIZED (
  SELECT trace.id AS id, row_number() OVER (ORDER BY run.name, trace.rank, trace.id) - 1 AS nth
  FROM trace JOIN run ON run.id = trace.run_id
  WHERE trace.id IN (SELECT trace_id FROM scope))
SELECT nth, trace_id, device, events, peak_at, peak_allocated_bytes, initial_reserved_bytes
FROM chosen JOIN memory_device ON trace_id = id ORDER BY nth, device;
