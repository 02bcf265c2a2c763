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
-- leaves-out: left_out_of_arrivals
-- empty: lacks_work, lacks_ranks, lacks_collectives, lacks_arrivals, lacks_steps, lacks_stepped_arrivals
CREATE VIEW ranks_straggler_steps AS
SELECT
  run AS run, -- [text] run
  step AS step, -- [integer] number of the profiler step that launched its kernels; empty: none
  label AS rank, -- [label] rank
  sum(wait_ns) / 1000.0 AS total_wait_time_us, -- [us] how long it waited for the last rank
  avg(wait_ns) / 1000.0 AS mean_wait_time_us, -- [us] mean of the collectives that it took part in
  sum(is_last) AS times_arrived_last, -- [integer] (lower) how often it was the last to come; of several the lowest one is
  sum(is_first) AS times_arrived_first, -- [integer] how often it was the first to come; of several the highest one is
  sum(is_last) * 100.0 / count(*) AS pct_arrived_last, -- [%] (lower) share of the collectives that it took part in
  count(*) AS participated, -- [integer] collectives that it took part in
  sum(blame_ns) / 1000.0 AS blame_us -- [us] (lower) how long others together waited for it where it came last
FROM rank_arrival
WHERE run IN (SELECT run FROM rank_arrival WHERE step IS NOT NULL)
GROUP BY run, step, place, label
ORDER BY run, step, sum(wait_ns), place;
