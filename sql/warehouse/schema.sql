-- give_view: A row of the schema, as CREATE TEMP VIEW writes it: nothing is parsed before it is used.
INSERT INTO temp.sqlite_schema (type, name, tbl_name, rootpage, sql)
SELECT 'view', ?1, ?1, 0, ?2 WHERE NOT EXISTS (SELECT 1 FROM temp.sqlite_schema WHERE name = ?1 COLLATE NOCASE);

-- remove_paths: Rows and pages that moved, or went, left copies behind: all pages of traces are freed, all
-- free pages are filled with zeros, and the rows are written anew.
PRAGMA secure_delete = on; CREATE TEMP TABLE moved AS
SELECT *
FROM main.trace; UPDATE moved SET metadata = json_remove(metadata, '$.traceName')
WHERE json_valid(metadata); DELETE
FROM main.trace; CREATE TABLE main.tpq_zeros (zeros BLOB);
WITH RECURSIVE page (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM page)
INSERT INTO tpq_zeros
SELECT zeroblob(page_size - 100)
FROM page CROSS JOIN pragma_page_size LIMIT (SELECT freelist_count FROM pragma_freelist_count); DROP TABLE main.tpq_zeros;
INSERT INTO main.trace
SELECT * FROM moved; DROP TABLE moved; PRAGMA secure_delete = off;
