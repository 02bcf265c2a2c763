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
-- leaves-out: left_out_of_ops
-- empty: lacks_work, lacks_launchers
CREATE VIEW ranks_launchers AS
WITH named AS (
  SELECT run, name, max(world_size) AS world_size, sum(launches) AS launches, sum(direct_ns) AS direct_ns
  FROM rank_launcher
  GROUP BY run, name
)
SELECT
  run AS run, -- [text] run
  name AS name, -- [text] name of the op, or of the runtime call where there is none
  launches AS count, -- [integer] calls on all ranks
  direct_ns / 1e6 AS kernel_time_ms, -- (lower) time covered by the work that they launched
  direct_ns * 100.0 / nullif(sum(direct_ns) OVER (PARTITION BY run), 0) AS pct, -- [%] share of the sum over all rows
  sum(direct_ns) OVER (PARTITION BY run ORDER BY direct_ns DESC, name ROWS UNBOUNDED PRECEDING) * 100.0
    / nullif(sum(direct_ns) OVER (PARTITION BY run), 0) AS cum_pct, -- [%] share of this row and those above
  direct_ns / 1e6 / world_size AS time_ms_avg, -- "time_ms_avg" [ms] time on a rank, the mean over all, also those without such a call
  launches * 1.0 / world_size AS count_avg -- [real] calls on a rank, the mean over all
FROM named
ORDER BY run, direct_ns DESC, name;
