-- Change of each op of both call trees, everything below it included. Look at the topmost op that
-- changed first.
-- set: diff
-- question: compare
-- position: 40
-- unit: pair
-- when: not compat
-- terminal: name, depth, gpu_time1, gpu_time2, delta_us, own_delta_us
-- empty: no_work, no_pair, no_differences
CREATE VIEW diff_path_rollup AS
SELECT
  node.run AS run, -- [text] name of the baseline run
  CASE WHEN node.name1 = node.name2 THEN node.name1 ELSE node.name1 || ' | ' || node.name2 END AS name, -- [text] name of the op, with | between where names differ
  node.merged_id AS merged_id, -- [integer] id of the op in the merged tree
  node.parent_merged_id AS parent_merged_id, -- [integer] id of the parent op in the merged tree
  node.depth AS depth, -- [integer] number of ops above the op
  node.gpu_ns1 / 1000.0 AS gpu_time1, -- [us] (lower) total GPU time below the op in the baseline
  node.gpu_ns2 / 1000.0 AS gpu_time2, -- [us] (lower) total GPU time below the op in the candidate
  (node.gpu_ns2 - node.gpu_ns1) / 1000.0 AS delta_us, -- (lower) GPU time difference, candidate minus baseline
  node.own_ns / 1000.0 AS own_delta_us -- (lower) GPU time difference that child ops of both trees do not explain
FROM diff_node AS node
WHERE node.type = 'combined' AND node.is_op AND node.gpu_ns1 <> node.gpu_ns2
ORDER BY abs(node.gpu_ns2 - node.gpu_ns1) DESC, node.merged_id;
