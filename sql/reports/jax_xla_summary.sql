-- Time of kernels that XLA generated, by name without digits.
-- set: jax
-- question: kernels
-- format: xplane profiles of XLA
-- sheet: xla_summary
-- position: 80
-- level: kernel
-- key: name
-- measure: total_direct_kernel_time_ms, count
-- work: GPU time of kernels
-- keep-empty: yes
-- columns-when: total_direct_kernel_time_sum compat, total_subtree_kernel_time_sum compat
-- terminal: name, total_direct_kernel_time_ms, percentage, count, categories, cumulative_percentage, time_ms_per_gpu
-- columns-of: jax_kernel_launchers_summary
-- empty: no_xla_kernels
CREATE VIEW jax_xla_summary AS
WITH kernel AS MATERIALIZED (
  SELECT run, trace_id, pid, dur_ps,
    replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(name, '0', ''), '1', ''), '2', ''), '3', ''), '4', ''),
      '5', ''), '6', ''), '7', ''), '8', ''), '9', '') AS name
  FROM xla_listed_kernel
  WHERE category = 'Uncategorized Events/XLA'
),
summed AS (
  SELECT run, trace_id, name, sum(dur_ps) AS ps, count(*) AS count
  FROM kernel
  GROUP BY run, trace_id, name
),
gpus AS (
  SELECT run, trace_id, count(DISTINCT pid) AS gpus FROM kernel GROUP BY run, trace_id
)
SELECT
  summed.run, summed.trace_id,
  summed.name AS name, -- [kernel] name of the kernels, without digits
  summed.ps / 1000000.0 AS total_direct_kernel_time_sum, summed.ps / 1000000.0 AS total_subtree_kernel_time_sum,
  summed.ps / 1000000000.0 AS total_direct_kernel_time_ms, summed.ps / 1000000000.0 AS total_subtree_kernel_time_ms, summed.count,
  '["Uncategorized Events/XLA"]' AS categories,
  summed.ps * 100.0 / nullif(sum(summed.ps) OVER (PARTITION BY summed.run, summed.trace_id), 0) AS percentage,
  sum(summed.ps) OVER (PARTITION BY summed.run, summed.trace_id ORDER BY summed.ps DESC, summed.name ROWS UNBOUNDED PRECEDING) * 100.0
    / nullif(sum(summed.ps) OVER (PARTITION BY summed.run, summed.trace_id), 0) AS cumulative_percentage,
  summed.ps / 1000000000.0 / gpus.gpus AS time_ms_per_gpu
FROM summed
JOIN gpus ON gpus.run = summed.run AND gpus.trace_id = summed.trace_id
ORDER BY summed.run, summed.trace_id, summed.ps DESC, summed.name;
