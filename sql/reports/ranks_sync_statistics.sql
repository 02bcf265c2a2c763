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
-- columns-when: comm_latency_mean agg-metrics=mean, comm_latency_median agg-metrics=median, comm_latency_min agg-metrics=min, comm_latency_max agg-metrics=max, comm_latency_std agg-metrics=std, comm_latency_sum agg-metrics=sum, skew_start_mean agg-metrics=mean, skew_start_median agg-metrics=median, skew_start_min agg-metrics=min, skew_start_max agg-metrics=max, skew_start_std agg-metrics=std, skew_start_sum agg-metrics=sum, skew_end_mean agg-metrics=mean, skew_end_median agg-metrics=median, skew_end_min agg-metrics=min, skew_end_max agg-metrics=max, skew_end_std agg-metrics=std, skew_end_sum agg-metrics=sum, algo_bw_mean agg-metrics=mean, algo_bw_median agg-metrics=median, algo_bw_min agg-metrics=min, algo_bw_max agg-metrics=max, algo_bw_std agg-metrics=std, algo_bw_sum agg-metrics=sum, bus_bw_mean agg-metrics=mean, bus_bw_median agg-metrics=median, bus_bw_min agg-metrics=min, bus_bw_max agg-metrics=max, bus_bw_std agg-metrics=std, bus_bw_sum agg-metrics=sum
-- drop-empty: algo_bw_mean, algo_bw_median, algo_bw_min, algo_bw_max, algo_bw_std, algo_bw_sum, bus_bw_mean, bus_bw_median, bus_bw_min, bus_bw_max, bus_bw_std, bus_bw_sum
-- terminal: collective_name, total_latency, count, full_msg_size, comm_latency_mean, comm_latency_max, skew_start_mean, skew_start_max, bus_bw_mean, algo_bw_mean, dtype, group_size, process_group_name, comm_latency_median, comm_latency_min, in_msg_nelems
-- chart: bar collective_name total_latency
-- not-included: not_included_in_waiting
-- empty: no_work, no_ranks, no_collectives, no_waiting
CREATE VIEW ranks_sync_statistics AS
SELECT
  run AS run, -- [text] name of the run
  coalesce(collective_name, 'Unknown') AS collective_name, -- "Collective name" [text] kind of collective
  coalesce(dtype, 'Unknown') AS dtype, -- [text] dtype of the elements
  coalesce(in_elements, 'Unknown') AS in_msg_nelems, -- "In msg nelems" [label] number of input elements
  value_at_least(group_name, CASE WHEN group_name IS NOT NULL THEN collective END) AS process_group_name, -- "Process Group Name" [text] process group of the first collective
  value_at_least(group_size, CASE WHEN group_size IS NOT NULL THEN collective END) AS group_size, -- "Group size" [integer] number of ranks in the first collective
  value_at_least(full_mb, CASE WHEN full_mb IS NOT NULL THEN collective END) AS full_msg_size, -- "Full msg size (MB)" [MB] size of the full message
  avg(latency_ns) / 1000.0 AS comm_latency_mean, -- [us] (lower) mean collective latency (duration on the rank that started last)
  median(latency_ns) / 1000.0 AS comm_latency_median, -- [us] (lower) median collective latency (duration on the rank that started last)
  min(latency_ns) / 1000.0 AS comm_latency_min, -- [us] (lower) minimum collective latency (duration on the rank that started last)
  max(latency_ns) / 1000.0 AS comm_latency_max, -- [us] (lower) maximum collective latency (duration on the rank that started last)
  stddev_samp(latency_ns) / 1000.0 AS comm_latency_std, -- [us] (lower) standard deviation of the collective latency
  sum(latency_ns) / 1000.0 AS comm_latency_sum, -- [us] (lower) sum of collective latencies
  avg(skew_start_ns) / 1000.0 AS skew_start_mean, -- "skew in start time_mean" [us] (lower) mean start skew
  median(skew_start_ns) / 1000.0 AS skew_start_median, -- "skew in start time_median" [us] (lower) median start skew
  min(skew_start_ns) / 1000.0 AS skew_start_min, -- "skew in start time_min" [us] (lower) minimum start skew
  max(skew_start_ns) / 1000.0 AS skew_start_max, -- "skew in start time_max" [us] (lower) maximum start skew
  stddev_samp(skew_start_ns) / 1000.0 AS skew_start_std, -- "skew in start time_std" [us] (lower) standard deviation of the start skew
  sum(skew_start_ns) / 1000.0 AS skew_start_sum, -- "skew in start time_sum" [us] (lower) sum of start skews
  avg(skew_end_ns) / 1000.0 AS skew_end_mean, -- "skew in end time_mean" [us] (lower) mean end skew
  median(skew_end_ns) / 1000.0 AS skew_end_median, -- "skew in end time_median" [us] (lower) median end skew
  min(skew_end_ns) / 1000.0 AS skew_end_min, -- "skew in end time_min" [us] (lower) minimum end skew
  max(skew_end_ns) / 1000.0 AS skew_end_max, -- "skew in end time_max" [us] (lower) maximum end skew
  stddev_samp(skew_end_ns) / 1000.0 AS skew_end_std, -- "skew in end time_std" [us] (lower) standard deviation of the end skew
  sum(skew_end_ns) / 1000.0 AS skew_end_sum, -- "skew in end time_sum" [us] (lower) sum of end skews
  avg(algo_bw) AS algo_bw_mean, -- "algo bw (GB/s)_mean" [GB/s] (higher) mean algorithm bandwidth (message size over collective latency)
  median(algo_bw) AS algo_bw_median, -- "algo bw (GB/s)_median" [GB/s] (higher) median algorithm bandwidth
  min(algo_bw) AS algo_bw_min, -- "algo bw (GB/s)_min" [GB/s] (higher) minimum algorithm bandwidth
  max(algo_bw) AS algo_bw_max, -- "algo bw (GB/s)_max" [GB/s] (higher) maximum algorithm bandwidth
  stddev_samp(algo_bw) AS algo_bw_std, -- "algo bw (GB/s)_std" [GB/s] (higher) standard deviation of the algorithm bandwidth
  sum(algo_bw) AS algo_bw_sum, -- "algo bw (GB/s)_sum" [GB/s] (higher) sum of algorithm bandwidths
  avg(bus_bw) AS bus_bw_mean, -- "bus bw (GB/s)_mean" [GB/s] (higher) mean bus bandwidth (algorithm bandwidth as traffic of each rank)
  median(bus_bw) AS bus_bw_median, -- "bus bw (GB/s)_median" [GB/s] (higher) median bus bandwidth
  min(bus_bw) AS bus_bw_min, -- "bus bw (GB/s)_min" [GB/s] (higher) minimum bus bandwidth
  max(bus_bw) AS bus_bw_max, -- "bus bw (GB/s)_max" [GB/s] (higher) maximum bus bandwidth
  stddev_samp(bus_bw) AS bus_bw_std, -- "bus bw (GB/s)_std" [GB/s] (higher) standard deviation of the bus bandwidth
  sum(bus_bw) AS bus_bw_sum, -- "bus bw (GB/s)_sum" [GB/s] (higher) sum of bus bandwidths
  count(*) AS count, -- [integer] number of collectives
  sum(latency_ns) / 1e6 AS total_latency -- "Total comm latency (ms)" [ms] (lower) sum of collective latencies
FROM sync_collective
GROUP BY run, collective_name, dtype, in_elements
ORDER BY run, sum(latency_ns) DESC, collective_name, dtype, in_elements;
