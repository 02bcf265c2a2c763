-- GPU time by op. Subtree time includes the GPU activities of nested ops.
-- set: pytorch
-- question: ops first
-- words: top, hottest, slowest, operators
-- position: 30
-- level: op
-- key: name, parent_module, is_recompute
-- measure: total_direct_kernel_time_ms, count
-- work: GPU time of ops
-- drop-empty: is_recompute, parent_module, call_stack_first
-- columns-when: total_subtree_kernel_time_count inference, total_subtree_kernel_time_ms not inference, total_direct_kernel_time_sum compat, total_subtree_kernel_time_sum compat
-- terminal: name, total_direct_kernel_time_ms, percentage, count, cumulative_percentage, categories, is_recompute, total_subtree_kernel_time_ms
-- not-included: not_included_in_ops
-- empty: no_work, no_ops, no_launchers
CREATE VIEW ops_summary AS
WITH by_category AS (
  SELECT run, trace_id, is_recompute, parent_module, name_id, category, count(*) AS count,
    sum(direct_ns) AS direct_ns, sum(subtree_ns) AS subtree_ns,
    min(position) AS position, value_at_least(launcher_id, position) FILTER (WHERE (SELECT tpq_option('include-call-stack')) IS NOT NULL) AS launcher_id
  FROM launcher_work
  WHERE trace_id IN (SELECT trace_id FROM trace_with_ops)
  GROUP BY run, trace_id, is_recompute, parent_module, name_id, category
),
grouped AS (
  SELECT run, trace_id, is_recompute, parent_module, name_id, sum(count) AS count, sum(direct_ns) AS direct_ns,
    sum(subtree_ns) AS subtree_ns, json_list(category) AS categories,
    value_at_least(launcher_id, position) AS launcher_id
  FROM (
    SELECT run, trace_id, is_recompute, parent_module, name_id, category, count, direct_ns, subtree_ns, position, launcher_id FROM by_category
    ORDER BY run, trace_id, is_recompute, parent_module, name_id, category
  )
  GROUP BY run, trace_id, is_recompute, parent_module, name_id
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  string.text AS name, -- [text] name of the op
  parent_module AS parent_module, -- [text] nn.Module around the calls of the op, with --group-by-parent-module
  is_recompute AS is_recompute, -- [boolean] whether the op recomputes activations
  direct_ns / 1000.0 AS total_direct_kernel_time_sum, -- [us] busy time of the GPU activities that the op launches directly
  subtree_ns / 1000.0 AS total_subtree_kernel_time_sum, -- [us] busy time of all GPU activities below the calls of the op
  count AS total_subtree_kernel_time_count, -- [integer] number of calls in the sum of GPU times
  direct_ns / 1000000.0 AS total_direct_kernel_time_ms, -- [ms] (lower) busy time of the GPU activities that the op launches directly
  subtree_ns / 1000000.0 AS total_subtree_kernel_time_ms, -- [ms] busy time of all GPU activities below the calls of the op
  count AS count, -- "Count" [integer] number of calls of the op that launch GPU activities
  categories AS categories, -- "Categories" [list] categories of the calls of the op
  CASE WHEN (SELECT tpq_option('inference')) IS NOT NULL THEN module_stack(launcher_id, string.text) END AS call_stack_first, -- [list] first call of the op and each nn.Module around it, with --include-call-stack
  direct_ns * 100.0 / nullif(sum(direct_ns) OVER (PARTITION BY run, trace_id), 0) AS percentage, -- "Percentage (%)" [%] share of the sum over all rows, by GPU time
  sum(direct_ns) OVER (PARTITION BY run, trace_id ORDER BY direct_ns DESC, string.text, parent_module, is_recompute ROWS UNBOUNDED PRECEDING) * 100.0
    / nullif(sum(direct_ns) OVER (PARTITION BY run, trace_id), 0) AS cumulative_percentage -- "Cumulative Percentage (%)" [%] cumulative share of the row and all rows above
FROM grouped
JOIN string ON string.id = grouped.name_id
ORDER BY run, trace_id, direct_ns DESC, name, parent_module, is_recompute;
