-- Collectives of each rank one by one, with all recorded parameters.
-- set: multirank
-- question: ranks
-- sheet: long
-- position: 130
-- also: collectives 40 nccl_long
-- key: collective_name, dtype, in_msg_nelems, out_msg_nelems, group_size, process_group_name
-- within: rank, collective_id, index_in_group
-- measure: dur
-- unit: run
-- when: not no-detailed
-- columns-when: node_id gpus-per-node, node_span gpus-per-node
-- terminal: collective_id, collective_name, rank, dur, in_msg_size, dtype, process_group_name, group_size, ts, stream, out_msg_size, in_msg_nelems, process_group_ranks
-- columns-of: coll_analysis
-- empty: no_work, no_collectives
CREATE VIEW ranks_collectives AS
SELECT
  collective_call.run,
  collective_id AS collective_id, -- [text] id of the collective: process group and sequence number in the group
  index_in_group AS index_in_group, -- [integer] number of the collective in the process group on the rank, from 0
  label AS rank, -- [label] number of the rank
  group_name AS process_group_name, group_ranks AS process_group_ranks, collective_name, group_size, dtype, in_elements AS in_msg_nelems,
  in_mb AS in_msg_size, -- "In msg size (MB)" [MB] size of the input message
  out_elements AS out_msg_nelems,
  out_mb AS out_msg_size, -- "Out msg size (MB)" [MB] size of the output message
  in_split AS in_split_size, out_split AS out_split_size, stream,
  CASE WHEN NOT (SELECT tpq_like_reference('ranks: times of starts')) THEN common_ns - run_start.start_ns ELSE clock_ns END / 1000.0 AS ts, -- [us] start of the collective, from the start of the run; on the common clock of the ranks where the files give one
  dur_ns / 1000.0 AS dur, -- [us] (lower) duration of the collective kernel
  collective_call.rank / CAST((SELECT tpq_option('gpus-per-node')) AS INTEGER) AS node_id, -- [integer] node of the rank (--gpus-per-node)
  node_span(group_ranks, CAST((SELECT tpq_option('gpus-per-node')) AS INTEGER)) AS node_span -- [text] intra_node where the ranks of the group share a node, else inter_node; unknown where the ranks are not recorded
FROM collective_call
JOIN run_start ON run_start.run = collective_call.run
ORDER BY collective_call.run, place, CASE WHEN NOT (SELECT tpq_like_reference('ranks: order of kernels')) THEN clock_ns END, uid;
