-- names_to_complete: names and words that a key completes.
WITH s AS (SELECT name, type FROM main.sqlite_schema UNION SELECT name, type FROM temp.sqlite_schema)
SELECT name FROM s WHERE type IN ('table', 'view')
UNION SELECT x.name FROM s JOIN pragma_table_xinfo(s.name) AS x WHERE s.type IN ('table', 'view')
UNION SELECT name FROM pragma_function_list WHERE name GLOB '[a-z]*'
UNION SELECT name FROM pragma_module_list
UNION VALUES ('SELECT'), ('FROM'), ('WHERE'), ('GROUP BY'), ('ORDER BY'), ('LIMIT'), ('JOIN'), ('LEFT JOIN'), ('HAVING'),
  ('WITH'), ('UNION'), ('DISTINCT'), ('BETWEEN'), ('USING');
