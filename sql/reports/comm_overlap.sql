-- Exposed and overlapped communication. Communication at the same time as other communication
-- counts once. Memcpy and memset do not hide communication.
-- set: pytorch
-- question: communication first
-- words: exposed communication, hidden, nccl, allreduce
-- position: 300
-- key: part
-- measure: exposed_ms
-- when: never
-- not-included: not_included_memcpy
-- empty: no_work
CREATE VIEW comm_overlap AS
WITH sums AS (
  SELECT run, trace_id,
    interval_union_ns(ts_ns, dur_ns) FILTER (WHERE kind = 'communication') AS communication_ns,
    interval_difference_ns(ts_ns, dur_ns, kind = 'computation') FILTER (WHERE kind <> 'memory') AS exposed_ns
  FROM window_work
  GROUP BY run, trace_id
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  'all' AS part, -- [text] part of the selection: always all; comm_overlap_parts has the parts
  communication_ns / 1000000.0 AS communication_ms, -- [ms] (lower) communication time (union)
  exposed_ns / 1000000.0 AS exposed_ms, -- [ms] (lower) exposed communication time: no computation ran
  (communication_ns - exposed_ns) / 1000000.0 AS overlap_ms, -- [ms] (higher) overlapped communication time: computation ran, too
  (communication_ns - exposed_ns) * 100.0 / nullif(communication_ns, 0) AS overlap_percent -- [%] (higher) overlapped share of the communication time; NULL without communication
FROM sums
ORDER BY run, trace_id;
