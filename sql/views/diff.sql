-- What the reports about two call trees stand on.

-- With --diff-other: of each row of collected_row what the lowest calls of both traces
-- above its work take in either. A call above work of several rows counts in each of them.
-- unit: pair
CREATE VIEW diff_call AS
WITH asked AS (
  SELECT 1 AS one WHERE (SELECT tpq_option('diff-other')) IS NOT NULL
), work AS MATERIALIZED (
  SELECT diff.id AS id, diff.lca_id AS lca_id
  FROM asked CROSS JOIN diff_gpu AS diff
  WHERE diff.is_in1 AND diff.lca_id IS NOT NULL
), point AS MATERIALIZED (
  SELECT diff.lca_id AS lca_id, diff.lca_name AS lca_name, diff.busy1_ns AS busy1_ns, diff.busy2_ns AS busy2_ns, diff.kernels2 AS kernels2
  FROM asked CROSS JOIN diff_point AS diff
), reached AS MATERIALIZED (
  SELECT DISTINCT call.run AS run, call.trace_id AS trace_id, call.row_id AS row_id, work.lca_id AS lca_id
  FROM asked CROSS JOIN collected_work AS call CROSS JOIN work ON work.id = call.id
), shared AS MATERIALIZED (
  SELECT lca_id FROM reached GROUP BY lca_id HAVING count(*) > 1
), in_order AS (
  SELECT reached.run AS run, reached.trace_id AS trace_id, reached.row_id AS row_id,
    point.lca_id AS lca_id, point.lca_name AS lca_name, point.busy1_ns AS busy1_ns, point.busy2_ns AS busy2_ns, point.kernels2 AS kernels2,
    reached.lca_id IN (SELECT lca_id FROM shared) AS is_shared
  FROM reached CROSS JOIN point ON point.lca_id = reached.lca_id
  ORDER BY reached.run, reached.trace_id, reached.row_id, reached.lca_id
)
SELECT
  run AS run, -- name of the run
  trace_id AS trace_id, -- id of the trace
  row_id AS row_id, -- row of collected_row
  sum(busy1_ns) AS busy1_ns, -- GPU busy time below the lowest common calls in the baseline
  sum(busy2_ns) AS busy2_ns, -- GPU busy time below the lowest common calls in the variant
  sum(kernels2 > 0) AS lca_count, -- lowest common calls with GPU activities in the variant
  group_concat(lca_id, '; ') AS lca_ids, -- ids of the lowest common calls in the merged tree
  group_concat(lca_name, '; ') AS lca_names, -- names of the lowest common calls
  max(is_shared) AS is_shared -- 1 where a lowest common call counts in other rows, too
FROM in_order
GROUP BY run, trace_id, row_id;
