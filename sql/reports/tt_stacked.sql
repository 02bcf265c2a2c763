-- Device time on Tenstorrent by op and by the memory of its first input. --group-by groups by op or
-- category instead.
-- set: tt
-- question: ops
-- format: ttmetal op tables of tt-metal
-- sheet: stacked
-- position: 40
-- first: 5
-- level: op
-- key: op_code, device, op_category
-- measure: device_time_sum, op_count
-- work: device time of ops
-- unit: run
-- when: not no-summary
-- terminal: op_code, device_time_sum, total_percent, device, op_count, op_category, flops_weighted, flops_min, flops_max, flops_mean, flops_std
-- wide: op_code
-- chart: stack op_code device_time_sum op_category device
-- columns-when: device no-merge-devices, op_category not group-by=category, flops_min not group-by=category, flops_max not group-by=category, flops_mean not group-by=category, flops_std not group-by=category, flops_weighted not group-by=category
-- not-included: not_included_in_tt_ops
-- empty: no_tt_ops
CREATE VIEW tt_stacked AS
WITH op AS MATERIALIZED (
  SELECT run, device, category, flops_percent, coalesce(device_time_us, 0.0) AS time_us,
    CASE (SELECT tpq_option('group-by'))
      WHEN 'category' THEN category
      WHEN 'op' THEN op
      ELSE op || coalesce(' (in0:' || layout || ')', '')
    END AS key
  FROM tt_op
  WHERE kind <> 'signpost' AND instr(name, 'signpost') = 0
  AND ((SELECT tpq_option('no-merge-devices')) IS NULL OR device IS NOT NULL)
),
parted AS (
  SELECT run, key, category, flops_percent, time_us, CASE WHEN (SELECT tpq_option('no-merge-devices')) IS NOT NULL THEN device END AS device
  FROM op
),
grouped AS (
  SELECT run, key, device, min(category) AS category, sum(time_us) AS time_us, count(*) AS ops,
    min(flops_percent) AS least, max(flops_percent) AS most, avg(flops_percent) AS mean, stddev_samp(flops_percent) AS deviation,
    sum(flops_percent * time_us) AS weighted, sum(time_us) FILTER (WHERE flops_percent IS NOT NULL) AS weight
  FROM parted
  GROUP BY run, key, device
),
summed AS (
  SELECT run, key, device, category, time_us, ops, least, most, mean, deviation,
    sum(time_us) OVER (PARTITION BY run, device) AS total_us,
    CASE WHEN NOT (SELECT tpq_like_reference('tt: weighted mean of devices that are not merged')) THEN weighted / nullif(weight, 0)
      ELSE sum(weighted) OVER (PARTITION BY run, key) / nullif(sum(weight) OVER (PARTITION BY run, key), 0) END AS weighted_mean,
    CASE WHEN (SELECT tpq_like_reference('tt: order of equal times in the summary')) THEN
      quick_place(time_us) OVER (PARTITION BY run ORDER BY key, device ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) END AS place
  FROM grouped
)
SELECT
  run AS run, -- [text] name of the run
  coalesce(100.0 * time_us / nullif(total_us, 0), 0) AS total_percent, -- "Total % [%]" [%] share of the device time
  key AS op_code, -- "Op Code" [text] op and memory of the first input, op, or category
  device AS device, -- "Device" [integer] number of the device
  time_us AS device_time_sum, -- "Device Time Sum [μs]" [us] (lower) sum of device times
  ops AS op_count, -- "Op Count" [integer] number of ops
  category AS op_category, -- "Op Category" [text] category of the op
  least AS flops_min, -- "Min FLOPs [%]" [%] minimum share of the peak TFLOP/s of the cores
  most AS flops_max, -- "Max FLOPs [%]" [%] maximum share of the peak TFLOP/s of the cores
  mean AS flops_mean, -- "Mean FLOPs [%]" [%] mean share of the peak TFLOP/s of the cores
  deviation AS flops_std, -- "Std FLOPs [%]" [%] standard deviation of the share of the peak TFLOP/s
  weighted_mean AS flops_weighted -- "Weighted Mean FLOPs [%]" [%] mean share of the peak TFLOP/s, weighted by device time
FROM summed
ORDER BY run, place, time_us DESC, key, device;
