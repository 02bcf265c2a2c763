-- Kernels, memcpy and memset in order of start (the layout of nsys stats).
-- set: nsys
-- question: raw
-- alias: gputrace
-- name-options: base, nvtx-name
-- position: 180
-- unit: run
-- key: name, strm, start
-- within: device, corr_id
-- measure: duration
-- when: never
-- empty: no_work
CREATE VIEW cuda_gpu_trace AS
WITH shape AS MATERIALIZED (
  SELECT args_id, grid_x, grid_y, grid_z, block_x, block_y, block_z, registers, context, green_context,
    static_bytes / 1000000.0 AS static_mb,
    dynamic_bytes / 1000000.0 AS dynamic_mb
  FROM nsys_shape
  WHERE args_id IN (SELECT gpu_event.args_id FROM scope CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event)
),
memory AS MATERIALIZED (SELECT name_id AS id, label AS text, source, target FROM nsys_memory_label WHERE place IS NOT NULL),
named AS MATERIALIZED (SELECT id, name FROM nsys_named_kernel)
SELECT
  work.run AS run, -- [text] name of the run
  work.start_ns AS start, -- "Start (ns)" [integer] start of the GPU activity, on the file's clock
  work.dur_ns AS duration, -- "Duration (ns)" [ns] duration of the GPU activity
  work.correlation AS corr_id, -- "CorrId" [integer] correlation id of the GPU activity
  shape.grid_x AS grd_x, -- "GrdX" [integer] grid size in x, in blocks
  shape.grid_y AS grd_y, -- "GrdY" [integer] grid size in y, in blocks
  shape.grid_z AS grd_z, -- "GrdZ" [integer] grid size in z, in blocks
  shape.block_x AS blk_x, -- "BlkX" [integer] block size in x, in threads
  shape.block_y AS blk_y, -- "BlkY" [integer] block size in y, in threads
  shape.block_z AS blk_z, -- "BlkZ" [integer] block size in z, in threads
  shape.registers AS reg_trd, -- "Reg/Trd" [integer] registers per thread
  shape.static_mb AS stc_smem, -- "StcSMem (MB)" [MB ~3] static shared memory of the kernel
  shape.dynamic_mb AS dym_smem, -- "DymSMem (MB)" [MB ~3] dynamic shared memory of the launch
  work.bytes / 1000000.0 AS moved, -- "Bytes (MB)" [MB ~3] bytes moved by the memcpy or memset
  CASE WHEN work.bytes IS NULL THEN NULL WHEN (SELECT tpq_like_reference('nsys: throughput')) THEN round(work.bytes * (1000000000 / nullif(work.dur_ns, 0)) / 1000000.0, 3) ELSE work.bytes * 1000.0 / nullif(work.dur_ns, 0) END AS throughput, -- "Throughput (MB/s)" [MB/s] throughput of the memcpy or memset
  memory.source AS src_mem_kd, -- "SrcMemKd" [text] source memory kind of the memcpy, or memory kind of the memset
  memory.target AS dst_mem_kd, -- "DstMemKd" [text] destination memory kind of the memcpy
  coalesce(device.name || ' (' || work.device || ')', CAST(work.device AS TEXT)) AS device, -- "Device" [text] name of the device, with its number
  shape.context AS ctx, -- "Ctx" [integer] context id
  shape.green_context AS green_ctx, -- "GreenCtx" [integer] green context id, for a part of the device
  work.stream AS strm, -- "Strm" [integer] number of the stream
  coalesce(memory.text, named.name, string.text) AS name -- "Name" [text] name of the kernel, memcpy or memset
FROM nsys_work AS work
JOIN string ON string.id = work.name_id
LEFT JOIN memory ON memory.id = work.name_id
LEFT JOIN named ON named.id = work.id
LEFT JOIN shape ON shape.args_id = work.args_id
LEFT JOIN device ON device.trace_id = work.trace_id AND device.ordinal = work.device
ORDER BY work.run, work.start_ns, work.id;
