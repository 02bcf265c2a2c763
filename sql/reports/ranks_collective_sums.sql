-- Collectives of each rank by process group, kind and size.
-- set: collectives
-- question: ranks
-- sheet: nccl_summary_long
-- position: 20
-- key: collective_name, dtype, in_msg_nelems, out_msg_nelems, in_split_size, out_split_size, group_size, process_group_name
-- within: rank, process_group_ranks, stream
-- measure: dur_sum, operation_count
-- unit: run
-- keep-empty: compat
-- columns-when: node_id gpus-per-node, node_span gpus-per-node
-- terminal: rank, collective_name, dur_sum, operation_count, dur_mean, in_msg_size, dtype, process_group_name, group_size, dur_max, dur_min, stream, out_msg_size, in_msg_nelems, process_group_ranks
-- columns-of: coll_analysis
-- empty: no_work, no_ranks, no_collectives
CREATE VIEW ranks_collective_sums AS
SELECT
  run,
  label AS rank, -- [label] number of the rank
  group_name AS process_group_name, group_ranks AS process_group_ranks, collective_name, group_size, dtype, in_elements AS in_msg_nelems,
  out_elements AS out_msg_nelems, in_split AS in_split_size, out_split AS out_split_size, stream, min(in_mb) AS in_msg_size,
  min(out_mb) AS out_msg_size, sum(dur_ns) / 1000.0 AS dur_sum, avg(dur_ns) / 1000.0 AS dur_mean, stddev_samp(dur_ns) / 1000.0 AS dur_std,
  min(dur_ns) / 1000.0 AS dur_min, max(dur_ns) / 1000.0 AS dur_max, count(*) AS operation_count,
  rank / CAST((SELECT tpq_option('gpus-per-node')) AS INTEGER) AS node_id, -- [integer] node of the rank (--gpus-per-node)
  node_span(group_ranks, CAST((SELECT tpq_option('gpus-per-node')) AS INTEGER)) AS node_span -- [text] intra_node where the ranks of the group share a node, else inter_node; unknown where the ranks are not recorded
FROM collective_call
WHERE NOT (SELECT tpq_like_reference('ranks: kernels that do not say all')) OR NOT (group_ranks IS NULL OR collective_name IS NULL OR group_size IS NULL
  OR dtype IS NULL OR in_elements IS NULL OR out_elements IS NULL OR in_split IS NULL OR out_split IS NULL OR stream IS NULL)
GROUP BY run, place, label, rank, group_name, group_ranks, collective_name, group_size, dtype, in_elements, out_elements, in_split, out_split, stream
ORDER BY run, sum(dur_ns) DESC, place, group_name, collective_name, dtype, in_elements, out_elements, stream;
