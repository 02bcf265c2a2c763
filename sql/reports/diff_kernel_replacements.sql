-- Kernels of an op in one trace and in the other, by its arguments.
-- set: diff
-- question: compare
-- position: 10
-- unit: pair
-- when: not compat
-- terminal: name, kernel_names1, kernel_names2, count, busy_time1, busy_time2, delta_us, input_dims
-- empty: no_work, no_pair, no_differences
CREATE VIEW diff_kernel_replacements AS
WITH summed AS MATERIALIZED (
  SELECT op_key, op_id, set1_key, set2_key,
    min(place) AS place, count(*) AS count, sum(busy1_ns) AS busy1_ns, sum(busy2_ns) AS busy2_ns
  FROM diff_point
  GROUP BY op_key, op_id, set1_key, set2_key
)
SELECT
  point.run AS run, -- [text] name of the baseline run
  point.op_name AS name, -- [text] name of the op, as both traces agree on it
  signature.input_dims AS input_dims, -- "Input Dims" [tuple] input shapes of the op
  signature.input_types AS input_type, -- "Input type" [tuple] input dtypes of the op
  point.kernel_names1 AS kernel_names1, -- [text] kernels of the op in the baseline; NULL where it has none
  point.kernel_names2 AS kernel_names2, -- [text] kernels of the op in the candidate; NULL where it has none
  summed.count AS count, -- [integer] number of ops with this replacement
  summed.busy1_ns / 1000.0 AS busy_time1, -- [us] (lower) total busy time of the ops in the baseline
  summed.busy2_ns / 1000.0 AS busy_time2, -- [us] (lower) total busy time of the ops in the candidate
  (summed.busy2_ns - summed.busy1_ns) / 1000.0 AS delta_us -- (lower) busy time difference, candidate minus baseline
FROM summed
JOIN diff_point AS point ON point.place = summed.place
LEFT JOIN signature ON signature.op_id = point.op_id
WHERE summed.set1_key <> summed.set2_key
ORDER BY abs(summed.busy2_ns - summed.busy1_ns) DESC, summed.place;
