-- names_known: runs whose files a group has, and whether one has its own name. The cast and the
-- order of the join make an index of paths.
WITH mine AS MATERIALIZED (SELECT value ->> 0 AS part, value ->> 1 AS own, CAST(value ->> 2 AS TEXT) AS path FROM json_each(?1))
SELECT part, name, max(name = own)
FROM (
  SELECT part, own, name
  FROM (
    SELECT part, own, name, min(iif(name = own, 0, trace.id))
    FROM trace CROSS JOIN mine USING (path) JOIN run ON run.id = run_id GROUP BY part, path) GROUP BY name
  HAVING min(part) = max(part))
GROUP BY part HAVING count(*) = 1 OR max(name = own);
