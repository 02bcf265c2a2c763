-- Waits of each rank for the last one, collective by collective.
-- set: multirank
-- question: ranks
-- position: 145
-- key: group_name, number, rank
-- measure: wait_us
-- unit: run
-- when: never
-- tab: ranks
-- chart: heat place rank wait_us
-- terminal: place, collective_name, rank, wait_us, duration_us, skew_us, size, group_name, number
-- not-included: not_included_in_waiting
-- empty: no_work, no_ranks, no_collectives, no_waiting
CREATE VIEW ranks_waits AS
WITH call AS MATERIALIZED (
  SELECT run, collective, group_name, collective_name, label, place, index_in_group, wait_ns, dur_ns, uid,
    CASE type WHEN 'allgather' THEN out_mb ELSE in_mb END AS size, max(wait_ns) OVER (PARTITION BY run, collective) AS skew_ns, min(common_ns) OVER (PARTITION BY run, collective) AS first_ns
  FROM collective_call
  WHERE wait_ns IS NOT NULL
)
SELECT
  run AS run, -- [text] name of the run
  dense_rank() OVER (PARTITION BY run ORDER BY first_ns, collective) - 1 AS place, -- [integer] position of the collective, in the order of first starts
  group_name AS group_name, -- [text] name of the process group
  index_in_group AS number, -- [integer] number of the collective in its process group
  collective_name AS collective_name, -- [text] kind of collective
  label AS rank, -- [label] number of the rank
  wait_ns / 1000.0 AS wait_us, -- [us] (lower) wait for the last rank
  dur_ns / 1000.0 AS duration_us, -- [us] (lower) duration of the collective kernel
  skew_ns / 1000.0 AS skew_us, -- [us] (lower) start skew: from the first start to the last start over ranks
  size AS size -- [MB] size of the full message; of all_to_allv the bytes sent by the rank
FROM call
ORDER BY run, first_ns, collective, call.place, call.uid;
