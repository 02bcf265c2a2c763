-- GPU time by op. Subtree time includes the GPU activities of nested ops.
-- set: pytorch
-- question: ops first
-- words: top, hottest, slowest, operators
-- position: 30
-- first: 5
-- level: op
-- key: name, parent_module, is_recompute, source
-- measure: total_direct_kernel_time_ms, count
-- work: GPU time of ops
-- drop-empty: is_recompute, parent_module, source, call_stack_first
-- columns-when: total_subtree_kernel_time_count inference, total_subtree_kernel_time_ms not inference, total_direct_kernel_time_sum compat, total_subtree_kernel_time_sum compat
-- terminal: name, total_direct_kernel_time_ms, percentage, count, cumulative_percentage, categories, is_recompute, total_subtree_kernel_time_ms, source
-- not-included: not_included_in_ops
-- empty: no_work, no_ops, no_launchers
CREATE VIEW ops_summary AS
WITH replayed AS MATERIALIZED (
  SELECT run, trace_id, id, launcher_id, module, op, source, ts_ns, dur_ns FROM graph_replayed WHERE op IS NOT NULL
),
-- work of a graph launch that no source names
rest AS MATERIALIZED (
  SELECT launcher.id AS launcher_id,
    count(*) FILTER (WHERE work.id NOT IN (SELECT id FROM replayed)) AS kernels,
    coalesce(interval_union_ns(work.ts_ns, work.dur_ns) FILTER (WHERE work.id NOT IN (SELECT id FROM replayed)), 0) AS direct_ns
  FROM (SELECT DISTINCT launcher_id FROM replayed) AS part
  CROSS JOIN event AS launcher ON launcher.id = part.launcher_id
  CROSS JOIN gpu_event AS work ON work.id BETWEEN launcher.id AND launcher.last_id AND work.launcher_id = launcher.id
  WHERE kernel_class('collective', work.category_id, work.name_id) IS NULL
  GROUP BY launcher.id
),
by_category AS (
  SELECT work.run AS run, work.trace_id AS trace_id, work.is_recompute AS is_recompute, work.parent_module AS parent_module, work.name_id AS name_id, work.category AS category,
    count(*) AS count, sum(coalesce(rest.direct_ns, work.direct_ns)) AS direct_ns, sum(work.subtree_ns) AS subtree_ns,
    min(work.position) AS position, value_at_least(work.launcher_id, work.position) FILTER (WHERE (SELECT tpq_option('include-call-stack')) IS NOT NULL) AS launcher_id
  FROM launcher_work AS work
  LEFT JOIN rest ON rest.launcher_id = work.launcher_id
  WHERE work.trace_id IN (SELECT trace_id FROM trace_with_ops) AND rest.kernels IS NOT 0
  GROUP BY work.run, work.trace_id, work.is_recompute, work.parent_module, work.name_id, work.category
),
replayed_op AS (
  SELECT run, trace_id, module, op, source, count(*) AS count, interval_union_ns(ts_ns, dur_ns) AS direct_ns
  FROM (
    SELECT run, trace_id, CASE WHEN (SELECT tpq_option('group-by-parent-module')) IS NOT NULL THEN coalesce(module, 'NA') END AS module, op, source, ts_ns, dur_ns
    FROM replayed
  )
  GROUP BY run, trace_id, module, op, source
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
),
named AS (
  SELECT grouped.run AS run, grouped.trace_id AS trace_id, string.text AS name, grouped.parent_module AS parent_module, grouped.is_recompute AS is_recompute, NULL AS source,
    grouped.count AS count, grouped.direct_ns AS direct_ns, grouped.subtree_ns AS subtree_ns, grouped.categories AS categories, grouped.launcher_id AS launcher_id
  FROM grouped
  JOIN string ON string.id = grouped.name_id
  UNION ALL
  SELECT run, trace_id, op, module, NULL, source, count, direct_ns, direct_ns, '["graph"]', NULL FROM replayed_op
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  name AS name, -- [text] name of the op
  parent_module AS parent_module, -- [text] nn.Module around the calls of the op, with --group-by-parent-module
  is_recompute AS is_recompute, -- [boolean] whether the op recomputes activations
  source AS source, -- [text] source of ops that graph nodes replay: file (annotations) or kernel (its own arguments); empty for launched ops
  direct_ns / 1000.0 AS total_direct_kernel_time_sum, -- [us] busy time of the GPU activities that the op launches directly
  subtree_ns / 1000.0 AS total_subtree_kernel_time_sum, -- [us] busy time of all GPU activities below the calls of the op
  count AS total_subtree_kernel_time_count, -- [integer] number of calls in the sum of GPU times
  direct_ns / 1000000.0 AS total_direct_kernel_time_ms, -- [ms] (lower) busy time of the GPU activities that the op launches directly
  subtree_ns / 1000000.0 AS total_subtree_kernel_time_ms, -- [ms] busy time of all GPU activities below the calls of the op
  count AS count, -- "Count" [integer] number of calls of the op that launch GPU activities
  categories AS categories, -- "Categories" [list] categories of the calls of the op
  CASE WHEN (SELECT tpq_option('inference')) IS NOT NULL THEN module_stack(launcher_id, name) END AS call_stack_first, -- [list] first call of the op and each nn.Module around it, with --include-call-stack
  direct_ns * 100.0 / nullif(sum(direct_ns) OVER (PARTITION BY run, trace_id), 0) AS percentage, -- "Percentage (%)" [%] share of the sum over all rows, by GPU time
  sum(direct_ns) OVER (PARTITION BY run, trace_id ORDER BY direct_ns DESC, name, parent_module, is_recompute, source ROWS UNBOUNDED PRECEDING) * 100.0
    / nullif(sum(direct_ns) OVER (PARTITION BY run, trace_id), 0) AS cumulative_percentage -- "Cumulative Percentage (%)" [%] cumulative share of the row and all rows above
FROM named
ORDER BY run, trace_id, direct_ns DESC, name, parent_module, is_recompute, source;
