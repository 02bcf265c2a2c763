-- tables_of_traces: tables by their foreign keys, for the statements below.
WITH RECURSIVE
  -- All foreign keys of stored columns. `pk` is the place of the column in its table's key.
  reference(child, name, pk, parent) AS MATERIALIZED (
    SELECT t.name, c.name, c.pk, f."table"
    FROM main.sqlite_schema AS t JOIN pragma_foreign_key_list(t.name, 'main') AS f
    JOIN pragma_table_xinfo(t.name, 'main') AS c ON c.name = f."from" AND c.hidden = 0 WHERE t.type = 'table'),
  -- The events of a trace are a range of ids; so are rows whose key begins with the id of one. The
  -- shortest way to a trace is taken.
  by_event(name, key) AS (SELECT 'event', 'id' UNION ALL SELECT child, name FROM reference WHERE parent = 'event' AND pk = 1),
  ways(name, condition, depth) AS (
    SELECT 'trace', 'id = ?1', 0
    UNION SELECT child, coalesce((
        SELECT format('"%w" BETWEEN (SELECT first_event FROM trace WHERE id = ?1) AND (SELECT last_event FROM trace WHERE id = ?1)', key)
        FROM by_event WHERE by_event.name = child), format('"%w" = ?1', name)), 1
    FROM reference WHERE parent = 'trace'
    UNION SELECT child, format('"%w" IN (SELECT id FROM "%w" WHERE %s)', reference.name, parent, condition), depth + 1
    FROM ways JOIN reference ON parent = ways.name
    WHERE depth BETWEEN 1 AND 8 AND child <> parent AND child NOT IN (SELECT child FROM reference WHERE parent = 'trace')),
  owned(name, condition, depth) AS (SELECT name, condition, min(depth) FROM ways GROUP BY name),
  -- Tables that traces share, each before those it refers to. Other shared tables, like the kinds of events,
  -- are few rows that stay. A row with a shared row in its key dies with it; all other references keep their
  -- rows.
  shared(name, place) AS (VALUES ('op', 1), ('args', 2), ('string', 3)),
  part(child, name, parent) AS (
    SELECT child, name, parent FROM reference WHERE parent IN (SELECT name FROM shared) AND pk AND child NOT IN (SELECT name FROM owned)),
  keeper(child, name, parent) AS (
    SELECT child, name, parent FROM reference WHERE parent IN (SELECT name FROM shared) EXCEPT SELECT child, name, parent FROM part),
  -- The stored columns of the tables of a trace, of shared tables and of the tables of runs,
  -- and what stands for each in another warehouse: merged_TABLE(id) is the number there of the row of TABLE.
  -- `is_number`: rows of a trace that have numbers of their own. Columns that end in _event hold ids of
  -- events that need not be there, as the ends of ranges do.
  named(name) AS (
    SELECT DISTINCT parent
    FROM reference
    WHERE child IN (SELECT name FROM owned) AND parent NOT IN ('run', 'trace') AND parent NOT IN (SELECT name FROM owned)
      AND parent NOT IN (SELECT name FROM shared)),
  kept(name) AS (SELECT child FROM part UNION SELECT child FROM reference WHERE parent = 'run' AND child NOT IN ('trace', 'rollup')),
  wanted(name) AS (
    SELECT 'run' UNION SELECT name FROM owned UNION SELECT name FROM shared UNION SELECT name FROM named UNION SELECT name FROM kept),
  stored(child, place, name, is_number, parent) AS MATERIALIZED (
    SELECT wanted.name, c.cid, c.name, c.pk = 1 AND c.type = 'INTEGER' AND count(*) FILTER (WHERE c.pk) OVER (PARTITION BY wanted.name) = 1
      AND r.parent IS NULL, r.parent
    FROM wanted JOIN pragma_table_xinfo(wanted.name, 'main') AS c LEFT JOIN reference AS r ON r.child = wanted.name AND r.name = c.name
    WHERE c.hidden = 0 ORDER BY wanted.name, c.cid),
  meant(child, name, value) AS (
    SELECT child, stored.name, CASE
      WHEN child = 'event' AND is_number THEN 'NULL'
      WHEN stored.name = key THEN format('there."%w" + ?3', key)
      WHEN key IS NOT NULL AND parent = 'trace' THEN '?4'
      WHEN child = 'gpu_event' AND parent = 'event' THEN
        format('iif(there."%w" BETWEEN ?1 AND ?2, there."%w" + ?3, merged_event(there."%w" * 0))', stored.name, stored.name, stored.name)
      WHEN parent IS NOT NULL OR is_number THEN format('"merged_%w"(there."%w")', coalesce(parent, child), stored.name)
      WHEN stored.name LIKE '%\_event' ESCAPE '\' THEN format('there."%w" + merged_shift(there.trace_id)', stored.name)
      ELSE format('there."%w"', stored.name) END
    FROM stored LEFT JOIN by_event ON by_event.name = child),
  list(name, columns, meanings) AS MATERIALIZED (
    SELECT child, group_concat(format('"%w"', name), ', '), group_concat(value, ', ') FROM meant GROUP BY child),
  way(name, place, owner) AS (
    SELECT child, min(place), format('"merged_%w"(there."%w") IS NOT NULL', parent, name)
    FROM stored
    WHERE parent = 'trace' OR (parent IN (SELECT name FROM owned WHERE name NOT IN ('trace', 'event')) AND child NOT IN (
        SELECT child FROM reference WHERE parent = 'trace')) GROUP BY child),
  identity(name, condition) AS (
    SELECT meant.child, group_concat(format('here."%w" IS %s', meant.name, meant.value), ' AND ')
    FROM meant JOIN pragma_index_list(meant.child, 'main') AS i ON i.seq = 0
    JOIN pragma_index_info(i.name, 'main') AS c ON c.name = meant.name GROUP BY meant.child)

