-- GPU activities that differ between two traces by kernel, op, arguments and module.
-- set: diff
-- question: compare
-- words: slower, regression
-- position: 30
-- unit: pair
-- when: not compat
-- terminal: name, cpu_op_name, operation_count1, operation_count2, kernel_time1, kernel_time2, delta_us, input_dims
-- empty: lacks_work, lacks_differences
CREATE VIEW diff_summary AS
WITH summed AS MATERIALIZED (
  SELECT name_key, op_key, op_id, lca_key, module_key,
    min(ord) AS ord,
    sum(is_in1) AS count1,
    sum(is_in2) AS count2,
    sum(CASE WHEN is_in1 THEN dur_ns ELSE 0 END) AS ns1,
    sum(CASE WHEN is_in2 THEN dur_ns ELSE 0 END) AS ns2,
    min(CASE WHEN is_in1 THEN dur_ns END) AS least1,
    min(CASE WHEN is_in2 THEN dur_ns END) AS least2,
    max(CASE WHEN is_in1 THEN dur_ns END) AS most1,
    max(CASE WHEN is_in2 THEN dur_ns END) AS most2
  FROM diff_gpu
  GROUP BY name_key, op_key, op_id, lca_key, module_key
)
SELECT
  work.run AS run, -- [text] run of the baseline
  work.name AS name, -- [kernel] name of the kernel or copy
  work.op_name AS cpu_op_name, -- [text] nearest op above it, by the name that both traces agree on
  signature.input_dims AS input_dims, -- "Input Dims" [tuple] dimensions of the op's inputs
  signature.input_types AS input_type, -- "Input type" [tuple] types of the inputs
  signature.input_strides AS input_strides, -- "Input Strides" [tuple] strides of the inputs
  signature.concrete_inputs AS concrete_inputs, -- "Concrete Inputs" [tuple] values of scalar inputs
  work.lca_name AS lowest_common_ancestor_name, -- [text] lowest call above it that both traces have
  work.nn_module_parent AS nn_module_parent, -- [text] module around the op, or root
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
JOIN diff_gpu AS work ON work.ord = summed.ord
LEFT JOIN signature ON signature.op_id = summed.op_id
ORDER BY abs(summed.ns2 - summed.ns1) DESC, summed.ord;
