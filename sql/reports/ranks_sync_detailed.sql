-- Communication: the same collectives as in ranks_sync, with start, duration and waiting time of each rank.
-- set: multirank
-- sheet: nccl_implicit_sync_cat_detailed
-- position: 150
-- also: collectives 50 nccl_implicit_sync
-- key: collective_name, dtype, in_msg_nelems, out_msg_nelems, group_size, process_group_name
-- within: collective_id, rank
-- measure: rank_dur
-- unit: run
-- when: not no_detailed
-- spread: rank_ts+rank_dur, rank_wait over rank
-- columns-when: node_span gpus_per_node
-- terminal: collective_name, comm_latency, full_msg_size, bus_bw, skew_start, earliest_rank, avg_wait_time, algo_bw, dtype, group_size, process_group_name, skew_end, rank_dur, rank_wait, collective_id
-- leaves-out: left_out_of_waiting
-- empty: lacks_work, lacks_ranks, lacks_collectives, lacks_waiting
CREATE VIEW ranks_sync_detailed AS
SELECT
  collective.run AS run, -- [text] run
  collective.collective_id AS collective_id, -- [text] which collective: the group and its number there
  collective.group_name AS process_group_name, -- "Process Group Name" [text] process group
  collective.group_ranks AS process_group_ranks, -- "Process Group Ranks" [array] ranks in it
  collective.collective_name AS collective_name, -- "Collective name" [text] which collective
  collective.group_size AS group_size, -- "Group size" [integer] ranks that take part
  collective.dtype AS dtype, -- [text] type of the elements
  collective.in_elements AS in_msg_nelems, -- "In msg nelems" [integer] elements that go in
  collective.out_elements AS out_msg_nelems, -- "Out msg nelems" [integer] elements that come out
  collective.in_mb AS in_msg_size, -- "In msg size (MB)" [MB] size of the input
  collective.out_mb AS out_msg_size, -- "Out msg size (MB)" [MB] size of the output
  collective.full_mb AS full_msg_size, -- "Full msg size (MB)" [MB] size of the whole message
  collective.latency_ns / 1000.0 AS comm_latency, -- [us] (lower) duration on the rank that came last
  collective.skew_start_ns / 1000.0 AS skew_start, -- "skew in start time" [us] (lower) from the first start to the last one
  collective.earliest AS earliest_rank, -- "earliest arrival rank" [integer] rank that came first
  collective.mean_wait_ns / 1000.0 AS avg_wait_time, -- [us] (lower) mean time that ranks waited for the last one
  collective.skew_end_ns / 1000.0 AS skew_end, -- "skew in end time" [us] (lower) from the first end to the last one
  collective.algo_bw AS algo_bw, -- "algo bw (GB/s)" [GB/s] (higher) size of the message over the latency
  collective.bus_bw AS bus_bw, -- "bus bw (GB/s)" [GB/s] (higher) the same as traffic of each rank
  call.label AS rank, -- [label] rank
  CASE WHEN NOT (SELECT tpq_like_reference('ranks: times of starts')) THEN call.common_ns - run_start.start_ns ELSE call.clock_ns END / 1000.0 AS rank_ts, -- "rank_{}_ts" [us] start, from that of the run, on the clock that ranks share, as far as the files tell
  call.dur_ns / 1000.0 AS rank_dur, -- "rank_{}_dur" [us] (lower) duration
  call.wait_ns / 1000.0 AS rank_wait, -- "rank_{}_wait_time" [us] time that it waited for the last one
  node_span(collective.group_ranks, CAST((SELECT tpq_option('gpus_per_node')) AS INTEGER)) AS node_span -- [text] intra_node where the ranks of the group share a node, else inter_node; unknown where they are not stated (option gpus_per_node)
FROM sync_collective AS collective
CROSS JOIN collective_call AS call ON call.collective = collective.collective
JOIN run_start ON run_start.run = collective.run
ORDER BY collective.run, collective.collective, call.place;
