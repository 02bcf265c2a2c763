-- The change of each call of both trees with all below it, to find the highest one that explains it.
-- set: diff
-- position: 40
-- unit: pair
-- when: not compat
-- terminal: name, depth, gpu_time1, gpu_time2, delta_us, own_delta_us
CREATE VIEW diff_path_rollup AS
WITH RECURSIVE
node AS MATERIALIZED (
  SELECT run, merged_id, parent_merged_id, name1, name2,
    coalesce(gpu_ns1, 0) AS ns1, coalesce(gpu_ns2, 0) AS ns2, gpu_count1, gpu_count2
  FROM diff_node
  WHERE type = 'combined'
),
below AS (
  SELECT parent_merged_id AS merged_id, sum(ns2 - ns1) AS delta_ns
  FROM node
  WHERE parent_merged_id IS NOT NULL
  GROUP BY parent_merged_id
),
place (merged_id, depth) AS (
  SELECT merged_id, 0 FROM node WHERE parent_merged_id IS NULL
  UNION ALL
  SELECT node.merged_id, place.depth + 1
  FROM place JOIN node ON node.parent_merged_id = place.merged_id
)
SELECT
  node.run AS run, -- [text] run of the baseline
  CASE WHEN node.name1 = node.name2 THEN node.name1 ELSE node.name1 || ' | ' || node.name2 END AS name, -- [text] the call, with | between where names differ
  node.merged_id AS merged_id, -- [integer] its number in the merged tree
  node.parent_merged_id AS parent_merged_id, -- [integer] call above it
  place.depth AS depth, -- [integer] how many calls are above it
  node.ns1 / 1000.0 AS gpu_time1, -- [us] (lower) accelerator time below it in the baseline, sum
  node.ns2 / 1000.0 AS gpu_time2, -- [us] (lower) the same in the variant
  (node.ns2 - node.ns1) / 1000.0 AS delta_us, -- (lower) the second less the first
  (node.ns2 - node.ns1 - coalesce(below.delta_ns, 0)) / 1000.0 AS own_delta_us -- (lower) what the calls of both trees right below it do not explain
FROM node
JOIN place ON place.merged_id = node.merged_id
LEFT JOIN below ON below.merged_id = node.merged_id
WHERE node.ns1 <> node.ns2
ORDER BY abs(node.ns2 - node.ns1) DESC, node.merged_id;
