-- GPU time of each rank of runs: compute, exposed communication, idle.
-- set: fleet
-- question: ranks
-- position: 40
-- unit: run
-- key: trace
-- measure: total_ms, busy_ms
-- not-included: not_included_in_timelines
-- empty: no_work
CREATE VIEW fleet_rank AS
WITH summed AS (
  SELECT run AS run, trace AS trace,
    sum(CASE WHEN type = 'total_time' THEN time_ms ELSE 0 END) AS total_ms,
    sum(CASE WHEN type = 'busy_time' THEN time_ms ELSE 0 END) AS busy_ms,
    sum(CASE WHEN type = 'computation_time' THEN time_ms ELSE 0 END) AS computation_ms,
    sum(CASE WHEN type = 'exposed_comm_time' THEN time_ms ELSE 0 END) AS exposed_comm_ms
  FROM sheet_gpu_timeline
  GROUP BY run, trace
)
SELECT
  run AS run, -- [text] name of the run
  trace AS trace, -- [text] trace: hash of its content, and its rank where that is known
  total_ms AS total_ms, -- [ms] (lower) from the first start to the last end of GPU activities
  busy_ms AS busy_ms, -- [ms] GPU busy time
  computation_ms AS computation_ms, -- [ms] GPU time with computation
  exposed_comm_ms AS exposed_comm_ms, -- [ms] (lower) exposed communication time
  CASE WHEN total_ms > 0 THEN 100 * exposed_comm_ms / total_ms END AS exposed_comm_percent, -- [%] (lower) exposed communication share of the total time
  CASE WHEN total_ms > 0 THEN 100 * (total_ms - busy_ms) / total_ms END AS idle_percent -- [%] (lower) idle share of the total time
FROM summed
ORDER BY run, trace;
