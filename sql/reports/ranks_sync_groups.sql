-- Collectives in which ranks wait for each other, by process group, kind, type and size: latency,
-- skew, bandwidth and share of waiting.
-- set: collectives
-- question: ranks
-- sheet: nccl_summary_by_group
-- position: 80
-- when: not compat
-- key: group_key, collective_name, dtype, in_msg_nelems, group_size
-- measure: total_latency, count
-- unit: run
-- drop-empty: algo_bw_mean, algo_bw_median, algo_bw_min, algo_bw_max, algo_bw_std, algo_bw_sum, bus_bw_mean, bus_bw_median, bus_bw_min, bus_bw_max, bus_bw_std, bus_bw_sum, effective_bw
-- columns-when: node_span gpus-per-node, comm_latency_mean agg-metrics=mean, comm_latency_median agg-metrics=median, comm_latency_min agg-metrics=min, comm_latency_max agg-metrics=max, comm_latency_std agg-metrics=std, comm_latency_sum agg-metrics=sum, skew_start_mean agg-metrics=mean, skew_start_median agg-metrics=median, skew_start_min agg-metrics=min, skew_start_max agg-metrics=max, skew_start_std agg-metrics=std, skew_start_sum agg-metrics=sum, skew_end_mean agg-metrics=mean, skew_end_median agg-metrics=median, skew_end_min agg-metrics=min, skew_end_max agg-metrics=max, skew_end_std agg-metrics=std, skew_end_sum agg-metrics=sum, algo_bw_mean agg-metrics=mean, algo_bw_median agg-metrics=median, algo_bw_min agg-metrics=min, algo_bw_max agg-metrics=max, algo_bw_std agg-metrics=std, algo_bw_sum agg-metrics=sum, bus_bw_mean agg-metrics=mean, bus_bw_median agg-metrics=median, bus_bw_min agg-metrics=min, bus_bw_max agg-metrics=max, bus_bw_std agg-metrics=std, bus_bw_sum agg-metrics=sum
-- terminal: group_key, collective_name, total_latency, count, wait_share, effective_bw, full_msg_size, comm_latency_mean, comm_latency_p99, skew_start_mean, skew_start_max, bus_bw_mean, algo_bw_mean, dtype, group_size, comm_latency_median, in_msg_nelems
-- not-included: not_included_in_waiting
-- columns-of: ranks_sync_statistics
-- empty: no_work, no_ranks, no_collectives, no_waiting
CREATE VIEW ranks_sync_groups AS
WITH waited AS MATERIALIZED (
  SELECT collective, sum(wait_ns) AS wait_ns, sum(dur_ns) AS dur_ns, max(common_ns + dur_ns) - min(common_ns) AS wall_ns
  FROM collective_call
  WHERE is_sync = 1
  GROUP BY collective
)
SELECT
  whole.run,
  whole.group_key AS group_key, -- "Process Group" [text] process group, with its ranks where several groups have one name
  coalesce(whole.collective_name, 'Unknown') AS collective_name,
  coalesce(whole.dtype, 'Unknown') AS dtype, coalesce(whole.in_elements, 'Unknown') AS in_msg_nelems,
  whole.group_size AS group_size, -- "Group size" [integer] number of ranks in the collective
  value_at_least(whole.full_mb, CASE WHEN whole.full_mb IS NOT NULL THEN whole.collective END) AS full_msg_size,
  avg(whole.latency_ns) / 1000.0 AS comm_latency_mean, median(whole.latency_ns) / 1000.0 AS comm_latency_median,
  min(whole.latency_ns) / 1000.0 AS comm_latency_min, max(whole.latency_ns) / 1000.0 AS comm_latency_max,
  stddev_samp(whole.latency_ns) / 1000.0 AS comm_latency_std, sum(whole.latency_ns) / 1000.0 AS comm_latency_sum,
  percentile(whole.latency_ns, 10) / 1000.0 AS comm_latency_p10, -- [us] (lower) 10th percentile of the collective latency
  percentile(whole.latency_ns, 90) / 1000.0 AS comm_latency_p90, -- [us] (lower) 90th percentile of the collective latency
  percentile(whole.latency_ns, 99) / 1000.0 AS comm_latency_p99, -- [us] (lower) 99th percentile of the collective latency
  avg(whole.skew_start_ns) / 1000.0 AS skew_start_mean, median(whole.skew_start_ns) / 1000.0 AS skew_start_median,
  min(whole.skew_start_ns) / 1000.0 AS skew_start_min, max(whole.skew_start_ns) / 1000.0 AS skew_start_max,
  stddev_samp(whole.skew_start_ns) / 1000.0 AS skew_start_std, sum(whole.skew_start_ns) / 1000.0 AS skew_start_sum,
  avg(whole.skew_end_ns) / 1000.0 AS skew_end_mean, median(whole.skew_end_ns) / 1000.0 AS skew_end_median,
  min(whole.skew_end_ns) / 1000.0 AS skew_end_min, max(whole.skew_end_ns) / 1000.0 AS skew_end_max,
  stddev_samp(whole.skew_end_ns) / 1000.0 AS skew_end_std, sum(whole.skew_end_ns) / 1000.0 AS skew_end_sum, avg(whole.algo_bw) AS algo_bw_mean,
  median(whole.algo_bw) AS algo_bw_median, min(whole.algo_bw) AS algo_bw_min, max(whole.algo_bw) AS algo_bw_max,
  stddev_samp(whole.algo_bw) AS algo_bw_std, sum(whole.algo_bw) AS algo_bw_sum, avg(whole.bus_bw) AS bus_bw_mean,
  median(whole.bus_bw) AS bus_bw_median, min(whole.bus_bw) AS bus_bw_min, max(whole.bus_bw) AS bus_bw_max, stddev_samp(whole.bus_bw) AS bus_bw_std,
  sum(whole.bus_bw) AS bus_bw_sum,
  avg(whole.full_mb / 1024.0 / nullif(waited.wall_ns / 1e9, 0)) AS effective_bw, -- "effective bw (GB/s)" [GB/s] (higher) mean effective bandwidth: message size over the time from the first start to the last end, wait included
  sum(waited.wait_ns) * 1.0 / nullif(sum(waited.dur_ns), 0) AS wait_share, -- [fraction] (lower) wait for the last rank, as a part of the durations of all ranks, 0 to 1; above 1 where clocks are off
  count(*) AS count, sum(whole.latency_ns) / 1e6 AS total_latency,
  node_span(value_at_least(whole.group_ranks, CASE WHEN whole.group_ranks IS NOT NULL THEN whole.collective END), CAST((SELECT tpq_option('gpus-per-node')) AS INTEGER)) AS node_span -- [text] intra_node where the ranks of the group share a node, else inter_node; unknown where the ranks are not recorded (--gpus-per-node)
FROM sync_collective AS whole
JOIN waited ON waited.collective = whole.collective
GROUP BY whole.run, whole.group_key, whole.collective_name, whole.dtype, whole.in_elements, whole.group_size
ORDER BY whole.run, sum(whole.latency_ns) DESC, whole.group_key, whole.collective_name, whole.dtype, whole.in_elements, whole.group_size;
