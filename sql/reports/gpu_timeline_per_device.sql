-- GPU time by kind for each device: compute, communication, memcpy, idle. In gpu_timeline all
-- devices of a trace are taken together.
-- set: pytorch
-- question: time
-- position: 270
-- key: device, type, is_recompute
-- measure: time_ms
-- total: total_time
-- when: never
-- drop-empty: is_recompute
-- not-included: not_included_in_timelines
-- empty: no_work
CREATE VIEW gpu_timeline_per_device AS
WITH sums AS MATERIALIZED (
  SELECT run, trace_id, device, is_recompute, computation_ns, exposed_comm_ns, exposed_memcpy_ns, busy_ns, total_ns, comm_ns, memcpy_ns,
    micro_idle_ns, has_micro_idle
  FROM device_timeline_sum
),
kinds (position, type) AS (
  VALUES (1, 'computation_time'), (2, 'exposed_comm_time'), (3, 'exposed_memcpy_time'),
  (4, 'busy_time'), (5, 'idle_time'), (6, 'micro_idle_time'), (7, 'macro_idle_time'),
  (8, 'total_time'), (9, 'total_comm_time'), (10, 'total_memcpy_time')
),
parts AS (
  SELECT run, trace_id, device, is_recompute, total_ns, position, type,
    CASE position
      WHEN 1 THEN computation_ns WHEN 2 THEN exposed_comm_ns WHEN 3 THEN exposed_memcpy_ns
      WHEN 4 THEN busy_ns WHEN 5 THEN total_ns - busy_ns WHEN 6 THEN micro_idle_ns
      WHEN 7 THEN total_ns - busy_ns - micro_idle_ns WHEN 8 THEN total_ns
      WHEN 9 THEN comm_ns ELSE memcpy_ns
    END AS ns
  FROM sums CROSS JOIN kinds
  WHERE CASE WHEN position = 5 THEN NOT has_micro_idle WHEN position IN (6, 7) THEN has_micro_idle ELSE 1 END
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  device AS device, -- [integer] number of the device
  type AS type, -- [text] kind of time; computation, exposed_comm, exposed_memcpy and idle add up to the total
  ns / 1000000.0 AS time_ms, -- "time ms" [ms] (lower) time of the kind on the device
  ns * 100.0 / nullif(total_ns, 0) AS percent, -- [%] share of the device's total time, from its first start to its last end
  is_recompute AS is_recompute -- [boolean] flag of recomputed activations
FROM parts
ORDER BY run, trace_id, device, is_recompute, position;
