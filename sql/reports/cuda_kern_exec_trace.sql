-- Kernels with their launches, in order of start (the layout of nsys stats).
-- set: nsys
-- question: raw
-- alias: kernexectrace
-- name-options: base, nvtx-name
-- position: 200
-- unit: run
-- key: pid, tid, api_start
-- within: kernel_start
-- measure: total_dur
-- when: never
-- empty: no_work, no_kernels, no_launches
CREATE VIEW cuda_kern_exec_trace AS
WITH call_name AS MATERIALIZED (SELECT run, name_id, name FROM nsys_call_name),
shape AS MATERIALIZED (
  SELECT args_id, grid, block
  FROM nsys_shape
  WHERE args_id IN (SELECT gpu_event.args_id FROM scope CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event)
),
named AS MATERIALIZED (SELECT id, name FROM nsys_named_kernel)
SELECT
  work.run AS run, -- [text] name of the run
  work.call_start_ns AS api_start, -- "API Start (ns)" [integer] start of the launch, on the file's clock
  work.call_ns AS api_dur, -- "API Dur (ns)" [ns] launch latency: the duration of the runtime call
  CASE WHEN work.queue_ns IS NOT NULL THEN work.call_start_ns + work.call_ns END AS queue_start, -- "Queue Start (ns)" [integer] end of the launch, on the file's clock; NULL when the kernel started before it
  work.queue_ns AS queue_dur, -- "Queue Dur (ns)" [ns] launch delay: from the end of the launch to the start of the kernel
  work.kernel_start_ns AS kernel_start, -- "Kernel Start (ns)" [integer] start of the kernel, on the file's clock
  work.kernel_ns AS kernel_dur, -- "Kernel Dur (ns)" [ns] duration of the kernel
  work.total_ns AS total_dur, -- "Total Dur (ns)" [ns] time from the start of the launch to the end of both launch and kernel
  work.pid AS pid, -- "PID" [integer] process id of the launch
  work.tid AS tid, -- "TID" [integer] thread id of the launch
  work.device AS dev_id, -- "DevId" [integer] number of the device
  coalesce(call_name.name, call.text) AS api_function, -- "API Function" [text] name of the runtime call
  shape.grid AS grid_xyz, -- "GridXYZ" [text] grid of the kernel: blocks in x, y and z
  shape.block AS block_xyz, -- "BlockXYZ" [text] block of the kernel: threads in x, y and z
  coalesce(named.name, kernel.text) AS kernel_name -- "Kernel Name" [text] name of the kernel
FROM nsys_execution AS work
JOIN string AS kernel ON kernel.id = work.name_id
JOIN string AS call ON call.id = work.call_name_id
LEFT JOIN call_name ON call_name.run = work.run AND call_name.name_id = work.call_name_id
LEFT JOIN shape ON shape.args_id = work.args_id
LEFT JOIN named ON named.id = work.id
ORDER BY work.run, work.call_start_ns, work.kernel_start_ns, kernel.text, work.id;
