-- Waves of compute kernels by launch shape: blocks that do not fill the last wave leave multiprocessors
-- idle. The lost time is an upper bound; a kernel with one wave or less loses nothing to quantisation.
-- set: pytorch
-- question: efficiency
-- words: wave quantization, tile quantization, tail effect, partial wave, multiprocessors, sm count
-- position: 265
-- key: kernel_name, grid, block
-- measure: time_ms, calls
-- work: GPU time of kernels
-- when: never
-- terminal: kernel_name, grid, waves, last_wave_percent, lost_ms, time_ms, calls, blocks, multiprocessors, blocks_at_a_time, blocks_from, kind, percent, block, threads
-- not-included: not_included_besides_kernels
-- empty: no_work, no_kernels, no_launch_shapes
CREATE VIEW kernel_waves AS
WITH grouped AS (
  SELECT wave.run AS run, wave.trace_id AS trace_id, kernel_short_name(name.text) AS kernel_name, grid, block, resident, resident_from, cores,
    value_at_least(kind, -time_ns) AS kind, sum(calls) AS calls, sum(time_ns) AS time_ns, max(blocks) AS blocks, max(threads) AS threads, max(waves) AS waves, max(lost) AS lost
  FROM launch_wave AS wave
  JOIN string AS name ON name.id = wave.name_id
  GROUP BY wave.run, wave.trace_id, kernel_short_name(name.text), grid, block, resident, resident_from, cores
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  kernel_name AS kernel_name, -- [kernel] short name of the kernel
  kind AS kind, -- [text] kind of op; quantisation costs most where a kernel is compute-bound: GEMM, convolution, attention
  grid AS grid, -- [tuple] grid of a launch, in blocks
  block AS block, -- [tuple] block of a launch, in threads
  calls AS calls, -- [integer] number of launches
  time_ns / 1000000.0 AS time_ms, -- [ms] (lower) total kernel duration
  time_ns * 100.0 / nullif(sum(time_ns) OVER (PARTITION BY run, trace_id), 0) AS percent, -- [%] share of the total duration of the kernels of the report
  blocks AS blocks, -- [integer] number of blocks of the grid
  threads AS threads, -- [integer] number of threads of a block
  cores AS multiprocessors, -- [integer] number of multiprocessors (compute units) of the device
  resident AS blocks_at_a_time, -- [integer] (higher) blocks that a multiprocessor holds at a time; 1 where blocks_from is assumed
  resident_from AS blocks_from, -- [text] source of blocks_at_a_time: device limits, occupancy (as the profiler estimates it), or assumed: neither is recorded
  waves AS waves, -- [real] blocks by the blocks that all multiprocessors hold at a time; up to 1 all blocks run at once
  (waves - ceil(waves) + 1) * 100.0 AS last_wave_percent, -- [%] (higher) fill of the last wave; of the only wave where waves is up to 1
  lost * time_ns / 1000000.0 AS lost_ms -- [ms] (lower) upper bound of the time that the empty part of the last wave costs
FROM grouped
ORDER BY run, trace_id, lost_ms DESC, time_ms DESC, kernel_name, grid, block;
