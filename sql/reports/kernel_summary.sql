-- Kernel time by name, stream and op.
-- set: pytorch
-- question: kernels first
-- words: top, hottest, slowest, longest
-- position: 60
-- first: 5
-- without-ops: 10
-- level: kernel
-- key: kernel_name, parent_cpu_op
-- within: kernel_stream, parent_op_category
-- measure: kernel_duration_sum, kernel_duration_count
-- work: GPU time of kernels
-- when: enable-kernel-summary
-- drop-empty: parent_cpu_op
-- columns-when: kernel_category inference-phase-analysis
-- terminal: kernel_name, kernel_duration_sum, percent_of_kernels, kernel_duration_count, kernel_category, parent_cpu_op, kernel_duration_mean, kernel_stream, parent_op_category, percent_of_total, kernel_duration_max, kernel_duration_min
-- not-included: not_included_besides_kernels
-- empty: no_work, no_kernels
CREATE VIEW kernel_summary AS
WITH total AS MATERIALIZED (
  SELECT trace_id, max(ts_ns + dur_ns) - min(ts_ns) AS total_ns
  FROM timeline_work
  WHERE is_recompute IS NOT 1
  GROUP BY run, trace_id, is_recompute
),
ops AS MATERIALIZED (SELECT trace_id FROM trace_with_ops),
grouped AS (
  SELECT run, trace_id, name_id, stream, has_op, parent_name_id, parent_category AS category,
    sum(dur_ns) AS sum_ns, count(*) AS count, min(dur_ns) AS min_ns, max(dur_ns) AS max_ns
  FROM launched_work
  WHERE category_id = (SELECT id FROM category WHERE name = 'kernel')
  GROUP BY run, trace_id, name_id, stream, has_op, parent_name_id, parent_category
),
named AS (
  SELECT grouped.run AS run, grouped.trace_id AS trace_id, kernel.text AS kernel_name, kernel.id AS name_id, stream AS stream, parent.text AS parent_name,
    CASE
      WHEN grouped.parent_name_id IS NULL THEN NULL
      WHEN NOT has_op THEN (SELECT rule.category FROM kernel_category AS rule WHERE rule.purpose = 'launcher' AND parent.text REGEXP rule.pattern ORDER BY rule.priority LIMIT 1)
      ELSE coalesce(grouped.category,
        (SELECT op_category.category FROM op_category WHERE op_category.op = parent.text AND NOT op_category.is_prefix),
        (SELECT known.category FROM category_of_model AS known WHERE known.op = parent.text ORDER BY known.place LIMIT 1),
        (SELECT op_category.category FROM op_category WHERE op_category.is_prefix AND substr(parent.text, 1, length(op_category.op)) = op_category.op ORDER BY length(op_category.op) DESC LIMIT 1),
        'other')
    END AS category, sum_ns, count, min_ns, max_ns
  FROM grouped
  JOIN string AS kernel ON kernel.id = grouped.name_id
  LEFT JOIN string AS parent ON parent.id = grouped.parent_name_id
)
SELECT
  named.run AS run, -- [text] name of the run
  named.trace_id AS trace_id, -- [integer] id of the trace
  CASE WHEN (SELECT tpq_option('inference-phase-analysis')) IS NOT NULL THEN kernel_class('detail', 0, named.name_id) END AS kernel_category, -- "Kernel category" [text] category of the kernel, with --inference-phase-analysis
  named.category AS parent_op_category, -- "Parent op category" [text] category of the op; graph or runtime where only a runtime call is known
  CASE WHEN ops.trace_id IS NOT NULL THEN named.parent_name END AS parent_cpu_op, -- "Parent cpu_op" [text] nearest op above the kernel, else the runtime call
  named.kernel_name AS kernel_name, -- "Kernel name" [kernel] name of the kernel
  named.stream AS kernel_stream, -- "Kernel stream" [integer] number of the stream
  sum(named.sum_ns) / 1000.0 AS kernel_duration_sum, -- "Kernel duration (µs)_sum" [us] (lower) total kernel duration
  sum(named.count) AS kernel_duration_count, -- "Kernel duration (µs)_count" [integer] number of kernels
  sum(named.sum_ns) / 1000.0 / sum(named.count) AS kernel_duration_mean, -- "Kernel duration (µs)_mean" [us] mean kernel duration
  min(named.min_ns) / 1000.0 AS kernel_duration_min, -- "Kernel duration (µs)_min" [us] minimum kernel duration
  max(named.max_ns) / 1000.0 AS kernel_duration_max, -- "Kernel duration (µs)_max" [us] maximum kernel duration
  sum(named.sum_ns) * 100.0 / nullif(sum(sum(named.sum_ns)) OVER (PARTITION BY named.run, named.trace_id), 0) AS percent_of_kernels, -- "Percent of kernels time (%)" [%] share of the total duration of all kernels
  sum(named.sum_ns) * 100.0 / nullif(total.total_ns, 0) AS percent_of_total -- "Percent of total time (%)" [%] share of the total time of gpu_timeline
FROM named
LEFT JOIN ops ON ops.trace_id = named.trace_id
LEFT JOIN total ON total.trace_id = named.trace_id
GROUP BY named.run, named.trace_id, named.category, ops.trace_id, total.total_ns, parent_cpu_op, named.kernel_name, named.name_id, named.stream
ORDER BY named.run, named.trace_id, sum(named.sum_ns) DESC, named.category, parent_cpu_op, named.kernel_name, named.stream;
