-- Short kernels by op and arguments: where launching costs more than computing.
-- set: pytorch
-- position: 80
-- alias: short_kernels_all_details
-- when: short_kernel_study
-- keep-empty: yes
CREATE VIEW short_kernels_summary AS
WITH grouped AS (
  SELECT short.run AS run, short.trace_id AS trace_id, parent.name_id AS parent_name_id, parent.op_id AS op_id,
    short.name_id AS name_id, sum(short.dur_ns) AS sum_ns, count(*) AS count, min(short.uid) AS first_uid
  FROM short_kernel AS short
  LEFT JOIN event AS parent ON parent.id = short.cpu_op_id
  GROUP BY short.run, short.trace_id, parent.name_id, parent.op_id, short.name_id
),
named AS (
  SELECT grouped.run AS run, grouped.trace_id AS trace_id, parent.text AS parent_name, signature.input_dims AS input_dims,
    signature.input_strides AS input_strides, signature.concrete_inputs AS concrete_inputs, kernel.text AS kernel_name,
    sum(grouped.sum_ns) AS sum_ns, sum(grouped.count) AS count, min(grouped.first_uid) AS first_uid
  FROM grouped
  JOIN string AS kernel ON kernel.id = grouped.name_id
  LEFT JOIN string AS parent ON parent.id = grouped.parent_name_id
  LEFT JOIN signature ON signature.op_id = grouped.op_id
  GROUP BY grouped.run, grouped.trace_id, parent.text, signature.input_dims, signature.input_strides, signature.concrete_inputs, kernel.text
)
SELECT
  named.run AS run, -- run
  named.trace_id AS trace_id, -- trace
  named.parent_name AS parent_cpu_op, -- "Parent cpu_op" nearest op
  named.input_dims AS input_dims, -- "Input dims" [tuple] dimensions of its inputs
  named.input_strides AS input_strides, -- "Input strides" [tuple] strides of its inputs
  named.concrete_inputs AS concrete_inputs, -- "Concrete Inputs" [tuple] values of its scalar inputs
  named.kernel_name AS kernel_name, -- "Kernel name" name of the kernel
  named.sum_ns / 1000.0 AS short_kernel_duration_sum, -- "Short Kernel duration (µs) sum" [us] sum of durations
  named.count AS short_kernel_count, -- "Short Kernel count" kernels
  named.sum_ns / 1000.0 / named.count AS short_kernel_duration_mean, -- "Short Kernel duration (µs) mean" [us] mean duration
  named.sum_ns * 100.0 / nullif((SELECT sums.total_ns FROM timeline_sum AS sums WHERE sums.trace_id = named.trace_id AND sums.is_recompute IS NOT 1), 0) AS percent_of_total -- "Short Kernel duration (µs) percent of total time" [%] share of the total time of the timeline
FROM named
LEFT JOIN trace_with_ops AS ops ON ops.trace_id = named.trace_id
WHERE (SELECT tpq_option('compat')) IS NULL OR ops.trace_id IS NULL
  OR (named.parent_name IS NOT NULL AND named.input_dims IS NOT NULL AND named.input_strides IS NOT NULL AND named.concrete_inputs IS NOT NULL)
ORDER BY named.run, named.trace_id, named.sum_ns DESC, named.count, short_kernel_duration_mean, named.first_uid;
