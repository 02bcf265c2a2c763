-- Waits of each rank by profiler step. The rank that waits least comes first.
-- set: collectives
-- question: ranks
-- sheet: straggler_by_step
-- position: 100
-- when: not compat
-- key: step, rank
-- measure: total_wait_time_us, participated
-- unit: run
-- terminal: step, rank, blame_us, times_arrived_last, pct_arrived_last, total_wait_time_us, mean_wait_time_us, times_arrived_first, participated
-- not-included: not_included_in_arrivals
-- empty: no_work, no_ranks, no_collectives, no_arrivals, no_steps, no_stepped_arrivals
CREATE VIEW ranks_straggler_steps AS
SELECT
  run AS run, -- [text] name of the run
  step AS step, -- [integer] number of the profiler step that launched the kernels of the collectives; empty: none
  label AS rank, -- [label] number of the rank
  sum(wait_ns) / 1000.0 AS total_wait_time_us, -- [us] total wait for the last rank
  avg(wait_ns) / 1000.0 AS mean_wait_time_us, -- [us] mean wait per collective of the rank
  sum(is_last) AS times_arrived_last, -- [integer] (lower) number of collectives where the rank started last; of equal starts the lowest rank counts
  sum(is_first) AS times_arrived_first, -- [integer] number of collectives where the rank started first; of equal starts the highest rank counts
  sum(is_last) * 100.0 / count(*) AS pct_arrived_last, -- [%] (lower) collectives where the rank started last, as a share of the collectives of the rank
  count(*) AS participated, -- [integer] number of collectives of the rank
  sum(blame_ns) / 1000.0 AS blame_us -- [us] (lower) total wait of the other ranks where the rank started last
FROM rank_arrival
WHERE run IN (SELECT run FROM rank_arrival WHERE step IS NOT NULL)
GROUP BY run, step, place, label
ORDER BY run, step, sum(wait_ns), place;
