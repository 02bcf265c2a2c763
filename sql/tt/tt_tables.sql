-- ops_of_devices: Ops of tt-metal devices and what their rows say.
SELECT scope.run, scope.trace_id, event.id, event.uid,
  CASE WHEN category.name <> 'signpost' THEN device_op.host_start_ns
    WHEN instr(trace.metadata, '"HOST START TS"') THEN trace.clock_start_ns + event.ts_ns END, device_op.device,
  device_op.kernel_ns, device_op.gap_ns, device_op.call_count, device_op.replay, string.text, category.name, trace.element_count,
  trace.rank, event.op_id, device_op.cores, device_op.available_cores, device_op.sub_device
FROM scope JOIN trace ON trace.id = scope.trace_id AND trace.format = 'ttmetal'
CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event JOIN category ON category.id = event.category_id
JOIN string ON string.id = event.name_id LEFT JOIN device_op ON device_op.id = event.id;
