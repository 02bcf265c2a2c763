-- Kernels without a category, which XLA generated, with the bytes of their operands.
-- set: jax
-- question: efficiency
-- format: xplane profiles of XLA
-- sheet: df_xla_perf
-- position: 70
-- key: name, input_dims, input_type
-- within: uid
-- measure: total_direct_kernel_time, direct_kernel_count
-- keep-empty: yes
-- terminal: name, total_direct_kernel_time, total_input_bytes, gpu_kernel_launch_latency, input_dims, input_type, pid, tid
-- columns-of: jax_kernel_launchers
-- empty: no_xla_kernels
CREATE VIEW jax_df_xla_perf AS
SELECT
  kernel.run, kernel.trace_id, kernel.name, kernel.uid, kernel.category AS op_category, kernel.dur_ps / 1000000.0 AS total_direct_kernel_time,
  kernel.dur_ps / 1000000.0 AS total_subtree_kernel_time, 1 AS direct_kernel_count, kernel.pid, kernel.tid, kernel.input_dims,
  kernel.input_types AS input_type, '[]' AS input_strides, kernel.concrete_inputs,
  '[' || json_record('name', kernel.name, 'dur', kernel.dur_ps / 1000000.0, 'custom_call_target', kernel.target,
    CASE WHEN kernel.operands IS NULL THEN 'operands' ELSE 'operands[]' END, coalesce(kernel.operands, 'NA'),
    'outputs', coalesce(kernel.output, 'NA'), 'metadata', kernel.metadata) || ']' AS kernel_details,
  (kernel.ts_ps - call.ts_ns * 1000 - coalesce(call_event.start_ps, 0)) / 1000000.0 AS gpu_kernel_launch_latency,
  kernel.input_bytes AS total_input_bytes -- [bytes] total bytes of all operands
FROM xla_listed_kernel AS kernel
LEFT JOIN event AS call ON call.id = kernel.call_id
LEFT JOIN xla_event AS call_event ON call_event.id = kernel.call_id
WHERE kernel.category = 'Uncategorized Events/XLA'
ORDER BY kernel.run, kernel.trace_id, kernel.uid;
