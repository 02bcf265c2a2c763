-- Collectives in which ranks wait for each other, by kind, type and size, with latency, skew and
-- bandwidth.
-- set: multirank
-- question: ranks
-- sheet: summary_nccl_implicit_sync_cat
-- position: 120
-- level: collective
-- chart: bar collective_name total_latency
-- key: collective_name, dtype, in_msg_nelems, group_size, process_group_name
-- measure: total_latency, count
-- unit: run
-- tab: ranks
-- columns-when: percent not compat, comm_latency_mean compat, comm_latency_mean_ms not compat, skew_start_mean compat, skew_start_mean_ms not compat, skew_end_mean compat, skew_end_mean_ms not compat
-- terminal: collective_name, total_latency, percent, count, full_msg_size, bus_bw_mean, algo_bw_mean, comm_latency_mean_ms, skew_start_mean_ms, skew_end_mean_ms, dtype, group_size, process_group_name, in_msg_nelems
-- not-included: not_included_in_waiting
-- columns-of: ranks_sync_statistics
-- empty: no_work, no_ranks, no_collectives, no_waiting
CREATE VIEW ranks_sync_summary AS
WITH grouped AS (
  SELECT run, collective_name, dtype, in_elements, value_at_least(group_name, collective) AS group_name,
    value_at_least(group_size, collective) AS group_size, value_at_least(full_mb, collective) AS full_mb,
    avg(latency_ns) AS latency_ns, avg(skew_start_ns) AS skew_start_ns, avg(skew_end_ns) AS skew_end_ns, avg(algo_bw) AS algo_bw, avg(bus_bw) AS bus_bw,
    count(*) AS collectives, sum(latency_ns) AS sum_ns
  FROM sync_collective
  GROUP BY run, collective_name, dtype, in_elements
)
SELECT
  run, coalesce(collective_name, 'Unknown') AS collective_name, coalesce(dtype, 'Unknown') AS dtype,
  coalesce(in_elements, 'Unknown') AS in_msg_nelems, group_name AS process_group_name, group_size, full_mb AS full_msg_size,
  latency_ns / 1000.0 AS comm_latency_mean, -- [us] (lower) mean collective latency, in the unit of the reference
  latency_ns / 1000000.0 AS comm_latency_mean_ms, -- [ms] (lower) mean collective latency (duration on the rank that started last)
  skew_start_ns / 1000.0 AS skew_start_mean, -- "skew in start time_mean" [us] (lower) mean start skew, in the unit of the reference
  skew_start_ns / 1000000.0 AS skew_start_mean_ms, -- [ms] (lower) mean start skew
  skew_end_ns / 1000.0 AS skew_end_mean, -- "skew in end time_mean" [us] (lower) mean end skew, in the unit of the reference
  skew_end_ns / 1000000.0 AS skew_end_mean_ms, -- [ms] (lower) mean end skew
  algo_bw AS algo_bw_mean, bus_bw AS bus_bw_mean, collectives AS count, sum_ns / 1e6 AS total_latency,
  sum_ns * 100.0 / nullif(sum(sum_ns) OVER (PARTITION BY run), 0) AS percent -- [%] share of the sum over all rows, by collective latency
FROM grouped
ORDER BY run, sum_ns DESC, collective_name, dtype, in_elements;
