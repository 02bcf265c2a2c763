-- Collectives in which ranks wait for each other, by kind, type and size: spread of latency, skew
-- and bandwidth.
-- set: collectives
-- question: ranks
-- sheet: nccl_summary_implicit_sync
-- position: 10
-- level: collective
-- key: collective_name, dtype, in_msg_nelems
-- within: process_group_name, group_size
-- measure: total_latency, count
-- unit: run
-- keep-empty: compat
-- columns-when: comm_latency_mean agg_metrics=mean, comm_latency_median agg_metrics=median, comm_latency_min agg_metrics=min, comm_latency_max agg_metrics=max, comm_latency_std agg_metrics=std, comm_latency_sum agg_metrics=sum, skew_start_mean agg_metrics=mean, skew_start_median agg_metrics=median, skew_start_min agg_metrics=min, skew_start_max agg_metrics=max, skew_start_std agg_metrics=std, skew_start_sum agg_metrics=sum, skew_end_mean agg_metrics=mean, skew_end_median agg_metrics=median, skew_end_min agg_metrics=min, skew_end_max agg_metrics=max, skew_end_std agg_metrics=std, skew_end_sum agg_metrics=sum, algo_bw_mean agg_metrics=mean, algo_bw_median agg_metrics=median, algo_bw_min agg_metrics=min, algo_bw_max agg_metrics=max, algo_bw_std agg_metrics=std, algo_bw_sum agg_metrics=sum, bus_bw_mean agg_metrics=mean, bus_bw_median agg_metrics=median, bus_bw_min agg_metrics=min, bus_bw_max agg_metrics=max, bus_bw_std agg_metrics=std, bus_bw_sum agg_metrics=sum
-- drop-empty: algo_bw_mean, algo_bw_median, algo_bw_min, algo_bw_max, algo_bw_std, algo_bw_sum, bus_bw_mean, bus_bw_median, bus_bw_min, bus_bw_max, bus_bw_std, bus_bw_sum
-- terminal: collective_name, total_latency, count, full_msg_size, comm_latency_mean, comm_latency_max, skew_start_mean, skew_start_max, bus_bw_mean, algo_bw_mean, dtype, group_size, process_group_name, comm_latency_median, comm_latency_min, in_msg_nelems
-- chart: bar collective_name total_latency
-- leaves-out: left_out_of_waiting
-- empty: lacks_work, lacks_ranks, lacks_collectives, lacks_waiting
CREATE VIEW ranks_sync_statistics AS
SELECT
  run AS run, -- [text] run
  coalesce(collective_name, 'Unknown') AS collective_name, -- "Collective name" [text] which collective
  coalesce(dtype, 'Unknown') AS dtype, -- [text] type of the elements
  coalesce(in_elements, 'Unknown') AS in_msg_nelems, -- "In msg nelems" [label] elements that go in
  value_at_least(group_name, CASE WHEN group_name IS NOT NULL THEN collective END) AS process_group_name, -- "Process Group Name" [text] process group of the first one
  value_at_least(group_size, CASE WHEN group_size IS NOT NULL THEN collective END) AS group_size, -- "Group size" [integer] ranks that take part in the first one
  value_at_least(full_mb, CASE WHEN full_mb IS NOT NULL THEN collective END) AS full_msg_size, -- "Full msg size (MB)" [MB] size of the whole message
  avg(latency_ns) / 1000.0 AS comm_latency_mean, -- [us] (lower) duration on the rank that came last, mean
  median(latency_ns) / 1000.0 AS comm_latency_median, -- [us] (lower) duration on the rank that came last, median
  min(latency_ns) / 1000.0 AS comm_latency_min, -- [us] (lower) duration on the rank that came last, least
  max(latency_ns) / 1000.0 AS comm_latency_max, -- [us] (lower) duration on the rank that came last, greatest
  stddev_samp(latency_ns) / 1000.0 AS comm_latency_std, -- [us] (lower) duration on the rank that came last, standard deviation
  sum(latency_ns) / 1000.0 AS comm_latency_sum, -- [us] (lower) duration on the rank that came last, sum
  avg(skew_start_ns) / 1000.0 AS skew_start_mean, -- "skew in start time_mean" [us] (lower) from the first start to the last one, mean
  median(skew_start_ns) / 1000.0 AS skew_start_median, -- "skew in start time_median" [us] (lower) from the first start to the last one, median
  min(skew_start_ns) / 1000.0 AS skew_start_min, -- "skew in start time_min" [us] (lower) from the first start to the last one, least
  max(skew_start_ns) / 1000.0 AS skew_start_max, -- "skew in start time_max" [us] (lower) from the first start to the last one, greatest
  stddev_samp(skew_start_ns) / 1000.0 AS skew_start_std, -- "skew in start time_std" [us] (lower) from the first start to the last one, standard deviation
  sum(skew_start_ns) / 1000.0 AS skew_start_sum, -- "skew in start time_sum" [us] (lower) from the first start to the last one, sum
  avg(skew_end_ns) / 1000.0 AS skew_end_mean, -- "skew in end time_mean" [us] (lower) from the first end to the last one, mean
  median(skew_end_ns) / 1000.0 AS skew_end_median, -- "skew in end time_median" [us] (lower) from the first end to the last one, median
  min(skew_end_ns) / 1000.0 AS skew_end_min, -- "skew in end time_min" [us] (lower) from the first end to the last one, least
  max(skew_end_ns) / 1000.0 AS skew_end_max, -- "skew in end time_max" [us] (lower) from the first end to the last one, greatest
  stddev_samp(skew_end_ns) / 1000.0 AS skew_end_std, -- "skew in end time_std" [us] (lower) from the first end to the last one, standard deviation
  sum(skew_end_ns) / 1000.0 AS skew_end_sum, -- "skew in end time_sum" [us] (lower) from the first end to the last one, sum
  avg(algo_bw) AS algo_bw_mean, -- "algo bw (GB/s)_mean" [GB/s] (higher) size of the message over the latency, mean
  median(algo_bw) AS algo_bw_median, -- "algo bw (GB/s)_median" [GB/s] (higher) size of the message over the latency, median
  min(algo_bw) AS algo_bw_min, -- "algo bw (GB/s)_min" [GB/s] (higher) size of the message over the latency, least
  max(algo_bw) AS algo_bw_max, -- "algo bw (GB/s)_max" [GB/s] (higher) size of the message over the latency, greatest
  stddev_samp(algo_bw) AS algo_bw_std, -- "algo bw (GB/s)_std" [GB/s] (higher) size of the message over the latency, standard deviation
  sum(algo_bw) AS algo_bw_sum, -- "algo bw (GB/s)_sum" [GB/s] (higher) size of the message over the latency, sum
  avg(bus_bw) AS bus_bw_mean, -- "bus bw (GB/s)_mean" [GB/s] (higher) the same as traffic of each rank, mean
  median(bus_bw) AS bus_bw_median, -- "bus bw (GB/s)_median" [GB/s] (higher) the same as traffic of each rank, median
  min(bus_bw) AS bus_bw_min, -- "bus bw (GB/s)_min" [GB/s] (higher) the same as traffic of each rank, least
  max(bus_bw) AS bus_bw_max, -- "bus bw (GB/s)_max" [GB/s] (higher) the same as traffic of each rank, greatest
  stddev_samp(bus_bw) AS bus_bw_std, -- "bus bw (GB/s)_std" [GB/s] (higher) the same as traffic of each rank, standard deviation
  sum(bus_bw) AS bus_bw_sum, -- "bus bw (GB/s)_sum" [GB/s] (higher) the same as traffic of each rank, sum
  count(*) AS count, -- [integer] how many there were
  sum(latency_ns) / 1e6 AS total_latency -- "Total comm latency (ms)" [ms] (lower) sum of the latencies
FROM sync_collective
GROUP BY run, collective_name, dtype, in_elements
ORDER BY run, sum(latency_ns) DESC, collective_name, dtype, in_elements;
