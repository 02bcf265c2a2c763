-- Walks through the call tree, against recursive queries over its edges.

CREATE TEMP TABLE edge_of AS SELECT parent, child, kind FROM tree_edge;
CREATE INDEX temp.edge_by_parent ON edge_of (parent);
CREATE INDEX temp.edge_by_child ON edge_of (child);

-- What is above and below each event, with the distance.
CREATE TEMP TABLE path AS
WITH RECURSIVE way(top, id, depth) AS (
  SELECT parent, child, 1 FROM edge_of
  UNION ALL
  SELECT top, child, depth + 1 FROM way JOIN edge_of ON parent = id
)
SELECT top, id, depth FROM way;
CREATE INDEX temp.path_by_top ON path (top);
CREATE INDEX temp.path_by_id ON path (id);

SELECT 'the tree is worth walking through',
  count(*) > 1000 AND max(depth) >= 7 AND count(DISTINCT top) > 250 FROM path;

-- ------------------------------------------------------------------ ancestors
CREATE TEMP TABLE above AS
SELECT event.id AS start, ancestors.id, depth FROM event, ancestors(event.id);
SELECT 'ancestors: the same as by edges', count(*) > 0 AND count(*) = (SELECT count(*) FROM path)
FROM above JOIN path ON path.top = above.id AND path.id = above.start AND path.depth = above.depth;
SELECT 'ancestors: nothing else', (SELECT count(*) FROM above) = (SELECT count(*) FROM path);
SELECT 'ancestors: nearest first', min(depth = place) FROM (
  SELECT depth, row_number() OVER (PARTITION BY start ORDER BY rowid) AS place FROM above);
SELECT 'ancestors: a root has none', count(*) = 0
FROM (SELECT id FROM event WHERE up IS NULL) AS root, ancestors(root.id);
SELECT 'ancestors: the way goes up to a root', min(up IS NULL) AND count(*) > 100
FROM event JOIN (SELECT start, id, max(depth) FROM above GROUP BY start) AS top USING (id);

-- ------------------------------------------------------------------ descendants
CREATE TEMP TABLE below AS
SELECT event.id AS start, descendants.id, depth FROM event, descendants(event.id);
SELECT 'descendants: the same as by edges', count(*) > 0 AND count(*) = (SELECT count(*) FROM path)
FROM below JOIN path ON path.top = below.start AND path.id = below.id AND path.depth = below.depth;
SELECT 'descendants: nothing else', (SELECT count(*) FROM below) = (SELECT count(*) FROM path);
SELECT 'descendants: in preorder, which is the order of ids', min(id = start + place) FROM (
  SELECT start, id, row_number() OVER (PARTITION BY start ORDER BY rowid) AS place FROM below);
SELECT 'descendants: as many as the numbering says', min(below = found) FROM (
  SELECT below, (SELECT count(*) FROM descendants(event.id)) AS found FROM event);
SELECT 'descendants: a leaf has none', count(*) = 0
FROM (SELECT id FROM event WHERE below = 0) AS leaf, descendants(leaf.id);

SELECT 'descendants: not deeper than ' || wanted.levels, count(*) = (
  SELECT count(*) FROM path WHERE depth <= wanted.levels)
  AND max(descendants.depth) = wanted.levels
FROM (SELECT column1 AS levels FROM (VALUES (1), (2), (3), (5))) AS wanted, event,
  descendants(event.id, wanted.levels)
GROUP BY wanted.levels;
SELECT 'descendants: each level is the right one',
  count(*) = (SELECT count(*) FROM path WHERE depth <= 3)
FROM event, descendants(event.id, 3) AS found
JOIN path ON path.top = event.id AND path.id = found.id AND path.depth = found.depth;
SELECT 'descendants: no level, no rows', count(*) = 0
FROM (VALUES (0), (-1), (-9223372036854775807 - 1)), event, descendants(event.id, column1);
SELECT 'descendants: as many levels as there may be', count(*) = (SELECT count(*) FROM path)
FROM event, descendants(event.id, 9223372036854775807);
SELECT 'descendants: NULL levels are no limit', count(*) = (SELECT count(*) FROM path)
FROM event, descendants(event.id, NULL);

-- The same without Python frames: 1 and how many other events lie between.
CREATE TEMP TABLE role_of AS
SELECT event.id, category.role FROM event JOIN category ON category.id = category_id;
CREATE TEMP TABLE without AS
SELECT path.top, path.id, path.depth AS whole, count(*) AS depth
FROM path JOIN path AS way ON way.id = path.id
JOIN role_of ON role_of.id = way.top JOIN role_of AS own ON own.id = path.id
WHERE own.role <> 'frame' AND (way.top = path.top OR way.top > path.top AND role_of.role <> 'frame')
GROUP BY path.top, path.id;
SELECT 'descendants: children of skipped events move up', max(depth < whole) AND count(*) = (
  SELECT count(*) FROM event, descendants(event.id, NULL, 'frame') AS found
  JOIN without ON top = event.id AND without.id = found.id AND without.depth = found.depth)
FROM without;
SELECT 'descendants: nothing else without frames', count(*) = (SELECT count(*) FROM without)
FROM event, descendants(event.id, NULL, 'frame');
SELECT 'descendants: so many levels of what is left', count(*) > 0 AND count(*) = (
  SELECT count(*) FROM without WHERE depth <= 2)
