-- Kernel time by name, stream and op, split into prefill and decode.
-- set: pytorch
-- question: steps
-- alias: kernel_summary_prefill kernel_summary_decode
-- position: 61
-- key: phase, kernel_name, parent_cpu_op
-- within: kernel_stream, parent_op_category
-- measure: kernel_duration_sum, kernel_duration_count
-- work: GPU time of kernels
-- when: inference-phase-analysis, enable-kernel-summary
-- sheet-by: phase
-- sheets: Prefill kernel_summary_prefill, Decode kernel_summary_decode
-- not-included-sums: kernel_duration_count, kernel_duration_sum
-- keep-empty: not compat
-- terminal: kernel_name, kernel_duration_sum, percent_of_kernels, kernel_duration_count, parent_cpu_op, kernel_duration_mean, kernel_stream, parent_op_category, kernel_duration_max, kernel_duration_min
-- not-included: not_included_besides_kernels, not_included_without_ops
-- columns-of: kernel_summary
-- empty: no_work, no_kernels, no_ops
CREATE VIEW kernel_summary_by_phase AS
WITH launcher AS MATERIALIZED (SELECT launcher_id, phase FROM launcher_phase),
asked AS MATERIALIZED (SELECT tpq_option('phase-detection-method') IN ('union', 'kernel_names') AS by_kernel),
alone AS MATERIALIZED (
  SELECT trace_id, names_id, coalesce(voted, otherwise, 'Mixed') AS phase
  FROM phase_answer
  WHERE is_kernel
),
graph AS MATERIALIZED (SELECT id FROM graph_call),
-- The phase of every GPU event that was launched: that of its launcher. The methods union and
-- kernel_names look at each kernel of a replayed graph by itself.
phases AS MATERIALIZED (
  SELECT linked_work.id AS id,
    -- nobody looks at kernels alone unless there are such
    coalesce(CASE WHEN asked.by_kernel AND linked_work.launcher_name_id IN (SELECT id FROM graph)
        THEN (SELECT alone.phase FROM alone WHERE alone.trace_id = scope.trace_id AND alone.names_id = linked_work.name_id) END,
      launcher.phase, 'Mixed') AS phase
  FROM scope
  CROSS JOIN linked_work ON linked_work.id BETWEEN scope.first_event AND scope.last_event
  CROSS JOIN asked
  LEFT JOIN launcher ON launcher.launcher_id = CASE WHEN linked_work.nested_call AND (SELECT tpq_like_reference('launchers: nested calls')) THEN linked_work.call_id ELSE linked_work.launcher_id END
  WHERE linked_work.call_id IS NOT NULL
),
grouped AS (
  SELECT work.run AS run, work.trace_id AS trace_id, phases.phase AS phase, work.name_id AS name_id, work.stream AS stream,
    work.has_op AS has_op, work.parent_name_id AS parent_name_id, work.parent_category AS category,
    sum(work.dur_ns) AS sum_ns, count(*) AS count, min(work.dur_ns) AS min_ns, max(work.dur_ns) AS max_ns
  FROM launched_work AS work
  JOIN phases ON phases.id = work.id
  WHERE work.category_id = (SELECT id FROM category WHERE name = 'kernel')
  AND work.trace_id IN (SELECT trace_id FROM trace_with_ops)
  GROUP BY work.run, work.trace_id, phases.phase, work.name_id, work.stream, work.has_op, work.parent_name_id, work.parent_category
),
named AS (
  SELECT grouped.run AS run, grouped.trace_id AS trace_id, grouped.phase AS phase, parent.text AS parent_name, kernel.text AS kernel_name,
    grouped.stream AS stream, grouped.sum_ns AS sum_ns, grouped.count AS count, grouped.min_ns AS min_ns, grouped.max_ns AS max_ns,
    CASE WHEN grouped.has_op THEN coalesce(grouped.category,
      (SELECT op_category.category FROM op_category WHERE op_category.op = parent.text AND NOT op_category.is_prefix),
      (SELECT known.category FROM category_of_model AS known WHERE known.op = parent.text ORDER BY known.place LIMIT 1),
      (SELECT op_category.category FROM op_category WHERE op_category.is_prefix AND substr(parent.text, 1, length(op_category.op)) = op_category.op ORDER BY length(op_category.op) DESC LIMIT 1),
      'other')
    ELSE (SELECT rule.category FROM kernel_category AS rule WHERE rule.purpose = 'launcher' AND parent.text REGEXP rule.pattern ORDER BY rule.priority LIMIT 1) END AS category
  FROM grouped
  JOIN string AS kernel ON kernel.id = grouped.name_id
  LEFT JOIN string AS parent ON parent.id = grouped.parent_name_id
)
SELECT
  run, trace_id,
  phase AS phase, -- [text] phase of the kernels: Prefill, Decode or Mixed
  category AS parent_op_category, parent_name AS parent_cpu_op, kernel_name, stream AS kernel_stream, sum(sum_ns) / 1000.0 AS kernel_duration_sum,
  sum(count) AS kernel_duration_count, sum(sum_ns) / 1000.0 / sum(count) AS kernel_duration_mean, min(min_ns) / 1000.0 AS kernel_duration_min,
  max(max_ns) / 1000.0 AS kernel_duration_max,
  sum(sum_ns) * 100.0 / nullif(sum(sum(sum_ns)) OVER (PARTITION BY run, trace_id, phase), 0) AS percent_of_kernels -- "Percent of kernels time (%)" [%] share of the total duration of all kernels of the phase
FROM named
GROUP BY run, trace_id, phase, category, parent_name, kernel_name, stream
ORDER BY run, trace_id, phase, sum(sum_ns) DESC, category, parent_name, kernel_name, stream;
