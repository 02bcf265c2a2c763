-- Launch configuration by kernel: grid, block, registers, shared memory, occupancy. Means are
-- weighted by time. Not every profiler records all of them.
-- set: pytorch
-- question: efficiency
-- position: 260
-- key: kernel_name
-- measure: time_ms, launches
-- work: GPU time of kernels
-- when: never
-- drop-empty: registers_per_thread, shared_memory_bytes, occupancy_mean, occupancy_min, occupancy_max, warps_per_sm, blocks_per_sm
-- terminal: kernel_name, time_ms, percent, launches, occupancy_mean, grid, block, registers_per_thread, shared_memory_bytes, shapes, warps_per_sm, blocks_per_sm, occupancy_min, occupancy_max
-- not-included: not_included_besides_kernels
-- empty: no_work, no_kernels
CREATE VIEW kernel_shape AS
WITH alike AS (
  SELECT run, trace_id, name_id, args_id, count(*) AS launches, sum(dur_ns) AS sum_ns
  FROM kernel_work
  GROUP BY run, trace_id, name_id, args_id
),
shaped AS (
  SELECT run, trace_id, name_id, launches, sum_ns,
    arg(args.json, 'grid') AS grid, arg(args.json, 'block') AS block,
    arg(args.json, 'registers per thread') AS registers, arg(args.json, 'shared memory') AS shared,
    arg(args.json, 'est. achieved occupancy %') AS occupancy,
    arg(args.json, 'warps per SM') AS warps, arg(args.json, 'blocks per SM') AS blocks
  FROM alike
  LEFT JOIN args ON args.id = alike.args_id
),
by_shape AS (
  SELECT run, trace_id, name_id, grid, block, sum(launches) AS launches, sum(sum_ns) AS sum_ns,
    max(registers) AS registers, max(shared) AS shared, min(occupancy) AS occupancy_min, max(occupancy) AS occupancy_max,
    sum(occupancy * sum_ns) AS occupancy_sum, sum(sum_ns) FILTER (WHERE occupancy IS NOT NULL) AS occupancy_ns,
    sum(warps * sum_ns) AS warps_sum, sum(sum_ns) FILTER (WHERE warps IS NOT NULL) AS warps_ns,
    sum(blocks * sum_ns) AS blocks_sum, sum(sum_ns) FILTER (WHERE blocks IS NOT NULL) AS blocks_ns
  FROM shaped
  GROUP BY run, trace_id, name_id, grid, block
),
grouped AS (
  SELECT run, trace_id, name_id, sum(launches) AS launches, sum(sum_ns) AS sum_ns, count(*) AS shapes,
    value_at_least(grid, -sum_ns) AS grid, value_at_least(block, -sum_ns) AS block,
    max(registers) AS registers, max(shared) AS shared, min(occupancy_min) AS occupancy_min, max(occupancy_max) AS occupancy_max,
    sum(occupancy_sum) * 1.0 / nullif(sum(occupancy_ns), 0) AS occupancy_mean,
    sum(warps_sum) * 1.0 / nullif(sum(warps_ns), 0) AS warps_mean,
    sum(blocks_sum) * 1.0 / nullif(sum(blocks_ns), 0) AS blocks_mean
  FROM by_shape
  GROUP BY run, trace_id, name_id
)
SELECT
  grouped.run AS run, -- [text] name of the run
  grouped.trace_id AS trace_id, -- [integer] id of the trace
  name.text AS kernel_name, -- [kernel] name of the kernel
  launches AS launches, -- [integer] number of launches of the kernel
  sum_ns / 1000000.0 AS time_ms, -- [ms] (lower) total kernel duration
  sum_ns * 100.0 / nullif(sum(sum_ns) OVER (PARTITION BY grouped.run, grouped.trace_id), 0) AS percent, -- [%] share of the total duration of all kernels
  occupancy_mean AS occupancy_mean, -- [%] (higher) mean achieved occupancy, as the profiler estimates it; 0 also where it is not known
  CAST(occupancy_min AS REAL) AS occupancy_min, -- [%] (higher) minimum achieved occupancy
  CAST(occupancy_max AS REAL) AS occupancy_max, -- [%] (higher) maximum achieved occupancy
  grid AS grid, -- [tuple] grid of a launch, in blocks (in work-items from hipExtModuleLaunchKernel); of several launch shapes, the one with the largest total time
  block AS block, -- [tuple] block of a launch, in threads, for the launch shape of the grid
  shapes AS shapes, -- [integer] number of different launch shapes (grid and block)
  registers AS registers_per_thread, -- [integer] maximum registers per thread
  shared AS shared_memory_bytes, -- [bytes] maximum shared memory per block
  warps_mean AS warps_per_sm, -- [real] (higher) mean number of warps per multiprocessor
  blocks_mean AS blocks_per_sm -- [real] (higher) mean number of blocks per multiprocessor; below 1 some multiprocessors have no block
FROM grouped
JOIN string AS name ON name.id = grouped.name_id
ORDER BY grouped.run, grouped.trace_id, sum_ns DESC, kernel_name;