FROM event, descendants(event.id, 2, 'frame');
SELECT 'descendants: without a role that is not there', count(*) = (SELECT count(*) FROM path)
FROM event, descendants(event.id, NULL, 'no such role');

-- ------------------------------------------------------------------ kernels_below
CREATE TEMP TABLE work AS
SELECT event.id AS start, kernels_below.id, call_id
FROM event JOIN category ON category.id = category_id, kernels_below(event.id)
WHERE role <> 'gpu';
SELECT 'kernels_below: GPU activities by edges', count(*) > 0 AND count(*) = (
  SELECT count(*) FROM path JOIN gpu_event USING (id))
FROM work JOIN path ON path.top = work.start AND path.id = work.id;
SELECT 'kernels_below: nothing else', (SELECT count(*) FROM work) = (
  SELECT count(*) FROM path JOIN gpu_event USING (id));
SELECT 'kernels_below: the call that launched it', min(work.call_id = edge_of.parent)
FROM work JOIN edge_of ON child = work.id;
SELECT 'kernels_below: the time of an op', sum(work.dur_ns) > 0 AND sum(work.dur_ns) = (
  SELECT sum(gpu_event.dur_ns) FROM path JOIN gpu_event USING (id)
  WHERE path.top IN (SELECT id FROM slice WHERE name = 'aten::linear'))
FROM slice AS op, kernels_below(op.id) JOIN gpu_event AS work ON work.id = kernels_below.id
WHERE op.name = 'aten::linear';

SELECT 'kernels_below: nothing is below GPU activities', count(*) = 0
FROM gpu_event, kernels_below(gpu_event.id);

-- ------------------------------------------------------------------ no such event
SELECT 'no rows for NULL',
  (SELECT count(*) FROM ancestors(NULL)) = 0 AND (SELECT count(*) FROM descendants(NULL)) = 0
  AND (SELECT count(*) FROM descendants(NULL, 1)) = 0
  AND (SELECT count(*) FROM kernels_below(NULL)) = 0;
SELECT 'no rows for an id that does not exist: ' || column1,
  (SELECT count(*) FROM ancestors(column1)) = 0 AND (SELECT count(*) FROM descendants(column1)) = 0
  AND (SELECT count(*) FROM kernels_below(column1)) = 0
FROM (VALUES (0), (-1), (99999999), (9223372036854775807), (-9223372036854775807 - 1), ('x'), (''));
SELECT 'no rows without an event',
  (SELECT count(*) FROM ancestors) = 0 AND (SELECT count(*) FROM descendants) = 0
  AND (SELECT count(*) FROM kernels_below) = 0;

-- ------------------------------------------------------------------ in queries
CREATE TEMP TABLE sample AS
SELECT min(id) AS id FROM slice WHERE run = 'rank1' AND name = 'nn.Module: Model_0';
SELECT 'joined with what it gives', count(*) = 3 AND min(name) = 'aten::linear'
FROM sample, descendants(sample.id) AS below JOIN slice ON slice.id = below.id
WHERE slice.name = 'aten::linear';
SELECT 'joined by USING', group_concat(name || ' ' || depth, ', ') =
  'cudaLaunchKernelExC 1, nccl:all_reduce 2'
FROM ancestors((SELECT max(id) FROM slice WHERE name GLOB 'ncclDevKernel*' AND run = 'rank1'))
JOIN slice USING (id);
SELECT 'up and down again', count(*) > 10 AND min(EXISTS (
  SELECT * FROM ancestors(below.id) AS above
  WHERE above.id = sample.id AND above.depth = below.depth))
FROM sample, descendants(sample.id) AS below;
SELECT 'one walk inside the other', count(*) = (SELECT count(*) FROM path JOIN path AS second
  ON second.top = path.id JOIN sample ON path.top = sample.id)
FROM sample, descendants(sample.id) AS first, descendants(first.id) AS second;
SELECT 'the argument is a column, too', count(*) = (SELECT count(*) FROM descendants(sample.id))
FROM sample, descendants AS below WHERE below.event = sample.id;
SELECT 'two arguments at once have no answer', count(*) = 0
FROM sample, descendants(sample.id) AS below WHERE below.event = sample.id + 1;
SELECT 'a list of events', count(*) = (SELECT count(*) FROM path WHERE top IN (1, 2, 3))
FROM descendants WHERE event IN (1, 2, 3, NULL, 99999999);
SELECT 'either of two events, though they share what is below', count(*) = (
  SELECT count(*) FROM path WHERE top IN (1, 2)) AND count(DISTINCT event) = 2
FROM descendants WHERE (event = 1 AND id > 1) OR (event = 2 AND id > 2);
SELECT 'a LEFT JOIN keeps what has nothing above', count(*) = (
  SELECT count(*) FROM path) + (SELECT count(*) FROM event WHERE up IS NULL)
FROM event LEFT JOIN ancestors(event.id) AS above ON 1;
SELECT 'a limit ends the walk', count(*) = 5
FROM (SELECT id FROM descendants((SELECT id FROM sample)) LIMIT 5);

-- error: too many arguments
SELECT * FROM ancestors(1, 2);
-- error: too many arguments
SELECT * FROM kernels_below(1, 2);
-- error: too many arguments
SELECT * FROM descendants(1, 2, 3, 4);
-- error: may not be modified
DELETE FROM descendants;
