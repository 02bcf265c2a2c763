-- Ops that launch the short kernels of all ranks. The last row is the total.
-- set: multirank
-- question: ranks
-- sheet: short_cpu_op_counts
-- position: 90
-- key: cpu_op
-- measure: count
-- unit: run
-- not-included: not_included_short_without_op
-- empty: no_work, no_kernels, no_short_kernels
CREATE VIEW ranks_short_ops AS
WITH short AS (
  SELECT run, parent_name_id, sum(kernels) AS kernels
  FROM (
    SELECT run, trace_id, has_op, parent_name_id, count(*) AS kernels
    FROM launched_work
    WHERE category_id = (SELECT id FROM category WHERE name = 'kernel')
    AND dur_ns < (SELECT CAST(tpq_option('short-kernel-threshold-us') AS REAL) * 1000)
    GROUP BY run, trace_id, has_op, parent_name_id)
  WHERE has_op
  GROUP BY run, parent_name_id
),
listed AS (
  SELECT short.run AS run, 0 AS is_total, string.text AS name, short.kernels AS kernels
  FROM short JOIN string ON string.id = short.parent_name_id
  UNION ALL
  SELECT run, 1, 'Total', sum(kernels) FROM short GROUP BY run
)
SELECT
  run AS run, -- [text] name of the run
  name AS cpu_op, -- [text] nearest op
  kernels AS count -- [integer] number of kernels below 10 us, or --short-kernel-threshold-us
FROM listed
ORDER BY run, is_total, kernels DESC, name;
