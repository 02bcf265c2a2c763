-- The critical path across ranks, segment by segment. In a collective where ranks wait, the path
-- continues on the last rank. Times run from the start of the first rank.
-- set: multirank
-- question: ranks
-- position: 180
-- unit: run
-- key: from_ms, rank, kind, name
-- measure: time_us
-- when: never
-- drop-empty: note
-- terminal: from_ms, rank, time_us, kind, name, op, device, stream, note, bound_by, to_ms, uid
-- empty: no_events, no_ranks
CREATE VIEW ranks_critical_path AS
SELECT
  path.run AS run, -- [text] name of the run
  path.rank AS rank, -- [integer] rank of the path segment
  (path.from_ns - graph.begin_ns) / 1000000.0 AS from_ms, -- [ms] start of the path segment
  (path.to_ns - graph.begin_ns) / 1000000.0 AS to_ms, -- [ms] end of the path segment
  (path.to_ns - path.from_ns) / 1000.0 AS time_us, -- [us] (lower) duration of the path segment; negative where clocks contradict each other
  path.kind AS kind, -- [text] kind of the path segment
  path.bound_by AS bound_by, -- [text] bound of the path segment
  event.uid AS uid, -- [integer] position of the event in the file
  name.text AS name, -- [kernel] name of the event
  op.text AS op, -- [text] op of the event, or around it
  work.device AS device, -- [integer] number of the device
  work.stream AS stream, -- [integer] number of the stream
  path.note AS note -- [text] source of a wait: stated, inferred (from nearness in time), own copy
FROM rank_path_segment AS path
JOIN rank_path_graph AS graph ON graph.run = path.run
LEFT JOIN event ON event.id = path.id
LEFT JOIN string AS name ON name.id = event.name_id
LEFT JOIN gpu_event AS work ON work.id = path.id
LEFT JOIN event AS above ON above.id = coalesce(work.cpu_op_id, CASE WHEN event.category_id IN (SELECT id FROM category WHERE role = 'op') THEN event.id END, (
  SELECT id FROM ancestors(path.id) JOIN event AS upper USING (id) WHERE upper.category_id IN (SELECT id FROM category WHERE role = 'op') ORDER BY id DESC LIMIT 1))
LEFT JOIN string AS op ON op.id = above.name_id
ORDER BY path.run, path.from_ns, path.to_ns;
