-- Least squares of decode steps: time from step to step over the number of requests. The intercept is
-- the time of a step that no request adds to.
-- set: pytorch
-- question: steps
-- words: serving, batch, latency, iteration, decode, regression, vllm, sglang
-- position: 383
-- key: phase
-- measure: intercept_ms, steps
-- no-sum: yes
-- whole: yes
-- when: never
-- empty: no_engine_steps, no_decode_fit
-- answers: intercept_ms: no_decode_fit
CREATE VIEW serving_fit AS
WITH point AS (
  SELECT run, trace_id, phase, CASE WHEN iteration_ns IS NOT NULL THEN generation_requests END AS x, iteration_ns AS y,
    avg(generation_requests) FILTER (WHERE iteration_ns IS NOT NULL) OVER (PARTITION BY run, trace_id) AS mean_x, avg(iteration_ns) OVER (PARTITION BY run, trace_id) AS mean_y
  FROM serving_step
  WHERE phase = 'decode_only'
),
sums AS (
  SELECT run, trace_id, phase, count(y) AS steps, mean_x, mean_y, nullif(sum((x - mean_x) * (x - mean_x)), 0) AS xx, sum((x - mean_x) * (y - mean_y)) AS xy,
    sum((y - mean_y) * (y - mean_y)) AS yy
  FROM point
  GROUP BY run, trace_id, phase, mean_x, mean_y
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  phase AS phase, -- [text] phase of the steps: decode_only
  steps AS steps, -- [integer] number of steps with a next step
  (mean_y - xy / xx * mean_x) / 1e6 AS intercept_ms, -- [ms] (lower) step time at no requests, on the fitted line; NULL where the steps give no line
  xy / xx / 1000.0 AS us_per_request, -- [us] (lower) step time that one more request adds, on the fitted line
  xy * xy / nullif(xx * yy, 0) AS r2 -- [real] coefficient of determination of the fit, from 0 to 1
FROM sums
ORDER BY run, trace_id;
