-- Configurations side by side: GPU time by kind over their ranks (mean, minimum, maximum).
-- set: multirank-summary
-- question: ranks
-- sheet: configs
-- position: 10
-- key: world_size
-- unit: run
-- terminal: name, world_size, total_time_ms_avg, busy_time_ms_avg, idle_time_ms_avg, computation_time_ms_avg, exposed_comm_time_ms_avg
-- empty: lacks_work
CREATE VIEW ranks_configs AS
SELECT
  run AS run, -- [text] run
  run AS name, -- [text] name of the configuration
  count(*) AS world_size, -- [integer] ranks
  avg(total_ns) / 1e6 AS total_time_ms_avg, -- [ms] (lower) from the first start to the last end, mean over ranks
  min(total_ns) / 1e6 AS total_time_ms_min, -- [ms] (lower) of the rank that has the least
  max(total_ns) / 1e6 AS total_time_ms_max, -- [ms] (lower) of the rank that has the most
  avg(busy_ns) / 1e6 AS busy_time_ms_avg, -- [ms] (lower) time with any work, mean
  min(busy_ns) / 1e6 AS busy_time_ms_min, -- [ms] (lower) least
  max(busy_ns) / 1e6 AS busy_time_ms_max, -- [ms] (lower) most
  avg(total_ns - busy_ns) / 1e6 AS idle_time_ms_avg, -- [ms] (lower) time without work, mean
  min(total_ns - busy_ns) / 1e6 AS idle_time_ms_min, -- [ms] (lower) least
  max(total_ns - busy_ns) / 1e6 AS idle_time_ms_max, -- [ms] (lower) most
  avg(computation_ns) / 1e6 AS computation_time_ms_avg, -- [ms] (lower) time with computation, mean
  min(computation_ns) / 1e6 AS computation_time_ms_min, -- [ms] (lower) least
  max(computation_ns) / 1e6 AS computation_time_ms_max, -- [ms] (lower) most
  avg(exposed_comm_ns) / 1e6 AS exposed_comm_time_ms_avg, -- [ms] (lower) time with communication and no computation, mean
  min(exposed_comm_ns) / 1e6 AS exposed_comm_time_ms_min, -- [ms] (lower) least
  max(exposed_comm_ns) / 1e6 AS exposed_comm_time_ms_max -- [ms] (lower) most
FROM timeline_sum
WHERE is_recompute IS NOT 1
GROUP BY run
ORDER BY run;
