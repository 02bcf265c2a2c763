-- GPU time by kind for each rank: compute, communication, memcpy, idle.
-- set: multirank
-- question: ranks first
-- sheet: gpu_timelines
-- position: 60
-- level: timeline
-- chart: bar type time_ms_avg
-- key: type, rank, is_recompute
-- measure: time_ms
-- total: total_time
-- unit: run
-- tab: ranks
-- spread: time_ms+percent over rank
-- drop-empty: is_recompute
-- terminal: type, time_ms_avg, time_ms_std, time_ms_min, time_ms_max
-- not-included: not_included_in_timelines
-- empty: no_work
CREATE VIEW ranks_timeline AS
WITH timeline AS MATERIALIZED (
  SELECT gpu_timeline.run AS run, run_rank.label AS label, run_rank.place AS place, type, time_ms, percent, is_recompute,
    instr('computation_time exposed_comm_time exposed_memcpy_time busy_time idle_time micro_idle_time macro_idle_time total_time total_comm_time total_memcpy_time', type) AS position
  FROM gpu_timeline
  JOIN run_rank ON run_rank.run = gpu_timeline.run AND run_rank.trace_id = gpu_timeline.trace_id
),
over_ranks AS (
  SELECT run, type, is_recompute, avg(time_ms) AS mean, stddev_pop(time_ms) AS deviation, min(time_ms) AS least, max(time_ms) AS most
  FROM timeline
  GROUP BY run, type, is_recompute
)
SELECT
  timeline.run AS run, -- [text] name of the run
  timeline.type AS type, -- [text] kind of time; computation, exposed_comm, exposed_memcpy and idle add up to the total
  timeline.label AS rank, -- [label] number of the rank
  timeline.time_ms AS time_ms, -- "time_ms_{}" [ms] (lower) time of the kind
  timeline.percent AS percent, -- "percent_{}" [%] share of the total time of the rank
  over_ranks.mean AS time_ms_avg, -- "time_ms_avg" [ms] mean time over ranks
  over_ranks.deviation AS time_ms_std, -- "time_ms_std" [ms] population standard deviation of the time over ranks
  over_ranks.least AS time_ms_min, -- "time_ms_min" [ms] minimum time over ranks
  over_ranks.most AS time_ms_max, -- "time_ms_max" [ms] maximum time over ranks
  timeline.is_recompute AS is_recompute -- [boolean] whether the GPU activities recompute activations
FROM timeline
JOIN over_ranks ON over_ranks.run = timeline.run AND over_ranks.type = timeline.type AND over_ranks.is_recompute IS timeline.is_recompute
ORDER BY timeline.run, timeline.is_recompute, timeline.position, timeline.place;
