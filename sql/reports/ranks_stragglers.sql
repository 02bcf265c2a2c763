-- Stragglers: waits of each rank in collectives, and waits of others for it. The rank that waits
-- least comes first. Exchanges, and a send with its receive, count where their kernels run at one
-- time on all ranks.
-- set: collectives
-- question: ranks first
-- words: slowest, stragglers, imbalance, skew
-- sheet: straggler_summary
-- position: 70
-- key: rank
-- measure: total_wait_time_us
-- unit: run
-- drop-empty: participated, blame_us
-- columns-when: participated not compat, blame_us not compat, node_id gpus-per-node
-- terminal: rank, blame_us, times_arrived_last, pct_arrived_last, total_wait_time_us, mean_wait_time_us, times_arrived_first, participated, num_collectives, total_nccl_dur_us
-- chart: bar rank total_wait_time_us
-- not-included: not_included_in_arrivals
-- empty: no_work, no_ranks, no_collectives, no_arrivals
CREATE VIEW ranks_stragglers AS
-- the reference rounds to tenths, half to even, as doubles of the size of `even` are by themselves
WITH arrived AS (
  SELECT run, place, label, rank, sum(wait_ns) AS wait_ns, sum(is_last) AS times_last, sum(is_first) AS times_first, count(*) AS collectives, sum(blame_ns) AS blame_ns
  FROM rank_arrival
  GROUP BY run, place, label, rank
),
worked AS MATERIALIZED (
  SELECT run, place, sum(dur_ns) AS dur_ns
  FROM collective_call
  GROUP BY run, place
),
measured AS (
  SELECT arrived.run AS run, arrived.place AS place, arrived.label AS label, arrived.rank AS rank, arrived.wait_ns AS all_wait_ns, arrived.wait_ns / 1000.0 AS wait_us,
    arrived.wait_ns * 1.0 / arrived.collectives / 1000.0 AS mean_us, arrived.times_last AS times_last, arrived.times_first AS times_first,
    arrived.collectives AS participated, arrived.blame_ns / 1000.0 AS blame_us, sum(arrived.times_last) OVER (PARTITION BY arrived.run) AS collectives,
    worked.dur_ns / 1000.0 AS dur_us, (SELECT tpq_like_reference('ranks: how often ranks came last')) AS is_rounded,
    6755399441055744.0 AS even
  FROM arrived
  JOIN worked ON worked.run = arrived.run AND worked.place = arrived.place
),
shared AS (
  SELECT run, place, label, rank, all_wait_ns, wait_us, mean_us, times_last, times_first, participated, blame_us, collectives, dur_us, is_rounded, even,
    times_last * 100.0 / CASE WHEN is_rounded THEN collectives ELSE participated END AS percent
  FROM measured
)
SELECT
  run AS run, -- [text] name of the run
  shared.label AS rank, -- [label] number of the rank
  CASE WHEN is_rounded THEN (wait_us * 10 + even - even) / 10 ELSE wait_us END AS total_wait_time_us, -- [us] total wait for the last rank, in all collectives
  CASE WHEN is_rounded THEN (mean_us * 10 + even - even) / 10 ELSE mean_us END AS mean_wait_time_us, -- [us] mean wait per collective of the rank
  times_last AS times_arrived_last, -- [integer] (lower) number of collectives where the rank started last; of equal starts the lowest rank counts
  times_first AS times_arrived_first, -- [integer] number of collectives where the rank started first; of equal starts the highest rank counts
  CASE WHEN is_rounded THEN (percent * 10 + even - even) / 10 ELSE percent END AS pct_arrived_last, -- [%] (lower) share of the collectives that it took part in to which it came last
  collectives AS num_collectives, -- [integer] number of collectives of the run where ranks wait for each other
  CASE WHEN is_rounded THEN (dur_us * 10 + even - even) / 10 ELSE dur_us END AS total_nccl_dur_us, -- [us] sum of the durations of the collective kernels of the rank
  participated AS participated, -- [integer] number of waiting collectives with the rank
  blame_us AS blame_us, -- [us] (lower) total wait of the other ranks where the rank started last
  shared.rank / CAST((SELECT tpq_option('gpus-per-node')) AS INTEGER) AS node_id -- [integer] node of the rank (--gpus-per-node)
FROM shared
ORDER BY run, all_wait_ns, place;
