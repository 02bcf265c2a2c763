-- Accelerator time by category of the op that launched the work.
-- set: pytorch
-- position: 20
-- drop-empty: is_recompute
-- chart: pie op_category total_direct_kernel_time_ms
CREATE VIEW ops_summary_by_category AS
WITH grouped AS (
  SELECT run, trace_id, is_recompute, category, count(*) AS count, sum(direct_ns) AS direct_ns
  FROM launcher_work
  WHERE trace_id IN (SELECT trace_id FROM trace_with_ops)
  GROUP BY run, trace_id, is_recompute, category
)
SELECT
  run AS run, -- run
  trace_id AS trace_id, -- trace
  category AS op_category, -- "op category" category of the op
  is_recompute AS is_recompute, -- [boolean] whether it recomputes activations
  count AS count, -- "Count" calls that launched work
  direct_ns / 1000000.0 AS total_direct_kernel_time_ms, -- [ms] time covered by the work that they launched
  direct_ns * 100.0 / nullif(sum(direct_ns) OVER (PARTITION BY run, trace_id), 0) AS percentage, -- "Percentage (%)" [%] share of the sum over all rows
  sum(direct_ns) OVER (PARTITION BY run, trace_id ORDER BY direct_ns DESC, category, is_recompute ROWS UNBOUNDED PRECEDING) * 100.0
    / nullif(sum(direct_ns) OVER (PARTITION BY run, trace_id), 0) AS cumulative_percentage -- "Cumulative Percentage (%)" [%] share of this row and those above
FROM grouped
ORDER BY run, trace_id, direct_ns DESC, category, is_recompute;
