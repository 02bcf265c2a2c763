-- All-to-all exchanges of unequal sizes (all_to_allv) by process group and type, with bytes,
-- bandwidth and balance.
-- set: collectives
-- question: ranks
-- sheet: nccl_summary_all2allv
-- position: 30
-- key: process_group_name, dtype
-- within: process_group_ranks, collective_name, group_size
-- measure: wall_time_total, count
-- unit: run
-- columns-when: node_span gpus-per-node, total_data_mean agg-metrics=mean, total_data_median agg-metrics=median, total_data_min agg-metrics=min, total_data_max agg-metrics=max, total_data_std agg-metrics=std, total_data_sum agg-metrics=sum, wall_time_mean agg-metrics=mean, wall_time_median agg-metrics=median, wall_time_min agg-metrics=min, wall_time_max agg-metrics=max, wall_time_std agg-metrics=std, throughput_mean agg-metrics=mean, throughput_median agg-metrics=median, throughput_min agg-metrics=min, throughput_max agg-metrics=max, throughput_std agg-metrics=std, throughput_sum agg-metrics=sum
-- terminal: process_group_name, wall_time_total, count, throughput_mean, total_data_mean, size_imbalance_mean, size_imbalance_max, wall_time_mean, wall_time_max, skew_start_mean, skew_end_mean, dtype, group_size, max_rank_dur_mean, collective_name
-- columns-of: ranks_sync_statistics
-- empty: no_work, no_ranks, no_collectives, no_exchanges
CREATE VIEW ranks_all2allv_summary AS
SELECT
  run,
  group_name AS process_group_name, -- "Process Group Name" [text] name of the process group
  dtype,
  avg(sum_mb) AS total_data_mean, -- "total data communicated (MB)_mean" [MB] mean bytes sent by all ranks
  median(sum_mb) AS total_data_median, -- "total data communicated (MB)_median" [MB] median of bytes sent by all ranks
  min(sum_mb) AS total_data_min, -- "total data communicated (MB)_min" [MB] minimum of bytes sent by all ranks
  max(sum_mb) AS total_data_max, -- "total data communicated (MB)_max" [MB] maximum of bytes sent by all ranks
  stddev_samp(sum_mb) AS total_data_std, -- "total data communicated (MB)_std" [MB] standard deviation of bytes sent by all ranks
  sum(sum_mb) AS total_data_sum, -- "total data communicated (MB)_sum" [MB] sum of bytes sent by all ranks
  avg(wall_ns) / 1000.0 AS wall_time_mean, -- "wall_time (us)_mean" [us] (lower) mean time from the first start to the last end over ranks
  median(wall_ns) / 1000.0 AS wall_time_median, -- "wall_time (us)_median" [us] (lower) median time from the first start to the last end over ranks
  min(wall_ns) / 1000.0 AS wall_time_min, -- "wall_time (us)_min" [us] (lower) minimum time from the first start to the last end over ranks
  max(wall_ns) / 1000.0 AS wall_time_max, -- "wall_time (us)_max" [us] (lower) maximum time from the first start to the last end over ranks
  stddev_samp(wall_ns) / 1000.0 AS wall_time_std, -- "wall_time (us)_std" [us] (lower) standard deviation of the time from the first start to the last end
  sum(wall_ns) / 1000.0 AS wall_time_sum, -- "Total wall_time (us)" [us] (lower) sum of the times from the first start to the last end
  avg(speed) AS throughput_mean, -- "throughput (GB/s)_mean" [GB/s] (higher) mean throughput of all ranks (bytes sent over the time from the first start to the last end)
  median(speed) AS throughput_median, -- "throughput (GB/s)_median" [GB/s] (higher) median throughput of all ranks
  min(speed) AS throughput_min, -- "throughput (GB/s)_min" [GB/s] (higher) minimum throughput of all ranks
  max(speed) AS throughput_max, -- "throughput (GB/s)_max" [GB/s] (higher) maximum throughput of all ranks
  stddev_samp(speed) AS throughput_std, -- "throughput (GB/s)_std" [GB/s] (higher) standard deviation of the throughput of all ranks
  sum(speed) AS throughput_sum, -- "throughput (GB/s)_sum" [GB/s] (higher) sum of the throughputs of all ranks
  avg(imbalance) AS size_imbalance_mean, -- "size_imbalance_mean" [fraction] mean size imbalance (maximum of bytes sent per rank over the mean of the ranks)
  max(imbalance) AS size_imbalance_max, -- "size_imbalance_max" [fraction] maximum size imbalance (maximum of bytes sent per rank over the mean of the ranks)
  avg(most_ns) / 1000.0 AS max_rank_dur_mean, -- "max_rank_dur (us)_mean" [us] (lower) mean duration on the slowest rank
  max(most_ns) / 1000.0 AS max_rank_dur_max, -- "max_rank_dur (us)_max" [us] (lower) maximum duration on the slowest rank
  avg(skew_start_ns) / 1000.0 AS skew_start_mean, max(skew_start_ns) / 1000.0 AS skew_start_max, avg(skew_end_ns) / 1000.0 AS skew_end_mean,
  max(skew_end_ns) / 1000.0 AS skew_end_max, count(*) AS count,
  value_at_least(group_ranks, CASE WHEN group_ranks IS NOT NULL THEN collective END) AS process_group_ranks, -- "Process Group Ranks" [array] ranks of the first collective
  value_at_least(collective_name, CASE WHEN collective_name IS NOT NULL THEN collective END) AS collective_name,
  value_at_least(group_size, CASE WHEN group_size IS NOT NULL THEN collective END) AS group_size,
  sum(wall_ns) / 1e6 AS wall_time_total, -- "Total wall_time (ms)" [ms] (lower) sum of the times from the first start to the last end
  node_span(value_at_least(group_ranks, CASE WHEN group_ranks IS NOT NULL THEN collective END), CAST((SELECT tpq_option('gpus-per-node')) AS INTEGER)) AS node_span -- [text] intra_node where the ranks of the first collective share a node, else inter_node; unknown where the ranks are not recorded (--gpus-per-node)
FROM exchange_collective
GROUP BY run, group_name, dtype
ORDER BY run, sum(wall_ns) DESC, group_name, dtype;
