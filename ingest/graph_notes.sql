-- notes_wrong: why a text is no file of graph notes; NULL for one that is.
SELECT CASE WHEN NOT json_valid(?1) THEN 'neither JSON nor a pickle'
  WHEN json_type(?1) <> 'object' THEN 'no object with a list for each graph node' ELSE (
  SELECT CASE WHEN is_wrong THEN format('''%.100s'' is no id of a graph node', key)
    WHEN type <> 'array' THEN format('graph node %s has no list of annotations', key) ELSE (
    SELECT format('graph node %s, entry %d: ', node.key, entry.key + 1) || CASE
      WHEN entry.type <> 'object' THEN 'neither an object nor a text' ELSE (
      SELECT member.key || ' is no text'
      FROM json_each(entry.value) AS member
      WHERE member.key IN ('module_fqn', 'name', 'str') AND member.type NOT IN ('text', 'null')) END AS words
    FROM json_each(node.value) AS entry
    WHERE entry.type <> 'text' AND words IS NOT NULL LIMIT 1) END AS words
  FROM (
    SELECT key, type, value,
      key = '' OR ltrim(key, '0123456789') <> '' OR key GLOB '0?*' OR length(key) > 20 OR (length(key) = 20 AND key >
        '18446744073709551615') AS is_wrong
    FROM json_each(?1)) AS node
  WHERE words IS NOT NULL LIMIT 1) END;

-- notes_added: notes of a rank, ?2 (negative: of any), as a file states them.
INSERT OR REPLACE INTO note
SELECT iif(?2 < 0, NULL, ?2), key,
  (SELECT value ->> '$.module_fqn'
    FROM json_each(list.value)
    WHERE type = 'object' AND json_type(value, '$.module_fqn') IS NOT NULL ORDER BY key DESC LIMIT 1),
  (SELECT iif(type = 'text', value, iif(json_type(value, '$.name') IS NOT NULL, value ->> '$.name', value ->> '$.str'))
    FROM json_each(list.value)
    WHERE type = 'text' OR (type = 'object' AND coalesce(json_type(value, '$.name'), json_type(value, '$.str')) IS NOT NULL)
    ORDER BY key DESC LIMIT 1)
FROM json_each(?1) AS list;
