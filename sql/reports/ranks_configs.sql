-- Configurations side by side: GPU time by kind over their ranks (mean, minimum, maximum).
-- set: multirank-summary
-- question: ranks
-- sheet: configs
-- position: 10
-- key: world_size
-- unit: run
-- terminal: name, world_size, total_time_ms_avg, busy_time_ms_avg, idle_time_ms_avg, computation_time_ms_avg, exposed_comm_time_ms_avg
-- empty: no_work
CREATE VIEW ranks_configs AS
SELECT
  run AS run, -- [text] name of the run
  run AS name, -- [text] name of the configuration
  count(*) AS world_size, -- [integer] number of ranks
  avg(total_ns) / 1e6 AS total_time_ms_avg, -- [ms] (lower) mean total time over ranks (from the first start to the last end)
  min(total_ns) / 1e6 AS total_time_ms_min, -- [ms] (lower) minimum total time over ranks
  max(total_ns) / 1e6 AS total_time_ms_max, -- [ms] (lower) maximum total time over ranks
  avg(busy_ns) / 1e6 AS busy_time_ms_avg, -- [ms] (lower) mean busy time over ranks
  min(busy_ns) / 1e6 AS busy_time_ms_min, -- [ms] (lower) minimum busy time over ranks
  max(busy_ns) / 1e6 AS busy_time_ms_max, -- [ms] (lower) maximum busy time over ranks
  avg(total_ns - busy_ns) / 1e6 AS idle_time_ms_avg, -- [ms] (lower) mean idle time over ranks
  min(total_ns - busy_ns) / 1e6 AS idle_time_ms_min, -- [ms] (lower) minimum idle time over ranks
  max(total_ns - busy_ns) / 1e6 AS idle_time_ms_max, -- [ms] (lower) maximum idle time over ranks
  avg(computation_ns) / 1e6 AS computation_time_ms_avg, -- [ms] (lower) mean computation time over ranks
  min(computation_ns) / 1e6 AS computation_time_ms_min, -- [ms] (lower) minimum computation time over ranks
  max(computation_ns) / 1e6 AS computation_time_ms_max, -- [ms] (lower) maximum computation time over ranks
  avg(exposed_comm_ns) / 1e6 AS exposed_comm_time_ms_avg, -- [ms] (lower) mean exposed communication time over ranks
  min(exposed_comm_ns) / 1e6 AS exposed_comm_time_ms_min, -- [ms] (lower) minimum exposed communication time over ranks
  max(exposed_comm_ns) / 1e6 AS exposed_comm_time_ms_max -- [ms] (lower) maximum exposed communication time over ranks
FROM timeline_sum
WHERE is_recompute IS NOT 1
GROUP BY run
ORDER BY run;
