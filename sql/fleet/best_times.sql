-- Best known GPU time of ops by arguments and device: the least median of a selected run.
-- set: fleet
-- question: ops
-- position: 80
-- unit: run
-- key: name, input_dims, input_type, input_strides, concrete_inputs, device
-- kept: shape_time
-- columns-of: ops_unique_args
-- terminal: name, best_us, best_run, median_us, input_dims, runs, calls, best_kernels, device, input_type
-- empty: no_work, no_ops, no_launchers, no_shapes, no_shape_times
CREATE VIEW best_times AS
WITH ranked AS (
  SELECT run, name, input_dims, input_type, input_strides, concrete_inputs, device, calls, median_ns, sum_ns, kernels,
    row_number() OVER (PARTITION BY name, input_dims, input_type, input_strides, concrete_inputs, device ORDER BY median_ns, run) AS place
  FROM shape_time WHERE median_ns > 0 AND run IN (SELECT run FROM scope)
)
SELECT name, input_dims, input_type, input_strides, concrete_inputs,
  device AS device, -- [text] model of the device
  count(*) AS runs, -- [integer] number of runs with such calls
  sum(calls) AS calls, -- [integer] number of calls in all runs
  min(median_ns) / 1000.0 AS best_us, -- [us] (lower) median direct GPU time of a call in the best run
  max(run) FILTER (WHERE place = 1) AS best_run, -- [text] name of the run with the least median
  max(kernels) FILTER (WHERE place = 1) AS best_kernels, -- [list] names of the kernels in the best run
  median(median_ns) / 1000.0 AS median_us -- [us] median over runs of the median direct GPU time of a call
FROM ranked
GROUP BY name, input_dims, input_type, input_strides, concrete_inputs, device
ORDER BY sum(sum_ns) DESC, name, input_dims, input_type, input_strides, concrete_inputs, device;
