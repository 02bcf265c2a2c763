-- Change of each op of both call trees, everything below it included. The topmost op that changed
-- is where to look.
-- set: diff
-- question: compare
-- position: 40
-- unit: pair
-- when: not compat
-- terminal: name, depth, gpu_time1, gpu_time2, delta_us, own_delta_us
-- empty: lacks_work, lacks_differences
CREATE VIEW diff_path_rollup AS
SELECT
  node.run AS run, -- [text] run of the baseline
  CASE WHEN node.name1 = node.name2 THEN node.name1 ELSE node.name1 || ' | ' || node.name2 END AS name, -- [text] the op, with | between where names differ
  node.merged_id AS merged_id, -- [integer] its number in the merged tree
  node.parent_merged_id AS parent_merged_id, -- [integer] call above it
  node.depth AS depth, -- [integer] how many calls are above it
  node.gpu_ns1 / 1000.0 AS gpu_time1, -- [us] (lower) accelerator time below it in the baseline, sum
  node.gpu_ns2 / 1000.0 AS gpu_time2, -- [us] (lower) the same in the variant
  (node.gpu_ns2 - node.gpu_ns1) / 1000.0 AS delta_us, -- (lower) the second less the first
  node.own_ns / 1000.0 AS own_delta_us -- (lower) what the calls of both trees right below it do not explain
FROM diff_node AS node
WHERE node.type = 'combined' AND node.is_op AND node.gpu_ns1 <> node.gpu_ns2
ORDER BY abs(node.gpu_ns2 - node.gpu_ns1) DESC, node.merged_id;
