-- How fast is the same op, with the same shapes, on different devices?
-- :op is the name of an op, or a pattern with * in it.
SELECT ops.name, ops.input_dims, machine.name AS accelerator, sum(ops.operation_count) AS calls,
  sum(ops.total_direct_kernel_time_sum) / sum(ops.operation_count) AS mean_us,
  min(ops.total_direct_kernel_time_min) AS least_us
FROM ops_unique_args AS ops
JOIN device AS machine ON machine.id = (SELECT min(id) FROM device WHERE device.trace_id = ops.trace_id)
WHERE ops.name GLOB :op
GROUP BY ops.name, ops.input_dims, machine.name
ORDER BY ops.name, ops.input_dims, mean_us;
