-- notes_sql: notes of nodes of trace ?1, as the views graph_note and graph_node_recorded tell them,
-- which a warehouse that is being built does not have yet.
WITH file AS MATERIALIZED (SELECT coalesce(arg(value, 'rank'), -1) AS rank, arg(value, 'notes') AS notes FROM json_each(?2)),
chosen AS (
  SELECT CASE WHEN rank IN (SELECT rank FROM file) THEN rank WHEN rank IS NULL AND (
    SELECT count(*) FROM file) = 1 THEN (SELECT rank FROM file) ELSE -1 END AS rank
  FROM trace
  WHERE id = ?1)
INSERT INTO graph_annotation (trace_id, node_id, module, op)
SELECT ?1, key, nullif(substr(value, 1, instr(value, char(10)) - 1), ''), nullif(substr(value, instr(value, char(10)) + 1), '')
FROM chosen JOIN file ON file.rank = chosen.rank CROSS JOIN json_each(file.notes)
WHERE true;

-- requests_stated: requests of trace ?1, list by list, as the view known_request reads them.
WITH RECURSIVE given AS (
  SELECT 0 AS number, tpq_option('requests 0') AS list
  UNION ALL SELECT number + 1, tpq_option('requests ' || (number + 1)) FROM given WHERE list IS NOT NULL)
INSERT INTO served_request (trace_id, number, request_id, arrival_ns, first_token_ns, end_ns, prompt_tokens, output_tokens)
SELECT ?1, 1000 * given.number + key, arg(value, 'r'), CAST(arg(value, 'a') AS INTEGER), CAST(arg(value, 'f') AS INTEGER),
  CAST(arg(value, 'e') AS INTEGER), arg(value, 'p'), arg(value, 'o')
FROM given CROSS JOIN json_each(given.list)
WHERE ?2 IS NOT NULL;
