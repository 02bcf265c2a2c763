-- Kernels one by one, the longest first.
-- set: rocprof
-- question: raw
-- sheet: kernel_details
-- position: 40
-- traces: rocprof_trace
-- key: name, dispatch_id
-- measure: duration_us
-- when: kernel-details
-- keep-empty: yes
-- empty: no_work, no_kernels
CREATE VIEW rocprof_kernel_details AS
WITH lists AS (
  SELECT args.id AS args_id, args.json AS json, substr(arg(args.json, 'grid work-items'), 2) AS grid, substr(arg(args.json, 'block'), 2) AS block
  FROM args
),
seconds AS (
  SELECT args_id, json, grid, block, substr(grid, instr(grid, ',') + 1) AS grid_rest, substr(block, instr(block, ',') + 1) AS block_rest
  FROM lists
),
-- Grids and blocks of argument lists of kernels, each once.
rocprof_shape AS (
  SELECT args_id, CAST(grid AS INTEGER) AS grid_x, CAST(grid_rest AS INTEGER) AS grid_y,
    CAST(substr(grid_rest, instr(grid_rest, ',') + 1) AS INTEGER) AS grid_z, CAST(block AS INTEGER) AS block_x, CAST(block_rest AS INTEGER) AS block_y,
    CAST(substr(block_rest, instr(block_rest, ',') + 1) AS INTEGER) AS block_z, CAST(arg(json, 'agent') AS INTEGER) AS agent,
    CAST(arg(json, 'vgprs') AS INTEGER) AS vgprs, CAST(arg(json, 'accum vgprs') AS INTEGER) AS accum_vgprs,
    CAST(arg(json, 'sgprs') AS INTEGER) AS sgprs, CAST(arg(json, 'shared memory') AS INTEGER) AS shared_bytes,
    CAST(arg(json, 'scratch') AS INTEGER) AS scratch_bytes
  FROM seconds
),
shape AS MATERIALIZED (
  SELECT args_id, grid_x, grid_y, grid_z, block_x, block_y, block_z, agent
  FROM rocprof_shape
  WHERE args_id IN (SELECT args_id FROM rocprof_kernel)
),
listed AS (
  SELECT kernel.run AS run, kernel.trace_id AS trace_id, kernel.id AS id,
    row_number() OVER (PARTITION BY kernel.run, kernel.trace_id ORDER BY kernel.dur_ns DESC, dispatch.number, kernel.ts_ns, kernel.stream, string.text, kernel.id) AS place
  FROM rocprof_kernel AS kernel
  JOIN string ON string.id = kernel.name_id
  LEFT JOIN dispatch ON dispatch.id = kernel.id
)
SELECT
  listed.run AS run, -- [text] name of the run
  listed.trace_id AS trace_id, -- [integer] id of the trace
  string.text AS name, -- [kernel] name of the kernel
  kernel.dur_ns / unit.us AS duration_us, -- "Kernel duration (µs)" [us] (lower) duration of the kernel
  coalesce(kernel.stream, 0) AS stream, -- [integer] number of the stream
  coalesce(dispatch.number, 0) AS dispatch_id, -- [integer] number of the dispatch in its process
  coalesce(shape.grid_x, 1) AS grid_x, -- [integer] number of work-items of the grid in x
  coalesce(shape.grid_y, 1) AS grid_y, -- [integer] number of work-items of the grid in y
  coalesce(shape.grid_z, 1) AS grid_z, -- [integer] number of work-items of the grid in z
  coalesce(shape.block_x, 1) AS block_x, -- [integer] number of work-items of a workgroup in x
  coalesce(shape.block_y, 1) AS block_y, -- [integer] number of work-items of a workgroup in y
  coalesce(shape.block_z, 1) AS block_z, -- [integer] number of work-items of a workgroup in z
  coalesce(shape.agent, 0) AS agent_id, -- [integer] id of the GPU, by the number of the profiler
  coalesce(dispatch.thread, 0) AS thread_id -- [integer] id of the dispatching thread
FROM listed
CROSS JOIN gpu_event AS kernel ON kernel.id = listed.id
CROSS JOIN string ON string.id = kernel.name_id
CROSS JOIN rocprof_unit AS unit
LEFT JOIN dispatch ON dispatch.id = listed.id
LEFT JOIN shape ON shape.args_id = kernel.args_id
WHERE (SELECT tpq_option('topk-kernels')) IS NULL OR listed.place <= (SELECT CAST(tpq_option('topk-kernels') AS INTEGER))
ORDER BY listed.run, listed.trace_id, listed.place;
