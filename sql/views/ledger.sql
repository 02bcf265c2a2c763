-- How much of what the accelerators did can be explained, a row a trace.
CREATE VIEW ledger AS
WITH graph AS MATERIALIZED (SELECT id FROM graph_call),
work AS (
  SELECT run, trace_id, ts_ns, dur_ns, has_op AS is_linked, call_id IS NULL AS is_unlinked,
    coalesce(launcher_category, 'other') <> 'other' AS is_categorised,
    CASE WHEN (SELECT max(id) FROM graph) IS NULL OR call_id IS NULL THEN 0
      ELSE (SELECT event.name_id IN (SELECT id FROM graph) FROM event WHERE event.id = launched_work.call_id) END AS is_graph
  FROM launched_work
)
SELECT
  run AS run, -- run
  trace_id AS trace_id, -- trace
  interval_union_ns(ts_ns, dur_ns) AS busy_ns, -- time with any accelerator work
  interval_union_ns(ts_ns, dur_ns) FILTER (WHERE is_linked) AS linked_ns, -- time with work that is linked to an op
  interval_union_ns(ts_ns, dur_ns) FILTER (WHERE is_categorised) AS categorised_ns, -- time with work whose op has a category other than other
  interval_union_ns(ts_ns, dur_ns) FILTER (WHERE is_graph) AS graph_ns, -- time with work that a graph launch started
  interval_union_ns(ts_ns, dur_ns) FILTER (WHERE is_unlinked) AS unlinked_ns, -- time with work whose launch is not known
  coalesce((SELECT sum(count) FROM ingest_note AS note WHERE note.trace_id = work.trace_id AND kind = 'duration_clipped'), 0) AS clipped, -- events that were clipped
  coalesce((SELECT sum(count) FROM ingest_note AS note WHERE note.trace_id = work.trace_id AND kind IN ('time_missing', 'time_out_of_range', 'not_an_object', 'phase_missing')), 0) AS dropped, -- events that could not be used
  coalesce((SELECT sum(count) FROM ingest_note AS note WHERE note.trace_id = work.trace_id AND kind = 'duration_zero'), 0) AS zero, -- events without duration
  coalesce((SELECT sum(count) FROM ingest_note AS note WHERE note.trace_id = work.trace_id AND kind IN ('outside_parent', 'left_out_of_tree')), 0) AS overlapping -- events that overlap their parent
FROM work
GROUP BY run, trace_id;

-- Names of runtime calls that start a graph of kernels.
CREATE VIEW graph_call AS
SELECT
  string.id AS id, -- the name
  string.text AS name -- the same as text
FROM string
WHERE lower(string.text) LIKE '%graphlaunch%';
