-- Launch shapes of kernels. The grid is in blocks: Kineto records work-items where hipExtModuleLaunchKernel
-- took these. Traces of ROCm number agents, CPUs too: their devices count where all are alike.
CREATE VIEW launch_shape AS
SELECT
  launch.id AS id, -- id of the kernel
  launch.trace_id AS trace_id, -- id of the trace
  format('[%d,%d,%d]', x, y, z) AS grid, -- grid of the launch, in blocks
  format('[%d,%d,%d]', a, b, c) AS block, -- block of the launch, in threads
  x * y * z AS blocks, -- blocks of the grid
  a * b * c AS threads, -- threads of a block
  coalesce(CAST(round(x * y * z / nullif(arg(json, 'blocks per SM'), 0)) AS INTEGER), device.cores) AS cores, -- multiprocessors of the device
  nullif(arg(json, 'registers per thread'), 0) AS registers, -- registers of a thread
  arg(json, 'shared memory') AS shared, -- bytes of shared memory of a block
  nullif(arg(json, 'est. achieved occupancy %'), 0) / 100.0 AS occupancy, -- occupancy that the profiler estimates
  device_id AS device_id -- device, in the table device
FROM (
  SELECT id, trace_id, json, device_id, a, b, c, (x + is_items * (a - 1)) / iif(is_items, a, 1) AS x, (y + is_items * (b - 1)) / iif(is_items, b, 1) AS y, (z + is_items * (c - 1)) / iif(is_items, c, 1) AS z
  FROM (
    SELECT work.id AS id, work.trace_id AS trace_id, args.json AS json, json_extract(args.json, '$.grid[0]') AS x, json_extract(args.json, '$.grid[1]') AS y, json_extract(args.json, '$.grid[2]') AS z,
      json_extract(args.json, '$.block[0]') AS a, json_extract(args.json, '$.block[1]') AS b, json_extract(args.json, '$.block[2]') AS c,
      coalesce((call.text GLOB 'hipExt*Launch*' OR call.text = 'hipHccModuleLaunchKernel') AND instr(args.json, '"grid work-items"') = 0, 0) AS is_items,
      coalesce((SELECT min(device.id) FROM device WHERE device.trace_id = work.trace_id AND ordinal = work.device), (SELECT min(device.id) FROM device WHERE device.trace_id = work.trace_id HAVING min(cores) = max(cores))) AS device_id
    FROM gpu_event AS work
    JOIN args ON args.id = work.args_id
    LEFT JOIN event ON event.id = work.call_id
    LEFT JOIN string AS call ON call.id = event.name_id)
  WHERE x > 0 AND y > 0 AND z > 0 AND a > 0 AND b > 0 AND c > 0) AS launch
LEFT JOIN device ON device.id = launch.device_id;

-- Launch shapes of compute kernels and their waves: a multiprocessor holds some blocks at a time. These follow
-- from threads, registers and shared memory where the trace has the limits of the device, by the rules of
-- CUDA; else from the occupancy that the profiler estimates.
CREATE VIEW launch_wave AS
WITH alike AS (
  SELECT scope.run AS run, scope.trace_id AS trace_id, work.category_id AS category_id, work.name_id AS name_id, work.args_id AS args_id, min(work.id) AS first_id, count(*) AS calls, sum(work.dur_ns) AS time_ns
  FROM scope
  CROSS JOIN gpu_event AS work ON work.id BETWEEN scope.first_event AND scope.last_event
  WHERE work.category_id = (SELECT id FROM category WHERE name = 'kernel') AND work.args_id IS NOT NULL
  GROUP BY scope.run, scope.trace_id, work.name_id, work.args_id
),
kind AS MATERIALIZED (SELECT run, trace_id, name_id, value_at_least(kind, -time_ns) AS kind FROM work_kind GROUP BY run, trace_id, name_id),
-- From compute capability 8 on a block takes 1 KiB of shared memory more.
limits AS MATERIALIZED (
  SELECT id, coalesce(arg(properties, 'maxThreadsPerMultiprocessor'), arg(properties, 'maxWarpsPerSm') * 32) AS most_threads, arg(properties, 'regsPerMultiprocessor') AS most_registers,
    arg(properties, 'sharedMemPerMultiprocessor') AS most_shared, iif(CAST(architecture AS REAL) >= 8, 1024, 0) AS reserved,
    CASE WHEN architecture IN ('7.5', '8.6', '8.7') THEN 16 WHEN architecture IN ('8.9', '12.0', '12.1') THEN 24 ELSE 32 END AS most_blocks
  FROM device
  WHERE trace_id IN (SELECT trace_id FROM scope)
),
shaped AS (
  SELECT alike.run AS run, alike.trace_id AS trace_id, alike.name_id AS name_id, args_id, calls, time_ns, grid, block, blocks, threads, cores, registers, shared, occupancy, (threads + 31) / 32 AS warps,
    most_threads, most_registers, most_shared, reserved, most_blocks
  FROM alike
  CROSS JOIN launch_shape AS shape ON shape.id = alike.first_id
  LEFT JOIN limits ON limits.id = shape.device_id
  WHERE kernel_class('timeline', alike.category_id, alike.name_id) = 'computation' AND shape.cores > 0
),
-- Registers are given to a warp in units of 256; a quarter of the warps shares a quarter of them.
fitted AS (
  SELECT run, trace_id, name_id, args_id, calls, time_ns, grid, block, blocks, threads, cores, max(round(occupancy * most_threads / threads), 1) AS at_once,
    max(min(most_threads / 32 / warps, most_blocks, most_registers / 4 / ((registers * 32 + 255) / 256 * 256) * 4 / warps, most_shared / max((shared + reserved + 127) / 128 * 128, 1)), 1) AS fit
  FROM shaped
)
SELECT
  fitted.run AS run, -- name of the run
  fitted.trace_id AS trace_id, -- id of the trace
  fitted.name_id AS name_id, -- name of the kernel
  args_id AS args_id, -- arguments of the launches
  kind.kind AS kind, -- kind of op with most of the time of the kernel
  grid AS grid, -- grid of the launches, in blocks
  block AS block, -- block of the launches, in threads
  calls AS calls, -- number of launches
  time_ns AS time_ns, -- summed durations
  blocks AS blocks, -- blocks of the grid
  threads AS threads, -- threads of a block
  cores AS cores, -- multiprocessors of the device
  CAST(coalesce(fit, at_once, 1) AS INTEGER) AS resident, -- blocks that a multiprocessor holds at a time; 1 where nothing tells
  CASE WHEN fit THEN 'device limits' WHEN at_once THEN 'occupancy' ELSE 'assumed' END AS resident_from, -- source of the blocks at a time: device limits, occupancy or assumed
  blocks * 1.0 / (cores * coalesce(fit, at_once, 1)) AS waves, -- blocks by the blocks that the device holds at a time
  CASE WHEN blocks > cores * coalesce(fit, at_once, 1) THEN 1 - blocks * 1.0 / (cores * coalesce(fit, at_once, 1)) / ceil(blocks * 1.0 / (cores * coalesce(fit, at_once, 1))) ELSE 0 END AS lost -- empty part of all waves; 0 up to one wave
FROM fitted
LEFT JOIN kind ON kind.run = fitted.run AND kind.trace_id = fitted.trace_id AND kind.name_id = fitted.name_id;
