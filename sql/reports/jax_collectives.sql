-- XLA collectives by kind over all hosts of a run, with bandwidth. Bytes are counted as XLA's
-- inputs and outputs; bus bandwidth is what each link sees.
-- set: jax
-- question: communication
-- format: xplane profiles of XLA
-- alias: jax-collectives
-- position: 110
-- level: collective
-- key: type
-- unit: run
-- empty: no_xla_kernels, no_xla_collectives
CREATE VIEW jax_collectives AS
WITH slice AS (
  SELECT run, collective_name, collective_id, avg(algorithmic_gbps) AS algorithmic_gbps, avg(bus_gbps) AS bus_gbps, avg(moved_bytes) AS bytes
  FROM jax_collective_groups
  GROUP BY run, collective_name, collective_id
),
typed AS (
  SELECT slice.run AS run, slice.collective_name AS collective_name, slice.algorithmic_gbps AS algorithmic_gbps, slice.bus_gbps AS bus_gbps,
    slice.bytes AS bytes,
    coalesce((SELECT column1 FROM (VALUES ('all-gather'), ('all-reduce'), ('reduce-scatter'), ('all-to-all'), ('collective-permute'))
      WHERE instr(slice.collective_name, column1) = 1), 'other') AS type
  FROM slice
),
sized AS (
  SELECT run, type, avg(bytes) AS bytes
  FROM (SELECT run, type, collective_name, avg(bytes) AS bytes FROM typed GROUP BY run, type, collective_name)
  GROUP BY run, type
),
measured AS (
  SELECT run, coalesce((SELECT column1 FROM (VALUES ('all-gather'), ('all-reduce'), ('reduce-scatter'), ('all-to-all'), ('collective-permute'))
    WHERE instr(collective_name, column1) = 1), 'other') AS type, count(*) AS count
  FROM jax_collective_groups
  GROUP BY 1, 2
)
SELECT
  typed.run AS run, -- [text] name of the run
  typed.type AS type, -- [text] kind of collective
  count(DISTINCT typed.collective_name) AS num_operations, -- [integer] number of HLO instructions
  count(*) AS total_slices, -- [integer] number of executions of the instructions
  max(measured.count) AS total_measurements, -- [integer] number of measurements: one per execution and group of ranks
  avg(typed.algorithmic_gbps) AS avg_bandwidth_gbps, -- [GiB/s] (higher) mean algorithmic bandwidth, by the duration on the fastest rank
  median(typed.algorithmic_gbps) AS median_bandwidth_gbps, -- [GiB/s] median algorithmic bandwidth
  min(typed.algorithmic_gbps) AS min_bandwidth_gbps, -- [GiB/s] minimum algorithmic bandwidth
  max(typed.algorithmic_gbps) AS max_bandwidth_gbps, -- [GiB/s] maximum algorithmic bandwidth
  stddev_pop(typed.algorithmic_gbps) AS std_bandwidth_gbps, -- [GiB/s] standard deviation of the algorithmic bandwidth
  percentile(typed.algorithmic_gbps, 25) AS p25_bandwidth_gbps, -- [GiB/s] 25th percentile of the algorithmic bandwidth
  percentile(typed.algorithmic_gbps, 75) AS p75_bandwidth_gbps, -- [GiB/s] 75th percentile of the algorithmic bandwidth
  avg(typed.bus_gbps) AS avg_bus_bandwidth_gbps, -- [GiB/s] (higher) mean bus bandwidth
  median(typed.bus_gbps) AS median_bus_bandwidth_gbps, -- [GiB/s] median bus bandwidth
  min(typed.bus_gbps) AS min_bus_bandwidth_gbps, -- [GiB/s] minimum bus bandwidth
  max(typed.bus_gbps) AS max_bus_bandwidth_gbps, -- [GiB/s] maximum bus bandwidth
  stddev_pop(typed.bus_gbps) AS std_bus_bandwidth_gbps, -- [GiB/s] standard deviation of the bus bandwidth
  percentile(typed.bus_gbps, 25) AS p25_bus_bandwidth_gbps, -- [GiB/s] 25th percentile of the bus bandwidth
  percentile(typed.bus_gbps, 75) AS p75_bus_bandwidth_gbps, -- [GiB/s] 75th percentile of the bus bandwidth
  max(sized.bytes) / 1048576.0 AS avg_data_size_mb -- [MiB] mean size per rank over the instructions
FROM typed
JOIN sized ON sized.run = typed.run AND sized.type = typed.type
JOIN measured ON measured.run = typed.run AND measured.type = typed.type
GROUP BY typed.run, typed.type
ORDER BY typed.run, avg_bandwidth_gbps DESC, typed.type;