-- deletions_of_trace: Deletions by way of other tables come first, the trace last.
SELECT format('DELETE FROM "%w" WHERE %s', name, condition) FROM owned ORDER BY depth = 0, depth DESC, name;

-- deletions_of_run: The same of a run, after its traces.
SELECT format('DELETE FROM "%w" WHERE "%w" = ?1', child, name) FROM reference WHERE parent = 'run' AND child <> 'trace'
UNION ALL SELECT 'DELETE FROM run WHERE id = ?1';

-- cleaning: Removes shared rows that nothing keeps, and their parts.
SELECT sql
FROM (
  SELECT place, 0 AS is_part,
    format('DELETE FROM %s WHERE id NOT IN (%s)', shared.name, group_concat(format(
      'SELECT "%w" FROM "%w" WHERE "%w" IS NOT NULL', keeper.name, child, keeper.name), ' UNION ')) AS sql
  FROM shared JOIN keeper ON parent = shared.name GROUP BY shared.name
  UNION ALL SELECT place, 1, format('DELETE FROM "%w" WHERE "%w" NOT IN (SELECT id FROM %s)', child, part.name, parent)
  FROM part JOIN shared ON shared.name = parent) ORDER BY place, is_part;

-- merging: Rows that others share are looked for by the columns of their first index. Those of the catalog
-- have numbers below 1000, which are the same everywhere. Events follow the events there without gaps, so
-- they number themselves: whether a number is free need not be looked up. The NULL for it makes the columns
-- those of the table, in its order: SQLite then moves no value twice.
SELECT 'trace' AS kind, 'trace' AS name, NULL AS list,
  format('INSERT INTO main.trace (%s) SELECT %s FROM source.trace AS there WHERE id = ?1 AND json_type(metadata) = ''object''',
    group_concat(format('"%w"', name), ', '), group_concat(CASE name WHEN 'run_id' THEN '?2' WHEN 'first_event' THEN '?3' WHEN
    'last_event' THEN '?3 + (last_event - first_event)' ELSE format('"%w"', name) END, ', ')) AS copy, 0 AS round, 0 AS place
FROM stored
WHERE child = 'trace' AND name <> 'id'
UNION ALL SELECT 'shared', list.name,
  format(
    'SELECT id, (SELECT min(here.id) FROM main."%w" AS here WHERE %s), ' ||
    '(SELECT max(%d, coalesce(max(id), 0)) + 1 FROM main."%w") ' ||
    'FROM source."%w" AS there NOT INDEXED ORDER BY id',
    list.name, condition, iif(shared.place, 0, 999), list.name, list.name),
  format('INSERT INTO main."%w" (%s) SELECT %s FROM source."%w" AS there NOT INDEXED WHERE "merged_%w"(id) >= ?1 ORDER BY id',
    list.name, columns, meanings, list.name, list.name), 1, -coalesce(shared.place, 9)
FROM list JOIN identity ON identity.name = list.name LEFT JOIN shared ON shared.name = list.name
WHERE list.name IN (SELECT name FROM shared UNION SELECT name FROM named)
UNION ALL SELECT 'numbered', way.name,
  format(
    'SELECT id, iif(%s, NULL, -1), (SELECT coalesce(max(id), 0) + 1 FROM main."%w") FROM source."%w" AS there NOT INDEXED ORDER BY id',
    owner, way.name, way.name), NULL, 2, depth
FROM way JOIN owned ON owned.name = way.name
WHERE way.name NOT IN ('trace', 'event') AND way.name IN (SELECT child FROM stored WHERE is_number)
UNION ALL SELECT iif(key IS NULL, 'rows', 'event rows'), list.name, NULL,
  format('INSERT INTO main."%w" (%s) SELECT %s FROM source."%w" AS there NOT INDEXED WHERE %s', list.name, columns, meanings,
    list.name, iif(key IS NULL, owner, format('there."%w" BETWEEN ?1 AND ?2%s ORDER BY there."%w"', key, iif(list.name = 'event',
    ' AND merged_fits(there.id, there.up, there.below, there.dur_ns)', ''), key))), 3, depth
FROM list JOIN owned ON owned.name = list.name LEFT JOIN by_event ON by_event.name = list.name
LEFT JOIN way ON way.name = list.name
WHERE list.name <> 'trace'
UNION ALL SELECT iif(list.name IN (SELECT child FROM part), 'parts', 'run rows'), list.name, NULL,
  format('INSERT INTO main."%w" (%s) SELECT %s FROM source."%w" AS there NOT INDEXED WHERE true ON CONFLICT DO NOTHING',
    list.name, columns, meanings, list.name), 4, 0
FROM list JOIN kept ON kept.name = list.name ORDER BY round, place, name;
