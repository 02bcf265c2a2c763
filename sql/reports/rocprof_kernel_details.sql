-- Each run of a kernel, the longest first.
-- set: rocprof
-- sheet: kernel_details
-- position: 40
-- key: name, dispatch_id
-- measure: duration_us
-- when: kernel_details
-- keep-empty: yes
-- empty: lacks_work, lacks_kernels
CREATE VIEW rocprof_kernel_details AS
WITH shape AS MATERIALIZED (
  SELECT args_id, grid_x, grid_y, grid_z, block_x, block_y, block_z, agent
  FROM rocprof_shape
  WHERE args_id IN (SELECT args_id FROM rocprof_kernel)
),
numbered AS (
  SELECT kernel.run AS run, kernel.trace_id AS trace_id, kernel.id AS id, string.text AS name, kernel.stream AS stream,
    kernel.dur_ns AS dur_ns, kernel.args_id AS args_id, dispatch.number AS number, dispatch.thread AS thread,
    row_number() OVER (PARTITION BY kernel.run, kernel.trace_id ORDER BY kernel.dur_ns DESC, dispatch.number, kernel.ts_ns, kernel.stream, string.text, kernel.id) AS place
  FROM rocprof_kernel AS kernel
  JOIN string ON string.id = kernel.name_id
  LEFT JOIN dispatch ON dispatch.id = kernel.id
)
SELECT
  numbered.run AS run, -- [text] run
  numbered.trace_id AS trace_id, -- [integer] trace
  numbered.name AS name, -- [kernel] name of the kernel
  numbered.dur_ns / unit.us AS duration_us, -- "Kernel duration (µs)" [us] (lower) duration
  coalesce(numbered.stream, 0) AS stream, -- [integer] number of the stream
  coalesce(numbered.number, 0) AS dispatch_id, -- [integer] number of the dispatch in its process
  coalesce(shape.grid_x, 1) AS grid_x, -- [integer] work-items, like the next two
  coalesce(shape.grid_y, 1) AS grid_y, -- [integer] work-items
  coalesce(shape.grid_z, 1) AS grid_z, -- [integer] work-items
  coalesce(shape.block_x, 1) AS block_x, -- [integer] work-items of a workgroup, like the next two
  coalesce(shape.block_y, 1) AS block_y, -- [integer] work-items of a workgroup
  coalesce(shape.block_z, 1) AS block_z, -- [integer] work-items of a workgroup
  coalesce(shape.agent, 0) AS agent_id, -- [integer] the accelerator, by the profiler's own number
  coalesce(numbered.thread, 0) AS thread_id -- [integer] thread that dispatched it
FROM numbered
CROSS JOIN rocprof_unit AS unit
LEFT JOIN shape ON shape.args_id = numbered.args_id
WHERE (SELECT tpq_option('topk_kernels')) IS NULL OR numbered.place <= (SELECT CAST(tpq_option('topk_kernels') AS INTEGER))
ORDER BY numbered.run, numbered.trace_id, numbered.place;
