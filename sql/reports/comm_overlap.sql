-- Exposed and overlapped communication. Communication behind other communication counts once;
-- copies and sets hide nothing.
-- set: pytorch
-- question: communication first
-- words: exposed communication, hidden, nccl, allreduce
-- position: 300
-- key: part
-- measure: exposed_ms
-- when: never
-- leaves-out: left_out_copies
-- empty: lacks_work
CREATE VIEW comm_overlap AS
WITH sums AS (
  SELECT run, trace_id,
    interval_union_ns(ts_ns, dur_ns) FILTER (WHERE kind = 'communication') AS communication_ns,
    interval_difference_ns(ts_ns, dur_ns, kind = 'computation') FILTER (WHERE kind <> 'memory') AS exposed_ns
  FROM analysed_work
  GROUP BY run, trace_id
)
SELECT
  run AS run, -- [text] run
  trace_id AS trace_id, -- [integer] trace
  'all' AS part, -- [text] all; comm_overlap_parts has the parts
  communication_ns / 1000000.0 AS communication_ms, -- [ms] (lower) time with communication
  exposed_ns / 1000000.0 AS exposed_ms, -- [ms] (lower) time with communication and no computation
  (communication_ns - exposed_ns) / 1000000.0 AS overlap_ms, -- [ms] (higher) time with both
  (communication_ns - exposed_ns) * 100.0 / nullif(communication_ns, 0) AS overlap_percent -- [%] (higher) share of the communication that is hidden; empty without communication
FROM sums
ORDER BY run, trace_id;
