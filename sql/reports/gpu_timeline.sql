-- GPU time by kind: compute, communication, memcpy (with memset), idle. Communication is exposed
-- while no computation runs, memcpy while no kernel runs.
-- set: pytorch
-- question: time first
-- words: timeline, utilization, busy, breakdown
-- position: 10
-- first: 10
-- first-spread: time_ms, percent over trace_id
-- wide: type
-- level: timeline
-- key: type, is_recompute
-- measure: time_ms
-- total: total_time
-- drop-empty: is_recompute
-- chart: bar type time_ms
-- not-included: not_included_in_timelines
-- empty: no_work
CREATE VIEW gpu_timeline AS
WITH sums AS MATERIALIZED (
  SELECT run, trace_id, is_recompute, computation_ns, exposed_comm_ns, exposed_memcpy_ns, busy_ns, total_ns,
    comm_ns, memcpy_ns, micro_idle_ns, has_micro_idle
  FROM timeline_sum
),
kinds (position, type) AS (
  VALUES (1, 'computation_time'), (2, 'exposed_comm_time'), (3, 'exposed_memcpy_time'),
  (4, 'busy_time'), (5, 'idle_time'), (6, 'micro_idle_time'), (7, 'macro_idle_time'),
  (8, 'total_time'), (9, 'total_comm_time'), (10, 'total_memcpy_time')
),
parts AS (
  SELECT run, trace_id, is_recompute, total_ns, position, type,
    CASE position
      WHEN 1 THEN computation_ns WHEN 2 THEN exposed_comm_ns WHEN 3 THEN exposed_memcpy_ns
      WHEN 4 THEN busy_ns WHEN 5 THEN total_ns - busy_ns WHEN 6 THEN micro_idle_ns
      WHEN 7 THEN total_ns - busy_ns - micro_idle_ns WHEN 8 THEN total_ns
      WHEN 9 THEN comm_ns ELSE memcpy_ns
    END AS ns
  FROM sums CROSS JOIN kinds
  WHERE CASE WHEN position = 5 THEN NOT has_micro_idle WHEN position IN (6, 7) THEN has_micro_idle ELSE 1 END
  UNION ALL
  SELECT sums.run, sums.trace_id, NULL, max(sums.total_ns), 2.5, 'receive_wait_time', sum(part.wait_ns)
  FROM pipeline_window AS frame
  JOIN pipeline_rank AS part ON part.run = frame.run AND part.pipeline = frame.pipeline AND part.step IS frame.step
  JOIN sums ON sums.run = part.run AND sums.trace_id = part.trace_id AND sums.is_recompute IS NULL
  WHERE frame.pairs > 0 AND NOT (SELECT tpq_like_reference('timeline: receives that wait'))
  GROUP BY sums.run, sums.trace_id
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  type AS type, -- [text] kind of time; computation, exposed_comm, exposed_memcpy and idle add up to the total; receive_wait is the part of exposed_comm in which receives of a pipeline wait for sends of selected ranks
  ns / 1000000.0 AS time_ms, -- "time ms" [ms] (lower) time of the kind
  ns * 100.0 / nullif(total_ns, 0) AS percent, -- [%] share of the total time
  is_recompute AS is_recompute -- [boolean] flag of recomputed activations
FROM parts
ORDER BY run, trace_id, is_recompute, position;
