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
-- columns-of: ranks_straggler_groups
-- empty: no_work, no_ranks, no_collectives, no_arrivals, no_steps, no_stepped_arrivals
CREATE VIEW ranks_straggler_steps AS
SELECT
  run,
  step AS step, -- [integer] number of the profiler step that launched the kernels of the collectives; empty: none
  label AS rank, sum(wait_ns) / 1000.0 AS total_wait_time_us, avg(wait_ns) / 1000.0 AS mean_wait_time_us, sum(is_last) AS times_arrived_last,
  sum(is_first) AS times_arrived_first, sum(is_last) * 100.0 / count(*) AS pct_arrived_last, count(*) AS participated,
  sum(blame_ns) / 1000.0 AS blame_us
FROM rank_arrival
WHERE run IN (SELECT run FROM rank_arrival WHERE step IS NOT NULL)
GROUP BY run, step, place, label
ORDER BY run, step, sum(wait_ns), place;
