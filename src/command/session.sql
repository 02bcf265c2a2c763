-- graphs_without_notes: traces with captured graphs whose nodes have no notes.
SELECT trace.id, coalesce(trace.rank, -1), trace.path
FROM graph_possible AS possible CROSS JOIN trace ON trace.id = possible.trace_id
WHERE tpq_option('graph-annotations') IS NULL AND NOT EXISTS (SELECT 1 FROM graph_annotation WHERE trace_id = trace.id)
ORDER BY trace.id;
