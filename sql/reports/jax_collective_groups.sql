-- Each XLA collective in each group of ranks, by its fastest rank.
-- set: jax
-- question: communication
-- format: xplane profiles of XLA
-- position: 130
-- key: collective_name, place
-- within: collective_id
-- measure: dur_ps
-- unit: run
-- when: never
-- empty: no_xla_kernels, no_xla_collectives
CREATE VIEW jax_collective_groups AS
WITH event AS MATERIALIZED (
  SELECT run, gpu_rank, dur_ps, collective_name, collective_id, replica_groups, group_size, moved_bytes FROM xla_collective
),
whole AS (
  SELECT run, collective_id FROM event GROUP BY run, collective_id HAVING count(DISTINCT coalesce(replica_groups, '')) = 1
),
member AS (
  SELECT event.run AS run, event.collective_name AS collective_name, event.collective_id AS collective_id, event.gpu_rank AS gpu_rank,
    event.dur_ps AS dur_ps, event.moved_bytes AS moved_bytes,
    CASE WHEN event.replica_groups IS NULL THEN 0 ELSE hlo_group(event.replica_groups, event.gpu_rank, nth.column1) END AS place,
    event.replica_groups AS replica_groups, event.group_size AS group_size
  FROM event
  JOIN whole ON whole.run = event.run AND whole.collective_id = event.collective_id
  CROSS JOIN (VALUES (0), (1)) AS nth
  WHERE event.replica_groups IS NOT NULL OR nth.column1 = 0
),
fastest AS (
  SELECT run, collective_name, collective_id, place, min(dur_ps) AS dur_ps,
    value_at_least(moved_bytes, dur_ps) AS moved_bytes, value_at_least(gpu_rank, dur_ps) AS fastest_gpu_rank,
    max(coalesce(hlo_group_size(replica_groups, place), group_size)) * 1.0 AS ranks
  FROM member
  WHERE place IS NOT NULL
  GROUP BY run, collective_name, collective_id, place
),
counted AS (
  SELECT run, collective_name, collective_id, place, dur_ps, moved_bytes, fastest_gpu_rank, ranks,
    CASE
      WHEN instr(collective_name, 'all-gather') = 1 THEN 2 * moved_bytes * (ranks - 1)
      WHEN instr(collective_name, 'all-reduce') = 1 THEN 2 * moved_bytes
      WHEN instr(collective_name, 'reduce-scatter') = 1 THEN moved_bytes + moved_bytes / ranks
      WHEN instr(collective_name, 'all-to-all') = 1 THEN 2 * moved_bytes * (ranks - 1) / ranks
      WHEN instr(collective_name, 'collective-permute') = 1 THEN 2 * moved_bytes
      ELSE moved_bytes
    END AS io_bytes,
    CASE
      WHEN instr(collective_name, 'all-reduce') = 1 THEN 2 * (ranks - 1) / ranks
      WHEN instr(collective_name, 'all-gather') = 1 OR instr(collective_name, 'reduce-scatter') = 1 OR instr(collective_name, 'all-to-all') = 1 THEN (ranks - 1) / ranks
      ELSE 1
    END AS bus_factor
  FROM fastest
)
SELECT
  run AS run, -- [text] name of the run
  collective_name AS collective_name, -- [text] name of the HLO instruction
  collective_id AS collective_id, -- [text] name and index of the collective
  place AS place, -- [integer] index of the group of ranks, from 0
  fastest_gpu_rank AS fastest_gpu_rank, -- [integer] rank with the shortest duration
  dur_ps AS dur_ps, -- [ps] (lower) duration on the fastest rank
  CAST(ranks AS INTEGER) AS ranks, -- [integer] number of ranks of the group
  moved_bytes AS moved_bytes, -- [real] bytes given by the fastest rank
  io_bytes AS io_bytes, -- [real] bytes read and written, as the bandwidth counts them
  io_bytes / 1073741824.0 / nullif(dur_ps / 1e12, 0) AS algorithmic_gbps, -- [GiB/s] algorithmic bandwidth of the group
  io_bytes / 1073741824.0 / nullif(dur_ps / 1e12, 0) * bus_factor AS bus_gbps -- [GiB/s] bus bandwidth of the group: bandwidth on each link
FROM counted
ORDER BY run, collective_name, collective_id, place;
