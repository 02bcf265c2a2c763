-- Ops whose median GPU time is at least 1.1 times the best of all runs, with the same arguments and device.
-- Clocks and neighbours count, too. Selections within runs, options and tpq sql know the selected runs only.
-- set: fleet
-- question: compare
-- words: fastest, best known time, kernel choice
-- position: 90
-- unit: run
-- key: run, name, input_dims, input_type, input_strides, concrete_inputs, device
-- kept: shape_time
-- columns-of: ops_unique_args
-- terminal: run, words, note
-- paragraphs: yes
-- empty: no_work, no_ops, no_launchers, no_shapes, no_shape_times, no_other_run, no_slower
CREATE VIEW slower_than_best AS
WITH ranked AS (
  SELECT run, name, input_dims, input_type, input_strides, concrete_inputs, device, calls, median_ns, sum_ns, kernels,
    first_value(median_ns) OVER alike AS best_ns, first_value(run) OVER alike AS best_run, first_value(kernels) OVER alike AS best_kernels
  FROM shape_time WHERE median_ns > 0
  WINDOW alike AS (PARTITION BY name, input_dims, input_type, input_strides, concrete_inputs, device ORDER BY median_ns, run)
),
slower AS (
  SELECT ranked.run, name, input_dims, input_type, input_strides, concrete_inputs, device, calls, median_ns, best_ns, best_run, kernels, best_kernels,
    median_ns / best_ns AS ratio, max(0, sum_ns - calls * best_ns) / 1000000.0 / chosen.traces AS saves_ms, (SELECT group_concat(value, ', ') FROM json_each(input_dims) WHERE value <> '[]') AS shapes,
    (SELECT group_concat(DISTINCT coalesce(precision(type.value), type.value)) FROM json_each(input_dims) AS dims JOIN json_each(input_type) AS type ON type.key = dims.key WHERE dims.value <> '[]') AS dtypes,
    CASE WHEN kernels <> best_kernels THEN (SELECT group_concat(kernel_short_name(value), ', ') FROM json_each(best_kernels)) ELSE iif(json_array_length(kernels) = 1, 'the same kernel', 'the same kernels') END AS chosen_kernels
  FROM ranked JOIN (SELECT run, count(DISTINCT trace_id) AS traces FROM scope GROUP BY run) AS chosen ON chosen.run = ranked.run
  WHERE median_ns >= 1.1 * best_ns AND best_run <> ranked.run
)
SELECT run, name, input_dims, input_type, input_strides, concrete_inputs,
  device AS device, -- [text] model of the device
  calls AS calls, -- [integer] number of calls in the run
  median_ns / 1000.0 AS median_us, -- [us] (lower) median direct GPU time of a call
  best_ns / 1000.0 AS best_us, -- [us] median direct GPU time of a call in the best run
  ratio AS ratio, -- [real] (lower) median_us over best_us
  saves_ms AS saves_ms, -- [ms] (lower) direct GPU time of a trace beyond the best time of each call
  kernels AS kernels, -- [list] names of the kernels of the calls
  best_run AS best_run, -- [text] name of the run with the least median
  best_kernels AS best_kernels, -- [list] names of the kernels in the best run
  format('%s %s %s: %.2fx faster in %s with %s on %s device, saves %.3f ms', name, shapes, dtypes, ratio, best_run, chosen_kernels, iif(device IS NULL, 'an unknown', 'the same'), saves_ms) AS words, -- [text] the row as a sentence
  format('a best time of one run is no proof: compare %s %s', run, best_run) AS note -- [text] next step
FROM slower
ORDER BY saves_ms DESC, run, name, input_dims, input_type, input_strides, concrete_inputs, device;
