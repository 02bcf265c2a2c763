-- stated: Labels of runs: ?1 has [side, its name, run] for each; a side without statements has a row, too.
-- Labels of blanks state nothing.
SELECT json_group_array(json_array(side, name, key, kind = 'origin', value))
FROM (
  SELECT DISTINCT pair.value ->> 0 AS side, pair.value ->> 1 AS name, label.key AS key, label.kind AS kind,
    iif(trim(label.value) = '', NULL, label.value) AS value
  FROM json_each(?1) AS pair LEFT JOIN run_label AS label ON label.run = pair.value ->> 2 AND label.kind IS NOT NULL
  ORDER BY side, key, label.value);

-- differing: Fields that differ. ?1: lists as `stated` gives them; ?2: the number of sides; ?3: whether each is held against the
-- one before.
WITH row AS MATERIALIZED (
  SELECT row.value ->> 0 AS side, row.value ->> 1 AS name, row.value ->> 2 AS key, row.value ->> 3 AS is_origin, row.value ->> 4 AS value
  FROM json_each(?1) AS file, json_each(file.value) AS row),
-- Most fields have one value everywhere.
field AS MATERIALIZED (
  SELECT key, max(is_origin) AS is_origin
  FROM row WHERE key IS NOT NULL GROUP BY key
  HAVING min(value) <> max(value) OR count(DISTINCT iif(value IS NULL, NULL, side)) < (SELECT count(DISTINCT side) FROM row)),
-- Each field of each side, also where it is not stated.
said AS (
  SELECT side, max(name) AS name, key, max(is_origin) AS is_origin, json_group_array(value) FILTER (WHERE value IS NOT NULL) AS list
  FROM (
    SELECT side, name, key, is_origin, value FROM row WHERE key IN (SELECT key FROM field)
    UNION ALL SELECT side, name, field.key, field.is_origin, NULL FROM (SELECT DISTINCT side, name FROM row) CROSS JOIN field)
  GROUP BY side, key),
told AS (
  SELECT side, name, key, is_origin, list, iif(list = '[]', 'not recorded', (
      SELECT group_concat(value, ', ') FROM json_each(list) WHERE key < 3) ||
      iif(json_array_length(list) > 3, format(' and %d more', json_array_length(list) - 3), '')) AS words
  FROM said),
held AS (
  SELECT side, name, key, is_origin, list, words, iif(?3, lag(side) OVER of, first_value(side) OVER of) AS base,
    iif(?3, lag(list) OVER of, first_value(list) OVER of) AS old_list, iif(?3, lag(words) OVER of, first_value(words) OVER of) AS old_words
  FROM told WINDOW of AS (PARTITION BY key ORDER BY side))
SELECT side, is_origin, format('%s %s%s%s', key, old_words, iif(?3, ' to ', ' against '), words), json_patch(
    json_object('field', key, 'kind', iif(is_origin, 'origin', 'setup'), 'baseline', json(old_list), 'candidate', json(list)),
    json_object('side', iif(?2 > 2, name, NULL)))
FROM held WHERE side > 0 AND base = iif(?3, side - 1, 0) AND old_list IS NOT list ORDER BY side, is_origin, key;
