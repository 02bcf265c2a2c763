-- GPU time of ops without a performance model, neither their own nor a parent's.
-- set: pytorch
-- question: efficiency
-- words: unmodelled, coverage
-- position: 75
-- key: name, category
-- measure: kernel_time_ms, calls
-- when: never
-- not-included: not_included_in_ops
-- empty: no_work, no_launchers
CREATE VIEW ops_without_model AS
WITH modelled AS MATERIALIZED (
  SELECT run, trace_id, interval_list(id, id, last_id - id + 1) AS list
  FROM modelled_call
  GROUP BY run, trace_id
),
grouped AS (
  SELECT work.run AS run, work.trace_id AS trace_id, work.name_id AS name_id, work.category AS category, count(*) AS calls, sum(work.direct_ns) AS direct_ns
  FROM launcher_work AS work
  LEFT JOIN modelled ON modelled.run = work.run AND modelled.trace_id = work.trace_id
  WHERE interval_at(modelled.list, work.launcher_id) IS NULL
  GROUP BY work.run, work.trace_id, work.name_id, work.category
)
SELECT
  grouped.run AS run, -- [text] name of the run
  grouped.trace_id AS trace_id, -- [integer] id of the trace
  string.text AS name, -- [text] name of the op, or of the runtime call where no op is recorded
  grouped.category AS category, -- [text] category of the op
  grouped.calls AS calls, -- [integer] number of calls that launch GPU activities
  grouped.direct_ns / 1000000.0 AS kernel_time_ms, -- [ms] (lower) busy time of the GPU activities that the calls launch
  grouped.direct_ns * 100.0 / nullif(sum(grouped.direct_ns) OVER (PARTITION BY grouped.run, grouped.trace_id), 0) AS share_pct -- share of the GPU time of all rows
FROM grouped
JOIN string ON string.id = grouped.name_id
ORDER BY grouped.run, grouped.trace_id, grouped.direct_ns DESC, string.text, grouped.category;
