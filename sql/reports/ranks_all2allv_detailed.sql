-- All-to-all exchanges of unequal sizes (all_to_allv) one by one, with bandwidth, balance, and
-- bytes and start of each rank.
-- set: collectives
-- question: ranks
-- sheet: nccl_all2allv
-- position: 60
-- key: collective_name, dtype, group_size, process_group_name
-- within: collective_id, rank, process_group_ranks, stream
-- measure: rank_dur
-- unit: run
-- when: not no_detailed
-- spread: rank_ts+rank_dur+rank_in_nelems+rank_out_nelems+rank_in_size+rank_out_size+rank_in_split+rank_out_split, rank_skew_start+rank_skew_end over rank
-- columns-when: node_span gpus_per_node
-- terminal: collective_id, total_data, wall_time, throughput, size_imbalance, skew_start, skew_end, max_rank_dur, min_rank_dur, dtype, group_size, process_group_name, rank_dur, collective_name
-- empty: lacks_work, lacks_ranks, lacks_collectives, lacks_exchanges
CREATE VIEW ranks_all2allv_detailed AS
SELECT
  exchange.run AS run, -- [text] run
  exchange.collective_id AS collective_id, -- [text] which collective: the group and its number there
  exchange.group_name AS process_group_name, -- "Process Group Name" [text] process group
  exchange.group_ranks AS process_group_ranks, -- "Process Group Ranks" [array] ranks in it
  exchange.collective_name AS collective_name, -- "Collective name" [text] which collective
  exchange.group_size AS group_size, -- "Group size" [integer] ranks that take part
  exchange.dtype AS dtype, -- [text] type of the elements
  exchange.stream AS stream, -- [integer] number of the stream
  exchange.sum_mb AS total_data, -- "total data communicated (MB)" [MB] what all ranks send
  exchange.sum_elements AS total_elements, -- "total nelems communicated" [integer] elements that all ranks send
  exchange.wall_ns / 1000.0 AS wall_time, -- "wall_time (us)" [us] (lower) from the first start to the last end
  exchange.most_ns / 1000.0 AS max_rank_dur, -- "max_rank_dur (us)" [us] (lower) duration on the rank that took longest
  exchange.least_ns / 1000.0 AS min_rank_dur, -- "min_rank_dur (us)" [us] duration on the one that took shortest
  exchange.mean_ns / 1000.0 AS avg_rank_dur, -- "avg_rank_dur (us)" [us] mean duration
  exchange.speed AS throughput, -- "throughput (GB/s)" [GB/s] (higher) what all ranks send over the time from the first start to the last end
  exchange.most_speed AS max_rank_throughput, -- "max_rank_throughput (GB/s)" [GB/s] what a rank sends over its duration, the greatest of those that send
  exchange.least_speed AS min_rank_throughput, -- "min_rank_throughput (GB/s)" [GB/s] the least of them
  exchange.imbalance AS size_imbalance, -- [fraction] what the rank sends that sends most, over the mean of ranks
  exchange.skew_start_ns / 1000.0 AS skew_start, -- "skew in start time" [us] (lower) from the first start to the last one
  exchange.skew_end_ns / 1000.0 AS skew_end, -- "skew in end time" [us] (lower) from the first end to the last one
  call.label AS rank, -- [label] rank
  CASE WHEN NOT (SELECT tpq_like_reference('ranks: times of starts')) THEN call.common_ns - run_start.start_ns ELSE call.clock_ns END / 1000.0 AS rank_ts, -- "rank_{}_ts" [us] start, from that of the run, on the clock that ranks share, as far as the files tell
  call.dur_ns / 1000.0 AS rank_dur, -- "rank_{}_dur" [us] (lower) duration
  call.in_elements AS rank_in_nelems, -- "rank_{}_In msg nelems" [integer] elements that it sends
  call.out_elements AS rank_out_nelems, -- "rank_{}_Out msg nelems" [integer] elements that it receives
  call.in_mb AS rank_in_size, -- "rank_{}_In msg size (MB)" [MB] what it sends
  call.out_mb AS rank_out_size, -- "rank_{}_Out msg size (MB)" [MB] what it receives
  call.in_split AS rank_in_split, -- "rank_{}_In split size" [array] how that is split
  call.out_split AS rank_out_split, -- "rank_{}_Out split size" [array] how what it receives is split
  (call.common_ns - exchange.first_ns) / 1000.0 AS rank_skew_start, -- "rank_{}_skew in start time" [us] from the first start to its own
  (exchange.last_ns - call.common_ns - call.dur_ns) / 1000.0 AS rank_skew_end, -- "rank_{}_skew in end time" [us] from its end to the last one
  node_span(exchange.group_ranks, CAST((SELECT tpq_option('gpus_per_node')) AS INTEGER)) AS node_span -- [text] intra_node where the ranks of the group share a node, else inter_node; unknown where they are not stated (option gpus_per_node)
FROM exchange_collective AS exchange
CROSS JOIN collective_call AS call ON call.collective = exchange.collective
JOIN run_start ON run_start.run = exchange.run
ORDER BY exchange.run, exchange.sum_mb DESC, exchange.collective, call.place;
