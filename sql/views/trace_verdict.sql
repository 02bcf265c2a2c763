-- Whether a trace can be believed: a row for each incomplete trace. Its line stands at the head of
-- every report.
CREATE VIEW trace_verdict AS
SELECT
  chosen.run AS run, -- name of the run
  chosen.trace_id AS trace_id, -- id of the trace
  CASE note.kind WHEN 'list_open' THEN 'usable with care' ELSE 'not comparable' END AS verdict, -- not comparable where events may be missing, usable with care where the format leaves the end open
  'Health: ' || CASE note.kind WHEN 'list_open' THEN 'usable with care' ELSE 'not comparable' END
    || ': file_cut (' || replace(trace.path, rtrim(trace.path, replace(trace.path, '/', '')), '')
    || ': ' || note.detail || ')' AS line -- verdict, check, file and finding
FROM (SELECT DISTINCT run, trace_id FROM scope) AS chosen
JOIN ingest_note AS note ON note.trace_id = chosen.trace_id AND note.kind IN ('end_missing', 'list_open', 'salvaged')
JOIN trace ON trace.id = chosen.trace_id;
