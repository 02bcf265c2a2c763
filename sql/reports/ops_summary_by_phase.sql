-- GPU time by op, split into prefill and decode. Mixed ops are on neither sheet.
-- set: pytorch
-- question: steps
-- words: prefill, decode
-- alias: ops_summary_prefill ops_summary_decode
-- position: 56
-- key: phase, name
-- measure: total_direct_kernel_time_ms, count
-- when: inference-phase-analysis
-- sheet-by: phase
-- sheets: Prefill ops_summary_prefill, Decode ops_summary_decode
-- not-included-sums: count, total_direct_kernel_time_ms
-- keep-empty: not compat
-- columns-when: total_direct_kernel_time_sum compat, evidence not compat, disagreement not compat
-- drop-empty: disagreement
-- terminal: name, total_direct_kernel_time_ms, percentage, count, evidence, disagreement, kernel_categories, cumulative_percentage
-- not-included: not_included_in_ops
-- columns-of: ops_summary
-- empty: no_work, no_ops, no_launchers
CREATE VIEW ops_summary_by_phase AS
WITH grouped AS (
  SELECT run, trace_id, phase, name_id, count(*) AS count, sum(direct_ns) AS direct_ns,
    kernel_classes('detail', value_at_least(kernels, position)) AS kernel_categories,
    value_at_least(evidence, position) AS evidence, value_at_least(disagreement, position) FILTER (WHERE disagreement IS NOT NULL) AS disagreement
  FROM launcher_phase
  WHERE trace_id IN (SELECT trace_id FROM trace_with_ops)
  GROUP BY run, trace_id, phase, name_id
),
named AS (
  SELECT grouped.run AS run, grouped.trace_id AS trace_id, grouped.phase AS phase, string.text AS name, grouped.count AS count,
    grouped.direct_ns AS direct_ns, grouped.kernel_categories AS kernel_categories, grouped.evidence AS evidence, grouped.disagreement AS disagreement,
    sum(grouped.direct_ns) OVER (PARTITION BY grouped.run, grouped.trace_id, grouped.phase) AS all_ns,
    sum(grouped.direct_ns) OVER (PARTITION BY grouped.run, grouped.trace_id, grouped.phase ORDER BY grouped.direct_ns DESC, string.text ROWS UNBOUNDED PRECEDING) AS so_far_ns
  FROM grouped
  JOIN string ON string.id = grouped.name_id
)
SELECT
  run, trace_id,
  phase AS phase, -- [text] inference phase: Prefill, Decode or Mixed
  kernel_categories AS kernel_categories, -- "Kernel categories" [text] kinds of kernels launched by the first call
  name AS name, -- [text] name of the op, or of the runtime call where no op is recorded
  direct_ns / 1000.0 AS total_direct_kernel_time_sum, count, direct_ns / 1000000.0 AS total_direct_kernel_time_ms,
  coalesce(direct_ns * 100.0 / nullif(all_ns, 0), 0.0) AS percentage, -- "Percentage (%)" [%] share of the GPU time of the phase
  coalesce(so_far_ns * 100.0 / nullif(all_ns, 0), 0.0) AS cumulative_percentage,
  evidence AS evidence, -- [text] source of the phase of the first call: annotation of the step, or rule, with its votes
  disagreement AS disagreement -- [text] sources that give another phase for a call: annotation of the step, or rule
FROM named
ORDER BY run, trace_id, phase, direct_ns DESC, name;
