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
-- when: not no-detailed
-- spread: rank_ts+rank_dur+rank_in_nelems+rank_out_nelems+rank_in_size+rank_out_size+rank_in_split+rank_out_split, rank_skew_start+rank_skew_end over rank
-- columns-when: node_span gpus-per-node
-- terminal: collective_id, total_data, wall_time, throughput, size_imbalance, skew_start, skew_end, max_rank_dur, min_rank_dur, dtype, group_size, process_group_name, rank_dur, collective_name
-- columns-of: ranks_sync
-- empty: no_work, no_ranks, no_collectives, no_exchanges
CREATE VIEW ranks_all2allv_detailed AS
SELECT
  exchange.run, exchange.collective_id, exchange.group_name AS process_group_name, exchange.group_ranks AS process_group_ranks,
  exchange.collective_name, exchange.group_size, exchange.dtype,
  exchange.stream AS stream, -- [integer] number of the stream
  exchange.sum_mb AS total_data, -- "total data communicated (MB)" [MB] bytes sent by all ranks
  exchange.sum_elements AS total_elements, -- "total nelems communicated" [integer] number of elements sent by all ranks
  exchange.wall_ns / 1000.0 AS wall_time, -- "wall_time (us)" [us] (lower) time from the first start to the last end over ranks
  exchange.most_ns / 1000.0 AS max_rank_dur, -- "max_rank_dur (us)" [us] (lower) maximum duration over ranks
  exchange.least_ns / 1000.0 AS min_rank_dur, -- "min_rank_dur (us)" [us] minimum duration over ranks
  exchange.mean_ns / 1000.0 AS avg_rank_dur, -- "avg_rank_dur (us)" [us] mean duration over ranks
  exchange.speed AS throughput, -- "throughput (GB/s)" [GB/s] (higher) bytes sent by all ranks over the time from the first start to the last end
  exchange.most_speed AS max_rank_throughput, -- "max_rank_throughput (GB/s)" [GB/s] maximum throughput of a sending rank: bytes sent over its duration
  exchange.least_speed AS min_rank_throughput, -- "min_rank_throughput (GB/s)" [GB/s] minimum throughput of a sending rank: bytes sent over its duration
  exchange.imbalance AS size_imbalance, -- [fraction] maximum of bytes sent per rank over the mean of the ranks
  exchange.skew_start_ns / 1000.0 AS skew_start, exchange.skew_end_ns / 1000.0 AS skew_end,
  call.label AS rank, -- [label] number of the rank
  CASE WHEN NOT (SELECT tpq_like_reference('ranks: times of starts')) THEN call.common_ns - run_start.start_ns ELSE call.clock_ns END / 1000.0 AS rank_ts, -- "rank_{}_ts" [us] start of the collective on the rank, from the start of the run; on the common clock of the ranks where the files give one
  call.dur_ns / 1000.0 AS rank_dur, -- "rank_{}_dur" [us] (lower) duration of the collective on the rank
  call.in_elements AS rank_in_nelems, -- "rank_{}_In msg nelems" [integer] number of elements sent by the rank
  call.out_elements AS rank_out_nelems, -- "rank_{}_Out msg nelems" [integer] number of elements received by the rank
  call.in_mb AS rank_in_size, -- "rank_{}_In msg size (MB)" [MB] bytes sent by the rank
  call.out_mb AS rank_out_size, -- "rank_{}_Out msg size (MB)" [MB] bytes received by the rank
  call.in_split AS rank_in_split, -- "rank_{}_In split size" [array] split of the sent elements over the ranks
  call.out_split AS rank_out_split, -- "rank_{}_Out split size" [array] split of the received elements over the ranks
  (call.common_ns - exchange.first_ns) / 1000.0 AS rank_skew_start, -- "rank_{}_skew in start time" [us] time from the first start to the start of the rank
  (exchange.last_ns - call.common_ns - call.dur_ns) / 1000.0 AS rank_skew_end, -- "rank_{}_skew in end time" [us] time from the end of the rank to the last end
  node_span(exchange.group_ranks, CAST((SELECT tpq_option('gpus-per-node')) AS INTEGER)) AS node_span -- [text] intra_node where the ranks of the group share a node, else inter_node; unknown where the ranks are not recorded (--gpus-per-node)
FROM exchange_collective AS exchange
CROSS JOIN collective_call AS call ON call.collective = exchange.collective
JOIN run_start ON run_start.run = exchange.run
ORDER BY exchange.run, exchange.sum_mb DESC, exchange.collective, call.place;
