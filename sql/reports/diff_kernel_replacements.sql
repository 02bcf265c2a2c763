-- Kernels of an op in one trace and in the other, by its arguments.
-- set: diff
-- question: compare
-- position: 10
-- unit: pair
-- when: not compat
-- terminal: name, kernel_names1, kernel_names2, count, busy_time1, busy_time2, delta_us, input_dims
-- empty: lacks_work, lacks_differences
CREATE VIEW diff_kernel_replacements AS
WITH summed AS MATERIALIZED (
  SELECT op_key, op_id, set1_key, set2_key,
    min(place) AS place, count(*) AS count, sum(busy1_ns) AS busy1_ns, sum(busy2_ns) AS busy2_ns
  FROM diff_point
  GROUP BY op_key, op_id, set1_key, set2_key
)
SELECT
  point.run AS run, -- [text] run of the baseline
  point.op_name AS name, -- [text] the op, by the name that both traces agree on
  signature.input_dims AS input_dims, -- "Input Dims" [tuple] dimensions of its inputs
  signature.input_types AS input_type, -- "Input type" [tuple] types of the inputs
  point.kernel_names1 AS kernel_names1, -- [text] its work in the baseline; empty where there is none
  point.kernel_names2 AS kernel_names2, -- [text] its work in the variant
  summed.count AS count, -- [integer] how often
  summed.busy1_ns / 1000.0 AS busy_time1, -- [us] (lower) time covered in the baseline, sum
  summed.busy2_ns / 1000.0 AS busy_time2, -- [us] (lower) the same in the variant
  (summed.busy2_ns - summed.busy1_ns) / 1000.0 AS delta_us -- (lower) the second less the first
FROM summed
JOIN diff_point AS point ON point.place = summed.place
LEFT JOIN signature ON signature.op_id = point.op_id
WHERE summed.set1_key <> summed.set2_key
ORDER BY abs(summed.busy2_ns - summed.busy1_ns) DESC, summed.place;
