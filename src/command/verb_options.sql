-- traces_selected: selected traces, as envelopes name them.
SELECT run.name, trace.id, trace.rank, trace.format,
  (SELECT name FROM device WHERE device.trace_id = trace.id ORDER BY id LIMIT 1), substr(trace.content_hash, 1, 16),
  (SELECT count(*) * 1000003 + coalesce(max(id), 0) FROM trace)
FROM (SELECT DISTINCT trace_id FROM scope) AS chosen JOIN trace ON trace.id = chosen.trace_id JOIN run ON run.id = trace.run_id
ORDER BY trace.id;
