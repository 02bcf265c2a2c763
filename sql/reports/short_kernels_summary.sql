-- Short kernels by op and arguments, for which the launch costs more than the kernel.
-- set: pytorch
-- question: kernels
-- position: 80
-- key: kernel_name, parent_cpu_op, input_dims, input_strides, concrete_inputs
-- measure: short_kernel_duration_sum, short_kernel_count
-- alias: short_kernels_all_details
-- when: short-kernel-study
-- keep-empty: yes
-- drop-empty: parent_cpu_op, input_dims, input_strides, concrete_inputs, empty_sum, empty_count, empty_mean
-- compat-drop-empty: kernel_name, short_kernel_duration_sum, short_kernel_count, short_kernel_duration_mean, percent_of_total
-- terminal: kernel_name, short_kernel_duration_sum, short_kernel_count, short_kernel_duration_mean, parent_cpu_op, percent_of_total, input_dims
-- not-included: not_included_in_short_kernels
-- empty: no_work, no_kernels, no_short_kernels
CREATE VIEW short_kernels_summary AS
WITH total AS MATERIALIZED (
  SELECT trace_id, max(ts_ns + dur_ns) - min(ts_ns) AS total_ns
  FROM timeline_work
  WHERE is_recompute IS NOT 1
  GROUP BY run, trace_id, is_recompute
),
ops AS MATERIALIZED (SELECT trace_id FROM trace_with_ops),
grouped AS (
  SELECT run, trace_id, CASE WHEN has_op THEN parent_name_id END AS parent_name_id, parent_op_id AS op_id,
    name_id, sum(dur_ns) AS sum_ns, count(*) AS count, min(uid) AS first_uid
  FROM launched_work
  WHERE category_id = (SELECT id FROM category WHERE name = 'kernel')
    AND dur_ns < (SELECT CAST(tpq_option('short-kernel-threshold-us') AS REAL) * 1000)
  GROUP BY run, trace_id, has_op, parent_name_id, parent_op_id, name_id
),
named AS (
  SELECT grouped.run AS run, grouped.trace_id AS trace_id, parent.text AS parent_name, dims.text AS input_dims,
    strides.text AS input_strides, concrete.text AS concrete_inputs, kernel.text AS kernel_name,
    sum(grouped.sum_ns) AS sum_ns, sum(grouped.count) AS count, min(grouped.first_uid) AS first_uid
  FROM grouped
  JOIN string AS kernel ON kernel.id = grouped.name_id
  LEFT JOIN string AS parent ON parent.id = grouped.parent_name_id
  LEFT JOIN op ON op.id = grouped.op_id
  LEFT JOIN string AS dims ON dims.id = op.dims_id
  LEFT JOIN string AS strides ON strides.id = op.strides_id
  LEFT JOIN string AS concrete ON concrete.id = op.concrete_id
  GROUP BY grouped.run, grouped.trace_id, parent.text, dims.text, strides.text, concrete.text, kernel.text
),
complete AS MATERIALIZED (
  SELECT named.run AS run, named.trace_id AS trace_id, parent_name, input_dims, input_strides, concrete_inputs, kernel_name,
    sum_ns, count, first_uid,
    (ops.trace_id IS NULL OR (parent_name IS NOT NULL AND input_dims IS NOT NULL AND input_strides IS NOT NULL AND concrete_inputs IS NOT NULL)) AS has_keys
  FROM named LEFT JOIN ops ON ops.trace_id = named.trace_id
),
numbered AS (
  SELECT run, trace_id, parent_name, input_dims, input_strides, concrete_inputs, kernel_name, sum_ns, count,
    row_number() OVER (PARTITION BY run, trace_id ORDER BY sum_ns DESC, count, CASE WHEN NOT (SELECT tpq_like_reference('short_kernels_summary: order of equal rows')) THEN coalesce(parent_name, '') || kernel_name || coalesce(input_dims, '') || coalesce(concrete_inputs, '') END, first_uid) AS place
  FROM complete WHERE has_keys OR NOT (SELECT tpq_like_reference('short_kernels_summary: rows without an op'))
),
shown AS (
  SELECT numbered.run AS run, numbered.trace_id AS trace_id, parent_name, input_dims, input_strides, concrete_inputs, kernel_name,
    sum_ns, count, sum_ns * 100.0 / nullif(total.total_ns, 0) AS percent, place, NULL AS empty_sum, NULL AS empty_count, NULL AS empty_mean
  FROM numbered LEFT JOIN total ON total.trace_id = numbered.trace_id
  WHERE (SELECT tpq_option('topk-short-kernels')) IS NULL OR place <= (SELECT CAST(tpq_option('topk-short-kernels') AS INTEGER))
  UNION ALL
  SELECT run, trace_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 'sum', 'count', 'mean'
  FROM complete
  WHERE (SELECT tpq_like_reference('short_kernels_summary: rows without an op'))
  GROUP BY run, trace_id
  HAVING max(has_keys) = 0
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  parent_name AS parent_cpu_op, -- "Parent cpu_op" [text] nearest CPU op around the launch
  input_dims AS input_dims, -- "Input dims" [tuple] input shapes of the op
  input_strides AS input_strides, -- "Input strides" [tuple] input strides of the op
  concrete_inputs AS concrete_inputs, -- "Concrete Inputs" [tuple] values of the scalar inputs of the op
  kernel_name AS kernel_name, -- "Kernel name" [kernel] name of the kernel
  sum_ns / 1000.0 AS short_kernel_duration_sum, -- "Short Kernel duration (µs) sum" [us] (lower) sum of short kernel durations
  count AS short_kernel_count, -- "Short Kernel count" [integer] number of short kernels
  sum_ns / 1000.0 / count AS short_kernel_duration_mean, -- "Short Kernel duration (µs) mean" [us] mean duration of the short kernels
  percent AS percent_of_total, -- "Short Kernel duration (µs) percent of total time" [%] share of the total time of the timeline
  empty_sum AS empty_sum, -- "Kernel duration (µs)" [text] empty column of the reference for sheets without rows, in place of the sum, with --compat
  empty_count AS empty_count, -- "Kernel duration (µs)" [text] empty column of the reference for sheets without rows, in place of the count, with --compat
  empty_mean AS empty_mean -- "Kernel duration (µs)" [text] empty column of the reference for sheets without rows, in place of the mean, with --compat
FROM shown
ORDER BY run, trace_id, place;
