-- node_rows: Nodes of the call tree of each trace, by their place in it; the first side is run ?1.
WITH side AS MATERIALIZED (
  SELECT run, row_number() OVER (ORDER BY run IS NOT ?1, run) - 1 AS side FROM (SELECT DISTINCT run FROM scope))
SELECT tree.trace_id, side.side, tree.parent, tree.name,
  CASE
    WHEN tree.kind IN ('kernel', 'copy') THEN coalesce(kernel_class('timeline', event.category_id, tree.name_id), 'computation')
    ELSE tree.kind END, CASE WHEN tree.kind IN ('kernel', 'copy') THEN kernel_short_name(tree.name) END, tree.own_gpu_ns,
  tree.calls, tree.longest_id, tree.kind
FROM call_tree AS tree JOIN side ON side.run = tree.run LEFT JOIN event ON event.id = tree.longest_id
ORDER BY tree.trace_id, tree.node;
