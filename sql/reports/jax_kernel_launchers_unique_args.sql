-- Kernel time by name and by operands of the HLO instruction.
-- set: jax
-- question: kernels
-- format: xplane profiles of XLA
-- sheet: kernel_launchers_unique_args
-- position: 60
-- level: op_shape
-- key: name, input_dims, input_type, input_strides, concrete_inputs
-- measure: total_direct_kernel_time_sum, operation_count
-- work: GPU time of ops
-- alias: ops_unique_args ops_all
-- keep-empty: yes
-- terminal: name, total_direct_kernel_time_sum, percentage, operation_count, input_dims, op_category, total_direct_kernel_time_mean, input_type
-- not-included: not_included_by_filters
-- empty: no_xla_kernels
CREATE VIEW jax_kernel_launchers_unique_args AS
WITH kernel AS MATERIALIZED (
  SELECT run, trace_id, uid, name, category, input_dims, input_types, concrete_inputs, dur_ps, target, operands, output, metadata
  FROM xla_listed_kernel
),
grouped AS (
  SELECT run, trace_id, name, category, input_dims, input_types, concrete_inputs,
    count(*) AS count, sum(dur_ps) AS ps, median(dur_ps) / 1000000.0 AS middle, stddev_samp(dur_ps) / 1000000.0 AS deviation,
    stddev_pop(dur_ps) / 1000000.0 AS spread, min(dur_ps) / 1000000.0 AS least, max(dur_ps) / 1000000.0 AS most, min(uid) AS uid
  FROM kernel
  GROUP BY run, trace_id, name, category, input_dims, input_types, concrete_inputs
)
SELECT
  grouped.run AS run, -- [text] name of the run
  grouped.trace_id AS trace_id, -- [integer] id of the trace
  grouped.name AS name, -- [kernel] name of the kernels
  grouped.category AS op_category, -- "op category" [text] category of the kernels
  grouped.input_dims AS input_dims, -- "Input Dims" [tuple] input shapes of the HLO instruction
  grouped.input_types AS input_type, -- "Input type" [tuple] input dtypes of the HLO instruction
  '[]' AS input_strides, -- "Input Strides" [tuple] always empty: strides are not recorded
  grouped.concrete_inputs AS concrete_inputs, -- "Concrete Inputs" [tuple] bias of attention, with --compat
  grouped.count AS operation_count, -- [integer] number of kernels
  grouped.ps / 1000000.0 / grouped.count AS total_direct_kernel_time_mean, -- [us] mean kernel duration
  grouped.ps / 1000000.0 / grouped.count AS total_subtree_kernel_time_mean, -- [us] mean kernel duration, as total_direct_kernel_time_mean
  grouped.middle AS total_direct_kernel_time_median, -- [us] median kernel duration
  grouped.middle AS total_subtree_kernel_time_median, -- [us] median kernel duration, as total_direct_kernel_time_median
  grouped.deviation AS total_direct_kernel_time_std, -- [us] standard deviation of the kernel duration
  grouped.deviation AS total_subtree_kernel_time_std, -- [us] standard deviation of the kernel duration, as total_direct_kernel_time_std
  grouped.least AS total_direct_kernel_time_min, -- [us] minimum kernel duration
  grouped.least AS total_subtree_kernel_time_min, -- [us] minimum kernel duration, as total_direct_kernel_time_min
  grouped.most AS total_direct_kernel_time_max, -- [us] maximum kernel duration
  grouped.most AS total_subtree_kernel_time_max, -- [us] maximum kernel duration, as total_direct_kernel_time_max
  grouped.ps / 1000000.0 AS total_direct_kernel_time_sum, -- [us] (lower) total kernel duration
  grouped.ps / 1000000.0 AS total_subtree_kernel_time_sum, -- [us] total kernel duration, as total_direct_kernel_time_sum
  grouped.uid AS ex_uid, -- "ex_UID" [integer] position of the first kernel in the file
  '[' || json_record('name', example.name, 'custom_call_target', example.target,
    CASE WHEN example.operands IS NULL THEN 'operands' ELSE 'operands[]' END, coalesce(example.operands, 'NA'),
    'outputs', coalesce(example.output, 'NA'), 'metadata', example.metadata, 'count', grouped.count,
    'total_duration_us', grouped.ps / 1000000.0, 'mean_duration_us', grouped.ps / 1000000.0 / grouped.count,
    'median_duration_us', grouped.middle, 'std_dev_duration_us', grouped.spread, 'min_duration_us', grouped.least,
    'max_duration_us', grouped.most) || ']' AS kernel_details_summary, -- [list] details of the first kernel and its HLO instruction, with statistics over all kernels
  grouped.ps * 100.0 / nullif(sum(grouped.ps) OVER (PARTITION BY grouped.run, grouped.trace_id), 0) AS percentage, -- "Percentage (%)" [%] share of the total kernel duration of all rows
  sum(grouped.ps) OVER (PARTITION BY grouped.run, grouped.trace_id ORDER BY grouped.ps DESC, grouped.uid ROWS UNBOUNDED PRECEDING) * 100.0
    / nullif(sum(grouped.ps) OVER (PARTITION BY grouped.run, grouped.trace_id), 0) AS cumulative_percentage -- "Cumulative Percentage (%)" [%] cumulative share of this row and all rows above
FROM grouped
JOIN kernel AS example ON example.run = grouped.run AND example.trace_id = grouped.trace_id AND example.uid = grouped.uid
ORDER BY grouped.run, grouped.trace_id, grouped.ps DESC, grouped.uid;
