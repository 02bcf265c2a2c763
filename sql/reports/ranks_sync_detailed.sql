-- Collectives in which ranks wait for each other, one by one, with start, duration and wait of each
-- rank.
-- set: multirank
-- question: ranks
-- sheet: nccl_implicit_sync_cat_detailed
-- position: 150
-- also: collectives 50 nccl_implicit_sync
-- key: collective_name, dtype, in_msg_nelems, out_msg_nelems, group_size, process_group_name
-- within: collective_id, rank
-- measure: rank_dur
-- unit: run
-- when: not no-detailed
-- spread: rank_ts+rank_dur, rank_wait over rank
-- columns-when: node_span gpus-per-node
-- terminal: collective_name, comm_latency, full_msg_size, bus_bw, skew_start, earliest_rank, avg_wait_time, algo_bw, dtype, group_size, process_group_name, skew_end, rank_dur, rank_wait, collective_id
-- not-included: not_included_in_waiting
-- columns-of: ranks_sync
-- empty: no_work, no_ranks, no_collectives, no_waiting
CREATE VIEW ranks_sync_detailed AS
SELECT
  collective.run, collective.collective_id, collective.group_name AS process_group_name, collective.group_ranks AS process_group_ranks,
  collective.collective_name, collective.group_size, collective.dtype, collective.in_elements AS in_msg_nelems,
  collective.out_elements AS out_msg_nelems, collective.in_mb AS in_msg_size, collective.out_mb AS out_msg_size, collective.full_mb AS full_msg_size,
  collective.latency_ns / 1000.0 AS comm_latency, collective.skew_start_ns / 1000.0 AS skew_start, collective.earliest AS earliest_rank,
  collective.mean_wait_ns / 1000.0 AS avg_wait_time, collective.skew_end_ns / 1000.0 AS skew_end, collective.algo_bw, collective.bus_bw,
  call.label AS rank, -- [label] number of the rank
  CASE WHEN NOT (SELECT tpq_like_reference('ranks: times of starts')) THEN call.common_ns - run_start.start_ns ELSE call.clock_ns END / 1000.0 AS rank_ts, -- "rank_{}_ts" [us] start of the collective on the rank, from the start of the run; on the common clock of the ranks where the files give one
  call.dur_ns / 1000.0 AS rank_dur, -- "rank_{}_dur" [us] (lower) duration of the collective on the rank
  call.wait_ns / 1000.0 AS rank_wait, -- "rank_{}_wait_time" [us] wait of the rank for the last rank
  node_span(collective.group_ranks, CAST((SELECT tpq_option('gpus-per-node')) AS INTEGER)) AS node_span -- [text] intra_node where the ranks of the group share a node, else inter_node; unknown where the ranks are not recorded (--gpus-per-node)
FROM sync_collective AS collective
CROSS JOIN collective_call AS call ON call.collective = collective.collective
JOIN run_start ON run_start.run = collective.run
ORDER BY collective.run, collective.collective, call.place;
