-- Waits of each rank by process group. The rank that waits least comes first.
-- set: collectives
-- question: ranks
-- sheet: straggler_by_group
-- position: 90
-- when: not compat
-- key: group_key, rank
-- measure: total_wait_time_us, participated
-- unit: run
-- terminal: group_key, rank, blame_us, times_arrived_last, pct_arrived_last, total_wait_time_us, mean_wait_time_us, times_arrived_first, participated
-- not-included: not_included_in_arrivals
-- empty: no_work, no_ranks, no_collectives, no_arrivals
CREATE VIEW ranks_straggler_groups AS
SELECT
  run AS run, -- [text] name of the run
  group_key AS group_key, -- "Process Group" [text] process group, with its ranks where several groups have one name
  label AS rank, -- [label] number of the rank
  sum(wait_ns) / 1000.0 AS total_wait_time_us, -- [us] total wait for the last rank
  avg(wait_ns) / 1000.0 AS mean_wait_time_us, -- [us] mean wait per collective of the rank
  sum(is_last) AS times_arrived_last, -- [integer] (lower) number of collectives where the rank started last; of equal starts the lowest rank counts
  sum(is_first) AS times_arrived_first, -- [integer] number of collectives where the rank started first; of equal starts the highest rank counts
  sum(is_last) * 100.0 / count(*) AS pct_arrived_last, -- [%] (lower) collectives where the rank started last, as a share of the collectives of the rank
  count(*) AS participated, -- [integer] number of collectives of the rank
  sum(blame_ns) / 1000.0 AS blame_us -- [us] (lower) total wait of the other ranks where the rank started last
FROM rank_arrival
GROUP BY run, group_key, place, label
ORDER BY run, group_key, sum(wait_ns), place;
