-- Accelerator time of ops that no model explains, neither their own nor one of a call around them.
-- set: pytorch
-- position: 75
-- key: name, category
-- measure: kernel_time_ms, calls
-- when: never
-- leaves-out: left_out_of_ops
-- empty: lacks_work, lacks_launchers
CREATE VIEW ops_without_model AS
WITH place AS (
  SELECT run, trace_id, id, last_id, NULL AS name_id, NULL AS category, NULL AS direct_ns, 0 AS is_work
  FROM modelled_call
  UNION ALL
  SELECT run, trace_id, launcher_id, NULL, name_id, category, direct_ns, 1
  FROM launcher_work
),
covered AS (
  SELECT run, trace_id, id, name_id, category, direct_ns, is_work,
    max(last_id) OVER (PARTITION BY run, trace_id ORDER BY id, is_work ROWS UNBOUNDED PRECEDING) AS covered_to
  FROM place
),
grouped AS (
  SELECT run, trace_id, name_id, category, count(*) AS calls, sum(direct_ns) AS direct_ns
  FROM covered
  WHERE is_work = 1 AND (covered_to IS NULL OR covered_to < id)
  GROUP BY run, trace_id, name_id, category
)
SELECT
  grouped.run AS run, -- [text] run
  grouped.trace_id AS trace_id, -- [integer] trace
  string.text AS name, -- [text] name of the op, or of the runtime call where there is none
  grouped.category AS category, -- [text] its category
  grouped.calls AS calls, -- [integer] calls that launched work
  grouped.direct_ns / 1000000.0 AS kernel_time_ms, -- [ms] (lower) time covered by the work that they launched
  grouped.direct_ns * 100.0 / nullif(sum(grouped.direct_ns) OVER (PARTITION BY grouped.run, grouped.trace_id), 0) AS share_pct -- share of all rows
FROM grouped
JOIN string ON string.id = grouped.name_id
ORDER BY grouped.run, grouped.trace_id, grouped.direct_ns DESC, string.text, grouped.category;
