-- The critical path, segment by segment. A faster segment makes the whole faster, until another
-- path becomes critical. Times run from the start of the trace.
-- set: pytorch
-- question: steps
-- position: 370
-- key: from_ms, kind, name
-- measure: time_us
-- when: never
-- drop-empty: note
-- terminal: from_ms, time_us, kind, name, op, device, stream, note, bound_by, to_ms, uid
-- not-included: not_included_handovers
-- empty: no_events
CREATE VIEW critical_path AS
SELECT
  path.run AS run, -- [text] name of the run
  path.trace_id AS trace_id, -- [integer] id of the trace
  path.from_ns / 1000000.0 AS from_ms, -- [ms] start of the segment, from the start of the trace
  path.to_ns / 1000000.0 AS to_ms, -- [ms] end of the segment, from the start of the trace
  (path.to_ns - path.from_ns) / 1000.0 AS time_us, -- [us] (lower) duration of the segment; negative where clocks contradict each other
  path.kind AS kind, -- [text] kind of time of the segment
  path.bound_by AS bound_by, -- [text] resource that bounds the path in the segment
  event.uid AS uid, -- [integer] position of the event in the file
  name.text AS name, -- [kernel] name of the event
  op.text AS op, -- [text] CPU op that is the event or launched it
  work.device AS device, -- [integer] number of the device
  work.stream AS stream, -- [integer] number of the stream
  path.note AS note -- [text] evidence of a wait: stated, inferred (from nearness in time) or own copy
FROM path_segment AS path
LEFT JOIN event ON event.id = path.id
LEFT JOIN string AS name ON name.id = event.name_id
LEFT JOIN gpu_event AS work ON work.id = path.id
LEFT JOIN event AS above ON above.id = coalesce(work.cpu_op_id, CASE WHEN event.category_id IN (SELECT id FROM category WHERE role = 'op') THEN event.id END, (
  SELECT id FROM ancestors(path.id) JOIN event AS upper USING (id) WHERE upper.category_id IN (SELECT id FROM category WHERE role = 'op') ORDER BY id DESC LIMIT 1))
LEFT JOIN string AS op ON op.id = above.name_id
ORDER BY path.run, path.trace_id, path.from_ns, path.to_ns;
