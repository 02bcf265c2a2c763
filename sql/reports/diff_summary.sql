-- Work that differs by kernel, op, arguments and module: how often and how long in each trace.
-- set: diff
-- position: 30
-- unit: pair
-- when: not compat
-- terminal: name, cpu_op_name, operation_count1, operation_count2, kernel_time1, kernel_time2, delta_us, input_dims
CREATE VIEW diff_summary AS
WITH summed AS MATERIALIZED (
  SELECT run, name, op_name, op_id, lca_name, nn_module_parent,
    count(*) FILTER (WHERE source IS NOT 'trace2') AS count1,
    count(*) FILTER (WHERE source IS NOT 'trace1') AS count2,
    coalesce(sum(dur_ns) FILTER (WHERE source IS NOT 'trace2'), 0) AS ns1,
    coalesce(sum(dur_ns) FILTER (WHERE source IS NOT 'trace1'), 0) AS ns2,
    min(dur_ns) FILTER (WHERE source IS NOT 'trace2') AS least1,
    min(dur_ns) FILTER (WHERE source IS NOT 'trace1') AS least2,
    max(dur_ns) FILTER (WHERE source IS NOT 'trace2') AS most1,
    max(dur_ns) FILTER (WHERE source IS NOT 'trace1') AS most2
  FROM diff_work
  GROUP BY run, name, op_name, op_id, lca_name, nn_module_parent
)
SELECT
  summed.run AS run, -- [text] run of the baseline
  summed.name AS name, -- [text] name of the kernel or copy
  summed.op_name AS cpu_op_name, -- [text] nearest op above it, by the name that both traces agree on
  signature.input_dims AS input_dims, -- "Input Dims" [tuple] dimensions of the op's inputs
  signature.input_types AS input_type, -- "Input type" [tuple] types of the inputs
  signature.input_strides AS input_strides, -- "Input Strides" [tuple] strides of the inputs
  signature.concrete_inputs AS concrete_inputs, -- "Concrete Inputs" [tuple] values of scalar inputs
  summed.lca_name AS lowest_common_ancestor_name, -- [text] lowest call above it that both traces have
  summed.nn_module_parent AS nn_module_parent, -- [text] module around the op, or root
  summed.count1 AS operation_count1, -- [integer] how often in the baseline
  summed.count2 AS operation_count2, -- [integer] how often in the variant
  summed.ns1 / 1000.0 AS kernel_time1, -- [us] (lower) its time in the baseline, sum
  summed.ns2 / 1000.0 AS kernel_time2, -- [us] (lower) its time in the variant, sum
  (summed.ns2 - summed.ns1) / 1000.0 AS delta_us, -- (lower) the second less the first
  summed.ns1 / 1000.0 / nullif(summed.count1, 0) AS kernel_time_mean1, -- [us] (lower) mean in the baseline
  summed.ns2 / 1000.0 / nullif(summed.count2, 0) AS kernel_time_mean2, -- [us] (lower) mean in the variant
  summed.least1 / 1000.0 AS kernel_time_min1, -- [us] (lower) least in the baseline
  summed.least2 / 1000.0 AS kernel_time_min2, -- [us] (lower) least in the variant
  summed.most1 / 1000.0 AS kernel_time_max1, -- [us] (lower) most in the baseline
  summed.most2 / 1000.0 AS kernel_time_max2 -- [us] (lower) most in the variant
FROM summed
LEFT JOIN signature ON signature.op_id = summed.op_id
ORDER BY abs(summed.ns2 - summed.ns1) DESC, summed.name, summed.op_name, summed.op_id, summed.lca_name, summed.nn_module_parent;
