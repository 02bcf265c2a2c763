-- Collectives of runs by name, type and size. Ranks are joined where each records the collective's
-- number within its communicator.
-- set: fleet
-- question: ranks
-- position: 60
-- unit: run
-- key: name, dtype, size
-- measure: mean_latency_us, most_wait_us
-- not-included: not_included_in_sequences
-- empty: no_work, no_collectives, no_sequences
CREATE VIEW fleet_collective AS
WITH matched AS (
  SELECT run AS run, group_name AS group_name, group_ranks AS group_ranks, collective_name AS name, seq AS seq,
    min(dtype) AS dtype, max(in_elements) AS size, count(DISTINCT trace) AS ranks, min(dur_ns) AS latency_ns, max(dur_ns) - min(dur_ns) AS wait_ns
  FROM fact_collective
  WHERE seq IS NOT NULL
  GROUP BY run, group_name, group_ranks, collective_name, seq
),
grouped AS (
  SELECT run AS run, name AS name, dtype AS dtype, size AS size, count(*) AS collectives, max(ranks) AS ranks, sum(latency_ns) AS latency_ns, max(wait_ns) AS wait_ns
  FROM matched
  GROUP BY run, name, dtype, size
)
SELECT
  run AS run, -- [text] name of the run
  name AS name, -- [text] name of the collective
  dtype AS dtype, -- [text] type of the elements
  CAST(size AS BIGINT) AS size, -- [integer] elements that go in
  CAST(collectives AS BIGINT) AS collectives, -- [integer] number of collectives
  CAST(ranks AS BIGINT) AS ranks, -- [integer] ranks that were seen in one
  CAST(latency_ns AS DOUBLE PRECISION) / 1000 / CAST(collectives AS DOUBLE PRECISION) AS mean_latency_us, -- [us] (lower) mean duration on the rank that came last
  CAST(wait_ns AS DOUBLE PRECISION) / 1000 AS most_wait_us -- [us] (lower) longest wait of a rank for the others
FROM grouped
ORDER BY run, latency_ns DESC, name NULLS LAST, dtype NULLS LAST, size NULLS LAST;
