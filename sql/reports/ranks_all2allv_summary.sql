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
-- columns-when: node_span gpus_per_node, total_data_mean agg_metrics=mean, total_data_median agg_metrics=median, total_data_min agg_metrics=min, total_data_max agg_metrics=max, total_data_std agg_metrics=std, total_data_sum agg_metrics=sum, wall_time_mean agg_metrics=mean, wall_time_median agg_metrics=median, wall_time_min agg_metrics=min, wall_time_max agg_metrics=max, wall_time_std agg_metrics=std, throughput_mean agg_metrics=mean, throughput_median agg_metrics=median, throughput_min agg_metrics=min, throughput_max agg_metrics=max, throughput_std agg_metrics=std, throughput_sum agg_metrics=sum
-- terminal: process_group_name, wall_time_total, count, throughput_mean, total_data_mean, size_imbalance_mean, size_imbalance_max, wall_time_mean, wall_time_max, skew_start_mean, skew_end_mean, dtype, group_size, max_rank_dur_mean, collective_name
-- empty: lacks_work, lacks_ranks, lacks_collectives, lacks_exchanges
CREATE VIEW ranks_all2allv_summary AS
SELECT
  run AS run, -- [text] run
  group_name AS process_group_name, -- "Process Group Name" [text] process group
  dtype AS dtype, -- [text] type of the elements
  avg(sum_mb) AS total_data_mean, -- "total data communicated (MB)_mean" [MB] what all ranks send, mean
  median(sum_mb) AS total_data_median, -- "total data communicated (MB)_median" [MB] what all ranks send, median
  min(sum_mb) AS total_data_min, -- "total data communicated (MB)_min" [MB] what all ranks send, least
  max(sum_mb) AS total_data_max, -- "total data communicated (MB)_max" [MB] what all ranks send, greatest
  stddev_samp(sum_mb) AS total_data_std, -- "total data communicated (MB)_std" [MB] what all ranks send, standard deviation
  sum(sum_mb) AS total_data_sum, -- "total data communicated (MB)_sum" [MB] what all ranks send, sum
  avg(wall_ns) / 1000.0 AS wall_time_mean, -- "wall_time (us)_mean" [us] (lower) from the first start to the last end, mean
  median(wall_ns) / 1000.0 AS wall_time_median, -- "wall_time (us)_median" [us] (lower) from the first start to the last end, median
  min(wall_ns) / 1000.0 AS wall_time_min, -- "wall_time (us)_min" [us] (lower) from the first start to the last end, least
  max(wall_ns) / 1000.0 AS wall_time_max, -- "wall_time (us)_max" [us] (lower) from the first start to the last end, greatest
  stddev_samp(wall_ns) / 1000.0 AS wall_time_std, -- "wall_time (us)_std" [us] (lower) from the first start to the last end, standard deviation
  sum(wall_ns) / 1000.0 AS wall_time_sum, -- "Total wall_time (us)" [us] (lower) sum of these times
  avg(speed) AS throughput_mean, -- "throughput (GB/s)_mean" [GB/s] (higher) what all ranks send over that time, mean
  median(speed) AS throughput_median, -- "throughput (GB/s)_median" [GB/s] (higher) what all ranks send over that time, median
  min(speed) AS throughput_min, -- "throughput (GB/s)_min" [GB/s] (higher) what all ranks send over that time, least
  max(speed) AS throughput_max, -- "throughput (GB/s)_max" [GB/s] (higher) what all ranks send over that time, greatest
  stddev_samp(speed) AS throughput_std, -- "throughput (GB/s)_std" [GB/s] (higher) what all ranks send over that time, standard deviation
  sum(speed) AS throughput_sum, -- "throughput (GB/s)_sum" [GB/s] (higher) what all ranks send over that time, sum
  avg(imbalance) AS size_imbalance_mean, -- "size_imbalance_mean" [fraction] what the rank sends that sends most over the mean of ranks, mean
  max(imbalance) AS size_imbalance_max, -- "size_imbalance_max" [fraction] what the rank sends that sends most over the mean of ranks, greatest
  avg(most_ns) / 1000.0 AS max_rank_dur_mean, -- "max_rank_dur (us)_mean" [us] (lower) duration on the rank that took longest, mean
  max(most_ns) / 1000.0 AS max_rank_dur_max, -- "max_rank_dur (us)_max" [us] (lower) duration on the rank that took longest, greatest
  avg(skew_start_ns) / 1000.0 AS skew_start_mean, -- "skew in start time_mean" [us] (lower) from the first start to the last one, mean
  max(skew_start_ns) / 1000.0 AS skew_start_max, -- "skew in start time_max" [us] (lower) from the first start to the last one, greatest
  avg(skew_end_ns) / 1000.0 AS skew_end_mean, -- "skew in end time_mean" [us] (lower) from the first end to the last one, mean
  max(skew_end_ns) / 1000.0 AS skew_end_max, -- "skew in end time_max" [us] (lower) from the first end to the last one, greatest
  count(*) AS count, -- [integer] how many there were
  value_at_least(group_ranks, CASE WHEN group_ranks IS NOT NULL THEN collective END) AS process_group_ranks, -- "Process Group Ranks" [array] ranks of the first one
  value_at_least(collective_name, CASE WHEN collective_name IS NOT NULL THEN collective END) AS collective_name, -- "Collective name" [text] which collective
  value_at_least(group_size, CASE WHEN group_size IS NOT NULL THEN collective END) AS group_size, -- "Group size" [integer] ranks that take part in the first one
  sum(wall_ns) / 1e6 AS wall_time_total, -- "Total wall_time (ms)" [ms] (lower) sum of the times from first starts to last ends
  node_span(value_at_least(group_ranks, CASE WHEN group_ranks IS NOT NULL THEN collective END), CAST((SELECT tpq_option('gpus_per_node')) AS INTEGER)) AS node_span -- [text] intra_node where the ranks of the first one share a node, else inter_node; unknown where they are not stated (option gpus_per_node)
FROM exchange_collective
GROUP BY run, group_name, dtype
ORDER BY run, sum(wall_ns) DESC, group_name, dtype;
