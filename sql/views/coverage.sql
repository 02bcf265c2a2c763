-- GPU busy time that is linked to ops, has a category, or has a model; a row a trace.
CREATE VIEW coverage AS
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
  -- unusable events of a trace without GPU activities count, too
  SELECT run, trace_id, 0, 0, 0, 0, 0
  FROM scope
  GROUP BY run, trace_id
  HAVING max(CASE WHEN EXISTS (SELECT 1 FROM gpu_event WHERE id BETWEEN first_event AND last_event) THEN 1 ELSE 0 END) = 0
)
SELECT
  run AS run, -- name of the run
  trace_id AS trace_id, -- id of the trace
  busy_ns AS busy_ns, -- GPU busy time
  linked_ns AS linked_ns, -- busy time of GPU activities linked to an op
  categorised_ns AS categorised_ns, -- busy time of communication, and of GPU activities whose op has a category other than 'other'
  coalesce((SELECT modelled.modelled_ns FROM modelled WHERE modelled.trace_id = sums.trace_id), 0) AS modelled_ns, -- busy time of GPU activities below an op with a performance model that gives a result
  graph_ns AS graph_ns, -- busy time of GPU activities of CUDA or HIP graphs
  unlinked_ns AS unlinked_ns, -- busy time of unlinked GPU activities
  coalesce((SELECT sum(count) FROM ingest_note AS note WHERE note.trace_id = sums.trace_id AND kind = 'duration_clipped'), 0) AS clipped, -- number of clipped events
  coalesce((SELECT sum(count) FROM ingest_note AS note WHERE note.trace_id = sums.trace_id AND kind IN ('time_missing', 'time_out_of_range', 'not_an_object', 'phase_missing')), 0) AS dropped, -- number of unusable events
  coalesce((SELECT sum(count) FROM ingest_note AS note WHERE note.trace_id = sums.trace_id AND kind = 'duration_zero'), 0) AS zero, -- number of events without duration
  coalesce((SELECT sum(count) FROM ingest_note AS note WHERE note.trace_id = sums.trace_id AND kind IN ('outside_parent', 'left_out_of_tree')), 0) AS overlapping -- number of events that overlap their parent
FROM sums;

-- Names of runtime calls that start a graph of kernels.
CREATE VIEW graph_call AS
SELECT
  string.id AS id, -- id of the name of the call
  string.text AS name -- name of the call
FROM string
WHERE lower(string.text) LIKE '%graphlaunch%';
