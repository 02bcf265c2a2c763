-- captures_among: folders of traces that capture graphs beside others that launch them.
SELECT DISTINCT rtrim(rtrim(trace.path, replace(trace.path, '/', '')), '/')
FROM (SELECT count(DISTINCT trace_id) AS traces FROM scope) AS beside
CROSS JOIN (SELECT DISTINCT trace_id FROM scope) AS chosen ON beside.traces > 1 CROSS JOIN trace ON trace.id = chosen.trace_id
WHERE NOT EXISTS (
  SELECT 1
  FROM gpu_event
  WHERE id BETWEEN trace.first_event AND trace.last_event AND launcher_name_id IN (SELECT id FROM graph_call)) AND
  EXISTS (
    SELECT 1
    FROM event
    WHERE id BETWEEN trace.first_event AND trace.last_event AND
      name_id IN (SELECT id FROM string WHERE text LIKE '%StreamBeginCapture%')) AND
  EXISTS (
    SELECT 1
    FROM scope CROSS JOIN gpu_event ON id BETWEEN first_event AND last_event
    WHERE launcher_name_id IN (SELECT id FROM graph_call));

-- graphs_launched: folders of traces that launch graphs.
SELECT DISTINCT rtrim(rtrim(trace.path, replace(trace.path, '/', '')), '/')
FROM (SELECT DISTINCT trace_id FROM scope) AS chosen CROSS JOIN trace ON trace.id = chosen.trace_id
WHERE EXISTS (
  SELECT 1
  FROM gpu_event
  WHERE id BETWEEN trace.first_event AND trace.last_event AND launcher_name_id IN (SELECT id FROM graph_call));

-- devices_unlike: a file whose last device is not that of the first file of its run.
WITH file AS (
  SELECT scope.run AS run, scope.trace_id AS id, max(device_op.device) AS most
  FROM scope LEFT JOIN device_op ON device_op.id BETWEEN first_event AND last_event GROUP BY scope.run, scope.trace_id),
first AS (SELECT run, min(id) AS id FROM file GROUP BY run)
SELECT trace.path, coalesce(file.most, -1), coalesce(expected.most, -1)
FROM file JOIN first ON first.run = file.run JOIN file AS expected ON expected.id = first.id JOIN trace ON trace.id = file.id
WHERE file.most IS NOT expected.most LIMIT 1;

-- architectures: a sentence for each architecture without peaks.
SELECT DISTINCT CASE WHEN NOT EXISTS (
  SELECT 1 FROM device_model WHERE device = replace(lower(named), 'wormhole_b0', 'wormhole') AND kind = 'core')
  THEN 'nothing is known about the architecture ' || named || ': no percentages' END
FROM (
  SELECT substr(names, 3, instr(substr(names, 3), '"') - 1) AS named
  FROM (
    SELECT arg(metadata, 'architectures') AS names FROM (SELECT DISTINCT trace_id FROM scope) JOIN trace ON trace.id = trace_id)
  WHERE names <> '[]');

-- unknown: a sentence about ops without a category.
SELECT 'no category is known for ' || group_concat(CASE WHEN place <= 5 THEN op END, ', ') || CASE
  WHEN count(*) > 5 THEN format(' and %d more', count(*) - 5)
  ELSE '' END || '; they count as Other, unless tt_category has a row for them'
FROM (
  SELECT op, row_number() OVER (ORDER BY op) AS place
  FROM (SELECT DISTINCT op FROM tt_op WHERE category = 'Other' AND kind <> 'signpost' AND op NOT IN (SELECT op FROM tt_category)))
HAVING count(*);

-- headline_lines: lines that begin a report, and how many findings more there are.
WITH told AS MATERIALIZED (
  SELECT run, place, line, coalesce(subject, '') AS subject, name, words, report, saves_ms FROM headline),
more AS (
  SELECT run, subject, format('%d more finding%s', count(*), iif(count(*) > 1, 's', '')) AS words
  FROM told
  WHERE place > 3 GROUP BY run, subject)
SELECT line, iif(place = 0, NULL, subject || name), words || ' (report ' || report || ')', saves_ms, run,
  place IS NULL AS is_last, place
FROM told
WHERE place <= 3 OR place IS NULL
UNION ALL SELECT words || ': report findings', subject || words, 'report findings', NULL, run, 0, 4 FROM more ORDER BY 5, 6, 7;
