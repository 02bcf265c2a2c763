-- GPU activities that differ between two traces by kernel, op, arguments and module.
-- set: diff
-- question: compare
-- words: slower, regression
-- position: 30
-- unit: pair
-- when: not compat
-- terminal: name, cpu_op_name, operation_count1, operation_count2, kernel_time1, kernel_time2, delta_us, input_dims
-- columns-of: diff_stats
-- empty: no_work, no_pair, no_differences
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
  work.run, work.name,
  work.op_name AS cpu_op_name, -- [text] name of the nearest op above the GPU activity, as both traces agree on it
  signature.input_dims, signature.input_types AS input_type, signature.input_strides, signature.concrete_inputs,
  work.lca_name AS lowest_common_ancestor_name, -- [text] name of the lowest op above the GPU activity that both traces have
  work.nn_module_parent,
  summed.count1 AS operation_count1, -- [integer] number of GPU activities in the baseline
  summed.count2 AS operation_count2, -- [integer] number of GPU activities in the candidate
  summed.ns1 / 1000.0 AS kernel_time1, -- [us] (lower) total duration in the baseline
  summed.ns2 / 1000.0 AS kernel_time2, -- [us] (lower) total duration in the candidate
  (summed.ns2 - summed.ns1) / 1000.0 AS delta_us, -- (lower) total duration difference, candidate minus baseline
  summed.ns1 / 1000.0 / nullif(summed.count1, 0) AS kernel_time_mean1, -- [us] (lower) mean duration in the baseline
  summed.ns2 / 1000.0 / nullif(summed.count2, 0) AS kernel_time_mean2, -- [us] (lower) mean duration in the candidate
  summed.least1 / 1000.0 AS kernel_time_min1, -- [us] (lower) minimum duration in the baseline
  summed.least2 / 1000.0 AS kernel_time_min2, -- [us] (lower) minimum duration in the candidate
  summed.most1 / 1000.0 AS kernel_time_max1, -- [us] (lower) maximum duration in the baseline
  summed.most2 / 1000.0 AS kernel_time_max2 -- [us] (lower) maximum duration in the candidate
FROM summed
JOIN diff_gpu AS work ON work.ord = summed.ord
LEFT JOIN signature ON signature.op_id = summed.op_id
ORDER BY abs(summed.ns2 - summed.ns1) DESC, summed.ord;
