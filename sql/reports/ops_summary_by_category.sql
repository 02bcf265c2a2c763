-- GPU time by category of the launching op. With --inference-phase-analysis, ops of category other,
-- and graphs, take the category of their kernels.
-- set: pytorch
-- question: time
-- position: 20
-- first: 5
-- level: category
-- key: op_category, parent_module, is_recompute
-- measure: total_direct_kernel_time_ms, count
-- work: GPU time of ops
-- drop-empty: is_recompute, parent_module, call_stack_first
-- chart: pie op_category total_direct_kernel_time_ms
-- not-included: not_included_in_ops
-- empty: no_work, no_ops, no_launchers
CREATE VIEW ops_summary_by_category AS
WITH kernel AS (
  SELECT work.run AS run, work.trace_id AS trace_id, work.launcher_id AS launcher_id, work.is_recompute AS is_recompute,
    work.parent_module AS parent_module, work.position AS position, work.category AS own_category,
    work.direct_ns AS direct_ns, linked_work.dur_ns AS dur_ns, kernel_class('detail', 0, linked_work.name_id) AS detail
  FROM (SELECT 1 AS one WHERE tpq_option('inference-phase-analysis') IS NOT NULL) AS asked
  CROSS JOIN launcher_work AS work
  JOIN event ON event.id = work.launcher_id
  JOIN linked_work ON linked_work.id BETWEEN event.id AND event.last_id
  WHERE work.category IN ('other', 'graph') AND work.trace_id IN (SELECT trace_id FROM trace_with_ops)
  AND (linked_work.launcher_id = event.id OR linked_work.call_id = event.id)
),
kind AS (
  SELECT run, trace_id, launcher_id, is_recompute, parent_module, position, own_category, direct_ns, dur_ns,
    coalesce((SELECT rule.category FROM kernel_category AS rule WHERE rule.purpose = 'other' AND kernel.detail REGEXP rule.pattern ORDER BY rule.priority LIMIT 1),
      lower(detail)) AS category
  FROM kernel
),
longest AS (
  SELECT run, trace_id, is_recompute, parent_module, launcher_id, position, own_category, direct_ns, category,
    row_number() OVER (PARTITION BY run, trace_id, launcher_id ORDER BY sum(dur_ns) DESC, category) AS place
  FROM kind
  GROUP BY run, trace_id, launcher_id, is_recompute, parent_module, position, own_category, direct_ns, category
),
moved AS MATERIALIZED (
  SELECT run, trace_id, is_recompute, parent_module, own_category, category, count(*) AS count, sum(direct_ns) AS direct_ns,
    min(position) AS position, value_at_least(launcher_id, position) AS launcher_id
  FROM longest
  WHERE place = 1
  GROUP BY run, trace_id, is_recompute, parent_module, own_category, category
),
by_op AS (
  SELECT run, trace_id, is_recompute, parent_module, category, count(*) AS count, sum(direct_ns) AS direct_ns,
    min(position) AS position, value_at_least(launcher_id, position) FILTER (WHERE (SELECT tpq_option('include-call-stack')) IS NOT NULL) AS launcher_id
  FROM launcher_work
  WHERE trace_id IN (SELECT trace_id FROM trace_with_ops)
  GROUP BY run, trace_id, is_recompute, parent_module, category
),
grouped AS (
  SELECT run, trace_id, is_recompute, parent_module, category, sum(count) AS count, sum(direct_ns) AS direct_ns,
    value_at_least(launcher_id, position) AS launcher_id
  FROM (
    SELECT run, trace_id, is_recompute, parent_module, category, count, direct_ns, position, launcher_id FROM by_op
    UNION ALL
    SELECT run, trace_id, is_recompute, parent_module, category, count, direct_ns, position, launcher_id FROM moved
    UNION ALL
    SELECT run, trace_id, is_recompute, parent_module, own_category, -count, -direct_ns, position, launcher_id FROM moved
  )
  GROUP BY run, trace_id, is_recompute, parent_module, category
  HAVING sum(count) > 0
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  category AS op_category, -- "op category" [text] category of the op
  parent_module AS parent_module, -- [text] nn.Module around the ops, with --group-by-parent-module
  is_recompute AS is_recompute, -- [boolean] whether the ops recompute activations
  count AS count, -- "Count" [integer] number of op calls that launch GPU activities
  CASE WHEN (SELECT tpq_option('inference')) IS NOT NULL AND (SELECT tpq_option('include-call-stack')) IS NOT NULL THEN module_stack(launcher_id, NULL) END AS call_stack_first, -- [list] first op of the category and each nn.Module around it
  direct_ns / 1000000.0 AS total_direct_kernel_time_ms, -- [ms] (lower) busy time of the GPU activities that the ops launch directly
  direct_ns * 100.0 / nullif(sum(direct_ns) OVER (PARTITION BY run, trace_id), 0) AS percentage, -- "Percentage (%)" [%] share of the sum over all rows, by GPU time
  sum(direct_ns) OVER (PARTITION BY run, trace_id ORDER BY direct_ns DESC, category, parent_module, is_recompute ROWS UNBOUNDED PRECEDING) * 100.0
    / nullif(sum(direct_ns) OVER (PARTITION BY run, trace_id), 0) AS cumulative_percentage -- "Cumulative Percentage (%)" [%] cumulative share of the row and all rows above
FROM grouped
ORDER BY run, trace_id, direct_ns DESC, category, parent_module, is_recompute;
