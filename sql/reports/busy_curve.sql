-- How busy each device was over time: equal parts of the time from its first start to its last end
-- (--curve-parts, 512).
-- set: pytorch
-- question: time
-- position: 6
-- key: subject, part
-- measure: computation_ns
-- when: never
-- tab: overview
-- chart: area start_ms computation_pct exposed_comm_pct exposed_memcpy_pct
-- terminal: subject, part, start_ms, computation_pct, exposed_comm_pct, exposed_memcpy_pct
-- not-included: not_included_in_timelines
-- empty: no_work
CREATE VIEW busy_curve AS
SELECT
  part.run AS run, -- [text] name of the run
  part.trace_id AS trace_id, -- [integer] id of the trace
  CASE WHEN (SELECT count(DISTINCT other.run) FROM scope AS other) > 1 THEN part.run || ' ' ELSE '' END
    || CASE WHEN (SELECT count(DISTINCT other.trace_id) > count(DISTINCT other.run) FROM scope AS other) THEN coalesce('rank ' || run_rank.label || ' ', '') ELSE '' END
    || 'GPU ' || coalesce(part.device, '') AS subject, -- [text] device of the row
  part.part AS part, -- [integer] index of the part of the time, from 0
  (part.first_ns + part.span_ns * 1.0 * part.part / part.parts) / 1000000.0 AS start_ms, -- [ms] start of the part, from the start of the trace
  part.computation_ns AS computation_ns, -- [ns] time with computation in the part
  part.exposed_comm_ns AS exposed_comm_ns, -- [ns] exposed communication time in the part: no computation ran
  part.exposed_memcpy_ns AS exposed_memcpy_ns, -- [ns] exposed memcpy and memset time in the part: no kernel ran
  part.computation_ns * 100.0 * part.parts / nullif(part.span_ns, 0) AS computation_pct, -- "computation" [%] computation time as a share of the part
  part.exposed_comm_ns * 100.0 * part.parts / nullif(part.span_ns, 0) AS exposed_comm_pct, -- "exposed communication" [%] exposed communication time as a share of the part
  part.exposed_memcpy_ns * 100.0 * part.parts / nullif(part.span_ns, 0) AS exposed_memcpy_pct -- "exposed memcpy" [%] exposed memcpy and memset time as a share of the part
FROM timeline_part AS part
LEFT JOIN run_rank ON run_rank.run = part.run AND run_rank.trace_id = part.trace_id
ORDER BY part.run, part.trace_id, part.device, part.part;
