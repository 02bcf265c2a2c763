-- GPU time by op over all ranks of a run.
-- set: multirank
-- question: ranks
-- sheet: kernel_launchers
-- position: 50
-- level: op
-- chart: bar name kernel_time_ms
-- key: name
-- measure: kernel_time_ms, count
-- work: GPU time of ops
-- unit: run
-- terminal: name, kernel_time_ms, pct, count, time_ms_avg, count_avg, cum_pct
-- not-included: not_included_in_ops
-- empty: no_work, no_launchers
CREATE VIEW ranks_launchers AS
WITH named AS (
  SELECT run, name, max(world_size) AS world_size, sum(launches) AS launches, sum(direct_ns) AS direct_ns
  FROM rank_launcher
  GROUP BY run, name
)
SELECT
  run AS run, -- [text] name of the run
  name AS name, -- [text] name of the op, or of the runtime call where no op is recorded
  launches AS count, -- [integer] number of calls on all ranks
  direct_ns / 1e6 AS kernel_time_ms, -- (lower) busy time of the GPU activities that the calls launch
  direct_ns * 100.0 / nullif(sum(direct_ns) OVER (PARTITION BY run), 0) AS pct, -- [%] share of the GPU time of all rows
  sum(direct_ns) OVER (PARTITION BY run ORDER BY direct_ns DESC, name ROWS UNBOUNDED PRECEDING) * 100.0
    / nullif(sum(direct_ns) OVER (PARTITION BY run), 0) AS cum_pct, -- [%] cumulative share of the row and all rows above
  direct_ns / 1e6 / world_size AS time_ms_avg, -- "time_ms_avg" [ms] mean GPU time over all ranks, ranks without such a call included
  launches * 1.0 / world_size AS count_avg -- [real] mean number of calls over all ranks, ranks without such a call included
FROM named
ORDER BY run, direct_ns DESC, name;
