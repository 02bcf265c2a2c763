-- GPU time of recomputed activations (with detect_recompute), as shares of all GPU time. Part
-- `both` has the common times: both parts busy, both idle, and the total.
-- set: pytorch
-- question: time
-- position: 280
-- key: part, type
-- measure: time_ms
-- total: total_time
-- when: never
-- not-included: not_included_in_timelines
-- empty: no_work, no_unmarked_recompute, no_recompute
CREATE VIEW gpu_timeline_recompute_share AS
WITH sums AS MATERIALIZED (
  SELECT run, trace_id, is_recompute, computation_ns, exposed_comm_ns, exposed_memcpy_ns, busy_ns, comm_ns, memcpy_ns FROM timeline_sum
),
whole AS MATERIALIZED (
  SELECT run, trace_id, interval_union_ns(ts_ns, dur_ns) AS busy_ns, max(ts_ns + dur_ns) - min(ts_ns) AS total_ns
  FROM timeline_work
  GROUP BY run, trace_id
),
kinds (position, type) AS (
  VALUES (1, 'computation_time'), (2, 'exposed_comm_time'), (3, 'exposed_memcpy_time'),
  (4, 'busy_time'), (5, 'total_comm_time'), (6, 'total_memcpy_time')
),
parts AS (
  SELECT run, trace_id, CASE is_recompute WHEN 1 THEN 'recompute' WHEN 0 THEN 'not recompute' ELSE 'all' END AS part,
    coalesce(is_recompute, 0) AS part_position, position, type,
    CASE position WHEN 1 THEN computation_ns WHEN 2 THEN exposed_comm_ns WHEN 3 THEN exposed_memcpy_ns
      WHEN 4 THEN busy_ns WHEN 5 THEN comm_ns ELSE memcpy_ns END AS ns
  FROM sums CROSS JOIN kinds
  UNION ALL
  SELECT sums.run, sums.trace_id, 'both', 2, 7, 'busy_together_time', sum(sums.busy_ns) - whole.busy_ns
  FROM sums JOIN whole ON whole.run = sums.run AND whole.trace_id = sums.trace_id
  GROUP BY sums.run, sums.trace_id, whole.busy_ns
  UNION ALL
  SELECT run, trace_id, 'both', 2, 8, 'idle_time', total_ns - busy_ns FROM whole
  UNION ALL
  SELECT run, trace_id, 'both', 2, 9, 'total_time', total_ns FROM whole
)
SELECT
  parts.run AS run, -- [text] name of the run
  parts.trace_id AS trace_id, -- [integer] id of the trace
  part AS part, -- [text] part of the GPU time: recomputed activations, other, or both; all = detect_recompute is off
  type AS type, -- [text] kind of time; busy times of the parts plus idle time, minus busy_together, make up the total
  ns / 1000000.0 AS time_ms, -- "time ms" [ms] (lower) time of the kind in the part
  ns * 100.0 / nullif(whole.total_ns, 0) AS percent -- [%] share of the common total time
FROM parts
JOIN whole ON whole.run = parts.run AND whole.trace_id = parts.trace_id
ORDER BY parts.run, parts.trace_id, part_position, position;
