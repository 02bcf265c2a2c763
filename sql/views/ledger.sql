-- How much of what the accelerators did can be explained, a row a trace.
CREATE VIEW ledger AS
WITH graph AS MATERIALIZED (SELECT id FROM graph_call),
modelled AS MATERIALIZED (SELECT trace_id, modelled_ns FROM modelled_time),
work AS (
  SELECT run, trace_id, ts_ns, dur_ns, has_op AS is_linked, call_id IS NULL AS is_unlinked,
    coalesce(launcher_category, 'other') <> 'other' OR kernel_class('timeline', category_id, name_id) = 'communication' AS is_categorised,
    CASE WHEN (SELECT max(id) FROM graph) IS NULL OR call_id IS NULL THEN 0
      ELSE (SELECT event.name_id IN (SELECT id FROM graph) FROM event WHERE event.id = launched_work.call_id) END AS is_graph
  FROM launched_work
),
sums AS (
  SELECT run, trace_id, interval_union_ns(ts_ns, dur_ns) AS busy_ns,
    interval_union_ns(ts_ns, dur_ns) FILTER (WHERE is_linked) AS linked_ns,
    interval_union_ns(ts_ns, dur_ns) FILTER (WHERE is_categorised) AS categorised_ns,
    interval_union_ns(ts_ns, dur_ns) FILTER (WHERE is_graph) AS graph_ns,
    interval_union_ns(ts_ns, dur_ns) FILTER (WHERE is_unlinked) AS unlinked_ns
  FROM work
  GROUP BY run, trace_id
  UNION ALL
  -- what a trace without work has lost counts no less
  SELECT run, trace_id, 0, 0, 0, 0, 0
  FROM scope
  GROUP BY run, trace_id
  HAVING max(CASE WHEN EXISTS (SELECT 1 FROM gpu_event WHERE id BETWEEN first_event AND last_event) THEN 1 ELSE 0 END) = 0
)
SELECT
  run AS run, -- run
  trace_id AS trace_id, -- trace
  busy_ns AS busy_ns, -- time with any GPU activities
  linked_ns AS linked_ns, -- time with work that is linked to an op
  categorised_ns AS categorised_ns, -- time with work whose op has a category other than other, and with communication
  coalesce((SELECT modelled.modelled_ns FROM modelled WHERE modelled.trace_id = sums.trace_id), 0) AS modelled_ns, -- time with work below a call that has a model which could be used
  graph_ns AS graph_ns, -- time with work that a graph launch started
  unlinked_ns AS unlinked_ns, -- time with work whose launch is not known
  coalesce((SELECT sum(count) FROM ingest_note AS note WHERE note.trace_id = sums.trace_id AND kind = 'duration_clipped'), 0) AS clipped, -- events that were clipped
  coalesce((SELECT sum(count) FROM ingest_note AS note WHERE note.trace_id = sums.trace_id AND kind IN ('time_missing', 'time_out_of_range', 'not_an_object', 'phase_missing')), 0) AS dropped, -- events that could not be used
  coalesce((SELECT sum(count) FROM ingest_note AS note WHERE note.trace_id = sums.trace_id AND kind = 'duration_zero'), 0) AS zero, -- events without duration
  coalesce((SELECT sum(count) FROM ingest_note AS note WHERE note.trace_id = sums.trace_id AND kind IN ('outside_parent', 'left_out_of_tree')), 0) AS overlapping -- events that overlap their parent
FROM sums;

-- Names of runtime calls that start a graph of kernels.
CREATE VIEW graph_call AS
SELECT
  string.id AS id, -- the name
  string.text AS name -- the same as text
FROM string
WHERE lower(string.text) LIKE '%graphlaunch%';
