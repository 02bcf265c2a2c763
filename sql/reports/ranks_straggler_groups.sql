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
-- leaves-out: left_out_of_arrivals
-- empty: lacks_work, lacks_ranks, lacks_collectives, lacks_arrivals
CREATE VIEW ranks_straggler_groups AS
SELECT
  run AS run, -- [text] run
  group_key AS group_key, -- "Process Group" [text] process group, with its ranks where several are called so
  label AS rank, -- [label] rank
  sum(wait_ns) / 1000.0 AS total_wait_time_us, -- [us] how long it waited for the last rank
  avg(wait_ns) / 1000.0 AS mean_wait_time_us, -- [us] mean of the collectives that it took part in
  sum(is_last) AS times_arrived_last, -- [integer] (lower) how often it was the last to come; of several the lowest one is
  sum(is_first) AS times_arrived_first, -- [integer] how often it was the first to come; of several the highest one is
  sum(is_last) * 100.0 / count(*) AS pct_arrived_last, -- [%] (lower) share of the collectives that it took part in
  count(*) AS participated, -- [integer] collectives that it took part in
  sum(blame_ns) / 1000.0 AS blame_us -- [us] (lower) how long others together waited for it where it came last
FROM rank_arrival
GROUP BY run, group_key, place, label
ORDER BY run, group_key, sum(wait_ns), place;
