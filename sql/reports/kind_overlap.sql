-- Busy time by the kinds of GPU activity that ran at the same moment. The rows add up to the busy
-- time. GPU activities of one kind at the same time count once.
-- set: pytorch
-- question: time
-- position: 340
-- key: kinds
-- measure: time_ms
-- total: time_ms
-- when: never
-- empty: no_work
CREATE VIEW kind_overlap AS
WITH sums AS (
  SELECT run, trace_id, interval_union_ns(ts_ns, dur_ns) AS busy_ns,
    interval_union_ns(ts_ns, dur_ns) FILTER (WHERE kind = 'computation') AS computation_ns,
    interval_union_ns(ts_ns, dur_ns) FILTER (WHERE kind = 'communication') AS communication_ns,
    interval_union_ns(ts_ns, dur_ns) FILTER (WHERE kind = 'memory') AS memory_ns,
    interval_union_ns(ts_ns, dur_ns) FILTER (WHERE kind <> 'memory') AS but_memory_ns,
    interval_union_ns(ts_ns, dur_ns) FILTER (WHERE kind <> 'communication') AS but_communication_ns,
    interval_union_ns(ts_ns, dur_ns) FILTER (WHERE kind <> 'computation') AS but_computation_ns
  FROM window_work
  GROUP BY run, trace_id
),
sets (run, trace_id, place, kinds, time_ns) AS (
  SELECT run, trace_id, 1, 'computation', busy_ns - but_computation_ns FROM sums
  UNION ALL SELECT run, trace_id, 2, 'communication', busy_ns - but_communication_ns FROM sums
  UNION ALL SELECT run, trace_id, 3, 'memory', busy_ns - but_memory_ns FROM sums
  UNION ALL SELECT run, trace_id, 4, 'computation+communication', but_computation_ns + but_communication_ns - busy_ns - memory_ns FROM sums
  UNION ALL SELECT run, trace_id, 5, 'computation+memory', but_computation_ns + but_memory_ns - busy_ns - communication_ns FROM sums
  UNION ALL SELECT run, trace_id, 6, 'communication+memory', but_communication_ns + but_memory_ns - busy_ns - computation_ns FROM sums
  UNION ALL SELECT run, trace_id, 7, 'computation+communication+memory',
    busy_ns + computation_ns + communication_ns + memory_ns - but_memory_ns - but_communication_ns - but_computation_ns FROM sums
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  kinds AS kinds, -- [text] kinds of GPU activity that ran at the same time, and no other
  time_ns / 1000000.0 AS time_ms, -- [ms] time with exactly these kinds
  time_ns * 100.0 / sum(time_ns) OVER (PARTITION BY run, trace_id) AS percent -- [%] share of the busy time
FROM sets
WHERE time_ns > 0
ORDER BY run, trace_id, place;
