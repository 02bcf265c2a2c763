-- How far each rank is from the mean of its run, in standard deviations.
-- set: fleet
-- question: ranks
-- position: 50
-- unit: run
-- key: trace
-- measure: total_more_ms, busy_more_ms
-- not-included: not_included_in_timelines
-- empty: no_work
CREATE VIEW fleet_straggler AS
WITH summed AS (
  SELECT run AS run, trace AS trace,
    sum(CASE WHEN type = 'total_time' THEN time_ms ELSE 0 END) AS total_ms,
    sum(CASE WHEN type = 'busy_time' THEN time_ms ELSE 0 END) AS busy_ms,
    sum(CASE WHEN type = 'computation_time' THEN time_ms ELSE 0 END) AS computation_ms,
    sum(CASE WHEN type = 'exposed_comm_time' THEN time_ms ELSE 0 END) AS exposed_comm_ms
  FROM sheet_gpu_timeline
  GROUP BY run, trace
),
means AS (
  SELECT run AS run, avg(total_ms) AS total_ms, avg(busy_ms) AS busy_ms, avg(computation_ms) AS computation_ms, avg(exposed_comm_ms) AS exposed_comm_ms
  FROM summed
  GROUP BY run
),
apart AS (
  SELECT summed.run AS run, summed.trace AS trace,
    summed.total_ms - means.total_ms AS total_ms, summed.busy_ms - means.busy_ms AS busy_ms,
    summed.computation_ms - means.computation_ms AS computation_ms, summed.exposed_comm_ms - means.exposed_comm_ms AS exposed_comm_ms
  FROM summed
  JOIN means ON means.run = summed.run
),
spread AS (
  SELECT run AS run, sqrt(avg(total_ms * total_ms)) AS total_ms, sqrt(avg(busy_ms * busy_ms)) AS busy_ms,
    sqrt(avg(computation_ms * computation_ms)) AS computation_ms, sqrt(avg(exposed_comm_ms * exposed_comm_ms)) AS exposed_comm_ms
  FROM apart
  GROUP BY run
)
SELECT
  apart.run AS run, -- [text] name of the run
  apart.trace AS trace, -- [text] trace: hash of its content, and its rank where that is known
  apart.total_ms AS total_more_ms, -- [ms] (lower) total time beyond the mean of the run
  CASE WHEN spread.total_ms > 0.000001 THEN apart.total_ms / spread.total_ms END AS total_deviations, -- [real] total time beyond the mean of the run, in standard deviations
  apart.busy_ms AS busy_more_ms, -- [ms] busy time beyond the mean of the run
  CASE WHEN spread.busy_ms > 0.000001 THEN apart.busy_ms / spread.busy_ms END AS busy_deviations, -- [real] busy time beyond the mean of the run, in standard deviations
  apart.computation_ms AS computation_more_ms, -- [ms] computation time beyond the mean of the run
  CASE WHEN spread.computation_ms > 0.000001 THEN apart.computation_ms / spread.computation_ms END AS computation_deviations, -- [real] computation time beyond the mean of the run, in standard deviations
  apart.exposed_comm_ms AS exposed_comm_more_ms, -- [ms] exposed communication beyond the mean of the run; below the mean, other ranks wait for this rank
  CASE WHEN spread.exposed_comm_ms > 0.000001 THEN apart.exposed_comm_ms / spread.exposed_comm_ms END AS exposed_comm_deviations -- [real] exposed communication beyond the mean of the run, in standard deviations
FROM apart
JOIN spread ON spread.run = apart.run
ORDER BY apart.run, apart.trace;
