-- Segments of the caching allocator at the end of a memory snapshot.
-- set: snapshot
-- question: memory
-- words: fragmentation
-- position: 256
-- key: device, address
-- when: never
-- empty: no_snapshot
CREATE VIEW snapshot_segments AS
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  device AS device, -- [integer] number of the device
  format('0x%x', address) AS address, -- [text] address of the segment
  stream AS stream, -- [integer] stream of the segment
  segment_type AS segment_type, -- [text] type of the segment: small or large
  pool AS pool, -- [text] id of the memory pool; 0.0 for the default pool
  is_expandable AS is_expandable, -- [integer] 1 for an expandable segment
  blocks AS blocks, -- [integer] number of blocks
  total_bytes AS total_bytes, -- [bytes] size of the segment
  used_bytes AS used_bytes, -- [bytes] bytes of live blocks
  requested_bytes AS requested_bytes, -- [bytes] requested bytes of live blocks
  free_bytes AS free_bytes, -- [bytes] bytes of inactive blocks
  largest_free_bytes AS largest_free_bytes -- [bytes] size of the largest inactive block
FROM snapshot_segment
ORDER BY run, trace_id, device, total_bytes DESC, address;
