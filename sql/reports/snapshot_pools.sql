-- Memory pools of the caching allocator at the end of a memory snapshot, with their fragmentation.
-- set: snapshot
-- question: memory
-- words: fragmentation
-- position: 257
-- key: device, pool, stream, segment_type
-- empty: no_snapshot
CREATE VIEW snapshot_pools AS
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  device AS device, -- [integer] number of the device
  pool AS pool, -- [text] id of the memory pool; 0.0 for the default pool
  stream AS stream, -- [integer] stream of the segments
  segment_type AS segment_type, -- [text] type of the segments: small or large
  count(*) AS segments, -- [integer] number of segments
  sum(total_bytes) AS total_bytes, -- [bytes] (lower) size of the segments
  sum(used_bytes) AS used_bytes, -- [bytes] bytes of live blocks
  sum(requested_bytes) AS requested_bytes, -- [bytes] requested bytes of live blocks
  sum(free_bytes) AS free_bytes, -- [bytes] (lower) bytes of inactive blocks
  max(largest_free_bytes) AS largest_free_bytes, -- [bytes] size of the largest inactive block
  sum(CASE WHEN used_bytes = 0 THEN total_bytes ELSE 0 END) AS releasable_bytes, -- [bytes] size of the segments without live blocks
  100.0 * (1 - CAST(max(largest_free_bytes) AS REAL) / nullif(sum(free_bytes), 0)) AS fragmentation_percent -- [%] (lower) share of the inactive bytes outside the largest inactive block
FROM snapshot_segment
GROUP BY run, trace_id, device, pool, stream, segment_type
ORDER BY run, trace_id, device, total_bytes DESC, pool, stream, segment_type;
