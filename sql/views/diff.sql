-- What the reports about two call trees stand on.

-- The accelerator work that differs between the two selected traces, with the op that launched it.
CREATE VIEW diff_work AS
SELECT
  diff.run AS run, -- run of the baseline
  diff.ord AS ord, -- place in the order of the merged tree
  CASE WHEN NOT diff.is_identical THEN diff.source END AS source, -- trace1 for the baseline, trace2 for the variant; NULL when both are the same
  diff.id AS id, -- event that the work is
  work_name.text AS name, -- name of the kernel or copy
  work.uid AS uid, -- its place in the file
  work.dur_ns AS dur_ns, -- its duration
  op_name.text AS cpu_op_name, -- nearest op above it
  diff.op_name AS op_name, -- name of that op that both traces agree on
  op.uid AS cpu_op_uid, -- its place in the file
  op.op_id AS op_id, -- its signature
  diff.lca_id AS lca_id, -- lowest node of the merged tree above it that both traces have, or itself
  diff.lca_name AS lca_name, -- name of that node
  diff.busy_ns AS busy_ns, -- time covered by all work of that node in this trace
  diff.nn_module_stack AS nn_module_stack, -- modules around the op, outermost first
  diff.nn_module_parent AS nn_module_parent -- the innermost of them
FROM diff_gpu AS diff
JOIN event AS work ON work.id = diff.id
JOIN string AS work_name ON work_name.id = work.name_id
JOIN event AS op ON op.id = diff.cpu_op_id
JOIN string AS op_name ON op_name.id = op.name_id
WHERE diff.source = 'trace1' OR NOT diff.is_identical;

-- Each point of difference: the lowest node that both traces have above work that differs.
CREATE VIEW diff_point AS
WITH kernel AS MATERIALIZED (
  SELECT run, lca_id, source, name,
    min(ord) AS ord, min(lca_name) AS lca_name, min(op_name) AS op_name, max(busy_ns) AS busy_ns, count(*) AS count,
    value_at_least(cpu_op_name, ord) AS cpu_op_name, value_at_least(op_id, ord) AS op_id,
    value_at_least(nn_module_stack, ord) AS nn_module_stack, value_at_least(nn_module_parent, ord) AS nn_module_parent
  FROM diff_work
  WHERE lca_id IS NOT NULL
  GROUP BY run, lca_id, source, name
  ORDER BY run, lca_id, source, name
),
side AS (
  SELECT run, lca_id, source IS NOT 'trace2' AS is_first, source IS NULL AS is_both,
    min(ord) AS ord, min(lca_name) AS lca_name, min(op_name) AS op_name, max(busy_ns) AS busy_ns, sum(count) AS kernels,
    value_at_least(cpu_op_name, ord) AS cpu_op_name, value_at_least(op_id, ord) AS op_id,
    value_at_least(nn_module_stack, ord) AS nn_module_stack, value_at_least(nn_module_parent, ord) AS nn_module_parent,
    group_concat(name || CASE WHEN count > 1 THEN ' x' || count ELSE '' END, '; ') AS kernel_names
  FROM kernel
  GROUP BY run, lca_id, source
)
SELECT
  run AS run, -- run of the baseline
  lca_id AS lca_id, -- the node
  min(ord) AS ord, -- place in the order of the merged tree
  min(lca_name) AS lca_name, -- its name
  coalesce(max(CASE WHEN is_first THEN cpu_op_name END), max(cpu_op_name)) AS cpu_op_name, -- op above the work, of the baseline where it is there
  min(op_name) AS op_name, -- name of the op that both traces agree on
  coalesce(max(CASE WHEN is_first THEN op_id END), max(op_id)) AS op_id, -- signature of that op
  coalesce(max(CASE WHEN is_first THEN nn_module_stack END), max(nn_module_stack)) AS nn_module_stack, -- modules around it
  coalesce(max(CASE WHEN is_first THEN nn_module_parent END), max(nn_module_parent)) AS nn_module_parent, -- the innermost of them
  coalesce(sum(busy_ns) FILTER (WHERE is_first), 0) AS busy1_ns, -- time covered by the work in the baseline
  coalesce(sum(busy_ns) FILTER (WHERE is_both OR NOT is_first), 0) AS busy2_ns, -- the same in the variant
  coalesce(sum(kernels) FILTER (WHERE is_first), 0) AS kernels1, -- how much work that is in the baseline
  coalesce(sum(kernels) FILTER (WHERE is_both OR NOT is_first), 0) AS kernels2, -- the same in the variant
  max(CASE WHEN is_first THEN kernel_names END) AS kernel_names1, -- its names in the baseline, with their number
  max(CASE WHEN is_both OR NOT is_first THEN kernel_names END) AS kernel_names2 -- the same in the variant
FROM side
GROUP BY run, lca_id;
