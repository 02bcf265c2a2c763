-- What the reports about two call trees stand on.

-- The accelerator work that differs between the two selected traces, with the op that launched it.
CREATE VIEW diff_work AS
SELECT
  diff.run AS run, -- run of the baseline
  diff.ord AS ord, -- place in the order of the merged tree
  diff.source AS source, -- trace1 for the baseline, trace2 for the variant; NULL when both are the same
  diff.id AS id, -- event that the work is
  diff.name AS name, -- name of the kernel or copy
  work.uid AS uid, -- its place in the file
  diff.dur_ns AS dur_ns, -- its duration
  diff.cpu_op_name AS cpu_op_name, -- nearest op above it
  diff.op_name AS op_name, -- name of that op that both traces agree on
  op.uid AS cpu_op_uid, -- its place in the file
  diff.op_id AS op_id, -- its signature
  diff.lca_id AS lca_id, -- lowest node of the merged tree above it that both traces have, or itself
  diff.lca_name AS lca_name, -- name of that node
  diff.busy_ns AS busy_ns, -- time covered by all work of that node in this trace
  diff.nn_module_stack AS nn_module_stack, -- modules around the op, outermost first
  diff.nn_module_parent AS nn_module_parent -- the innermost of them
FROM diff_gpu AS diff
JOIN event AS work ON work.id = diff.id
JOIN event AS op ON op.id = diff.cpu_op_id;
