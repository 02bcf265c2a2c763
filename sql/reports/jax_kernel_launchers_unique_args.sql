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
-- leaves-out: left_out_by_filters
-- empty: lacks_xla_kernels
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
  grouped.run AS run, -- [text] run
  grouped.trace_id AS trace_id, -- [integer] trace
  grouped.name AS name, -- [kernel] name of the kernels
  grouped.category AS op_category, -- "op category" [text] their category
  grouped.input_dims AS input_dims, -- "Input Dims" [tuple] extents of the operands
  grouped.input_types AS input_type, -- "Input type" [tuple] types of the operands
  '[]' AS input_strides, -- "Input Strides" [tuple] always empty
  grouped.concrete_inputs AS concrete_inputs, -- "Concrete Inputs" [tuple] bias of attention, with --compat
  grouped.count AS operation_count, -- [integer] how many
  grouped.ps / 1000000.0 / grouped.count AS total_direct_kernel_time_mean, -- [us] mean of their durations
  grouped.ps / 1000000.0 / grouped.count AS total_subtree_kernel_time_mean, -- [us] the same
  grouped.middle AS total_direct_kernel_time_median, -- [us] median
  grouped.middle AS total_subtree_kernel_time_median, -- [us] the same
  grouped.deviation AS total_direct_kernel_time_std, -- [us] standard deviation
  grouped.deviation AS total_subtree_kernel_time_std, -- [us] the same
  grouped.least AS total_direct_kernel_time_min, -- [us] least
  grouped.least AS total_subtree_kernel_time_min, -- [us] the same
  grouped.most AS total_direct_kernel_time_max, -- [us] most
  grouped.most AS total_subtree_kernel_time_max, -- [us] the same
  grouped.ps / 1000000.0 AS total_direct_kernel_time_sum, -- [us] (lower) sum
  grouped.ps / 1000000.0 AS total_subtree_kernel_time_sum, -- [us] the same
  grouped.uid AS ex_uid, -- "ex_UID" [integer] place of the first one in the file
  '[' || json_record('name', example.name, 'custom_call_target', example.target,
    CASE WHEN example.operands IS NULL THEN 'operands' ELSE 'operands[]' END, coalesce(example.operands, 'NA'),
    'outputs', coalesce(example.output, 'NA'), 'metadata', example.metadata, 'count', grouped.count,
    'total_duration_us', grouped.ps / 1000000.0, 'mean_duration_us', grouped.ps / 1000000.0 / grouped.count,
    'median_duration_us', grouped.middle, 'std_dev_duration_us', grouped.spread, 'min_duration_us', grouped.least,
    'max_duration_us', grouped.most) || ']' AS kernel_details_summary, -- [list] the first one and its instruction, with statistics over all
  grouped.ps * 100.0 / nullif(sum(grouped.ps) OVER (PARTITION BY grouped.run, grouped.trace_id), 0) AS percentage, -- "Percentage (%)" [%] share of the sum over all rows
  sum(grouped.ps) OVER (PARTITION BY grouped.run, grouped.trace_id ORDER BY grouped.ps DESC, grouped.uid ROWS UNBOUNDED PRECEDING) * 100.0
    / nullif(sum(grouped.ps) OVER (PARTITION BY grouped.run, grouped.trace_id), 0) AS cumulative_percentage -- "Cumulative Percentage (%)" [%] share of this row and those above
FROM grouped
JOIN kernel AS example ON example.run = grouped.run AND example.trace_id = grouped.trace_id AND example.uid = grouped.uid
ORDER BY grouped.run, grouped.trace_id, grouped.ps DESC, grouped.uid;
