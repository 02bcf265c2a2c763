-- How busy each accelerator was over time: equal parts of the time from its first start to its last
-- end (option curve_parts, 512), and in each what gpu_timeline_per_device sums up.
-- set: pytorch
-- position: 6
-- key: subject, part
-- measure: computation_ns
-- when: never
-- tab: overview
-- chart: area start_ms computation_pct exposed_comm_pct exposed_copy_pct
-- terminal: subject, part, start_ms, computation_pct, exposed_comm_pct, exposed_copy_pct
-- leaves-out: left_out_of_timelines
-- empty: lacks_work
CREATE VIEW busy_curve AS
WITH span AS MATERIALIZED (
  SELECT run, trace_id, device, min(ts_ns) AS start_ns, max(ts_ns + dur_ns) - min(ts_ns) AS span_ns,
    max(1, min(100000, CAST(tpq_option('curve_parts') AS INTEGER), max(ts_ns + dur_ns) - min(ts_ns))) AS parts
  FROM timeline_work
  GROUP BY run, trace_id, device
),
curve AS MATERIALIZED (
  SELECT span.run AS run, span.trace_id AS trace_id, span.device AS device, span.start_ns AS start_ns, span.span_ns AS span_ns, span.parts AS parts,
    interval_parts(work.ts_ns, work.dur_ns, span.start_ns, span.span_ns, span.parts) FILTER (WHERE work.class = 'computation') AS computation,
    interval_parts(work.ts_ns, work.dur_ns, span.start_ns, span.span_ns, span.parts) FILTER (WHERE work.class <> 'memcpy') AS without_copies,
    interval_parts(work.ts_ns, work.dur_ns, span.start_ns, span.span_ns, span.parts) AS busy
  FROM span
  JOIN timeline_work AS work ON work.run = span.run AND work.trace_id = span.trace_id AND work.device IS span.device
  GROUP BY span.run, span.trace_id, span.device, span.start_ns, span.span_ns, span.parts
),
listed AS (
  SELECT curve.run AS run, curve.trace_id AS trace_id, curve.device AS device, curve.start_ns AS first_ns, curve.span_ns AS span_ns, curve.parts AS parts, each.key AS part,
    each.value AS busy_ns, 0 AS without_copies_ns, 0 AS computation_ns
  FROM curve CROSS JOIN json_each(curve.busy) AS each
  UNION ALL
  SELECT curve.run, curve.trace_id, curve.device, curve.start_ns, curve.span_ns, curve.parts, each.key, 0, each.value, 0
  FROM curve CROSS JOIN json_each(curve.without_copies) AS each
  UNION ALL
  SELECT curve.run, curve.trace_id, curve.device, curve.start_ns, curve.span_ns, curve.parts, each.key, 0, 0, each.value
  FROM curve CROSS JOIN json_each(curve.computation) AS each
),
part AS (
  SELECT run, trace_id, device, first_ns, span_ns, parts, part, sum(busy_ns) AS busy_ns, sum(without_copies_ns) AS without_copies_ns, sum(computation_ns) AS computation_ns
  FROM listed
  GROUP BY run, trace_id, device, first_ns, span_ns, parts, part
)
SELECT
  part.run AS run, -- [text] run
  part.trace_id AS trace_id, -- [integer] trace
  CASE WHEN (SELECT count(DISTINCT other.run) FROM scope AS other) > 1 THEN part.run || ' ' ELSE '' END
    || CASE WHEN (SELECT count(DISTINCT other.trace_id) > count(DISTINCT other.run) FROM scope AS other) THEN coalesce('rank ' || run_rank.label || ' ', '') ELSE '' END
    || 'GPU ' || coalesce(part.device, '') AS subject, -- [text] accelerator
  part.part AS part, -- [integer] part, from 0
  (part.first_ns + part.span_ns * 1.0 * part.part / part.parts) / 1000000.0 AS start_ms, -- [ms] its start, from the start of the trace
  part.computation_ns AS computation_ns, -- [ns] time with computation
  part.without_copies_ns - part.computation_ns AS exposed_comm_ns, -- [ns] time with communication and no computation
  part.busy_ns - part.without_copies_ns AS exposed_copy_ns, -- [ns] time with copies alone
  part.computation_ns * 100.0 * part.parts / nullif(part.span_ns, 0) AS computation_pct, -- "computation" [%] share of the part
  (part.without_copies_ns - part.computation_ns) * 100.0 * part.parts / nullif(part.span_ns, 0) AS exposed_comm_pct, -- "exposed communication" [%] share of the part
  (part.busy_ns - part.without_copies_ns) * 100.0 * part.parts / nullif(part.span_ns, 0) AS exposed_copy_pct -- "exposed copies" [%] share of the part
FROM part
LEFT JOIN run_rank ON run_rank.run = part.run AND run_rank.trace_id = part.trace_id
ORDER BY part.run, part.trace_id, part.device, part.part;
