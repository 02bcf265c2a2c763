-- Memcpy by size and direction.
-- set: pftrace
-- question: memory
-- sheet: memory_copy_by_copy_bytes
-- position: 60
-- key: copy_bytes, direction
-- measure: time_us, count
-- keep-empty: yes
-- columns-when: time_us not compat, rate not compat
-- empty: no_work
CREATE VIEW pftrace_memory_copy AS
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  bytes AS copy_bytes, -- [bytes] size of one memcpy
  direction AS direction, -- [text] direction of the memcpy
  count(*) AS count, -- [integer] number of memcpys
  sum(dur_ns) / 1000.0 AS time_us, -- [us] (lower) sum of memcpy durations
  sum(bytes) * 1.0 / nullif(sum(dur_ns), 0) AS rate -- [GB/s] (higher) bandwidth of the memcpys
FROM pftrace_copy
GROUP BY run, trace_id, bytes, direction
ORDER BY run, trace_id, bytes, direction;
