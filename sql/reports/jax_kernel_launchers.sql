-- Kernels with the HLO instruction that they carry out, in the order of the file.
-- set: jax
-- question: raw
-- format: xplane profiles of XLA
-- sheet: kernel_launchers
-- position: 30
-- key: name, op_category, input_dims, input_type, concrete_inputs
-- within: uid
-- measure: total_direct_kernel_time, direct_kernel_count
-- work: GPU time of ops
-- keep-empty: yes
-- terminal: name, total_direct_kernel_time, op_category, uid, gpu_kernel_launch_latency, input_dims, input_type, pid, tid
-- not-included: not_included_by_filters
-- empty: no_xla_kernels
CREATE VIEW jax_kernel_launchers AS
SELECT
  kernel.run AS run, -- [text] name of the run
  kernel.trace_id AS trace_id, -- [integer] id of the trace
  kernel.name AS name, -- [kernel] name of the kernel
  kernel.uid AS uid, -- "UID" [integer] position of the kernel in the file
  kernel.category AS op_category, -- "op category" [text] category of the kernel
  kernel.dur_ps / 1000000.0 AS total_direct_kernel_time, -- [us] (lower) duration of the kernel
  kernel.dur_ps / 1000000.0 AS total_subtree_kernel_time, -- [us] duration of the kernel, as total_direct_kernel_time
  1 AS direct_kernel_count, -- [integer] number of kernels of the row: always 1
  kernel.pid AS pid, -- [integer] process id of the device
  kernel.tid AS tid, -- [integer] number of the stream
  kernel.input_dims AS input_dims, -- "Input Dims" [tuple] input shapes of the HLO instruction
  kernel.input_types AS input_type, -- "Input type" [tuple] input dtypes of the HLO instruction
  '[]' AS input_strides, -- "Input Strides" [tuple] always empty: strides are not recorded
  kernel.concrete_inputs AS concrete_inputs, -- "Concrete Inputs" [tuple] bias of attention, with --compat
  '[' || json_record('name', kernel.name, 'dur', kernel.dur_ps / 1000000.0, 'custom_call_target', kernel.target,
    CASE WHEN kernel.operands IS NULL THEN 'operands' ELSE 'operands[]' END, coalesce(kernel.operands, 'NA'),
    'outputs', coalesce(kernel.output, 'NA'), 'metadata', kernel.metadata) || ']' AS kernel_details, -- [list] details of the kernel and its HLO instruction
  (kernel.ts_ps - call.ts_ns * 1000 - coalesce(call_event.start_ps, 0)) / 1000000.0 AS gpu_kernel_launch_latency -- "GPU_kernel_launch_latency" [us] time from the start of the launch to the start of the kernel
FROM xla_listed_kernel AS kernel
LEFT JOIN event AS call ON call.id = kernel.call_id
LEFT JOIN xla_event AS call_event ON call_event.id = kernel.call_id
ORDER BY kernel.run, kernel.trace_id, kernel.uid;
