-- How much of what the accelerator could compute each profiler step used: the operations that models
-- know, against time and peaks. A trace without steps is one row.
-- set: pytorch
-- position: 80
-- when: never
-- drop-empty: step
CREATE VIEW step_mfu AS
WITH span AS (
  SELECT scope.run AS run, scope.trace_id AS trace_id, signpost.step AS step,
    min(signpost.ts_ns) AS start_ns, max(signpost.ts_ns + signpost.dur_ns) AS end_ns
  FROM (SELECT DISTINCT run, trace_id FROM scope) AS scope
  JOIN signpost ON signpost.trace_id = scope.trace_id AND signpost.kind = 'step'
  GROUP BY scope.run, scope.trace_id, signpost.step
  UNION ALL
  SELECT scope.run, scope.trace_id, NULL, min(event.ts_ns), max(event.ts_ns + event.dur_ns)
  FROM scope
  CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
  WHERE NOT EXISTS (SELECT 1 FROM signpost WHERE signpost.trace_id = scope.trace_id AND signpost.kind = 'step')
  GROUP BY scope.run, scope.trace_id
),
work AS (
  SELECT span.run AS run, span.trace_id AS trace_id, span.step AS step, span.start_ns AS start_ns, span.end_ns AS end_ns,
    interval_union_ns(gpu_event.ts_ns, gpu_event.dur_ns) AS busy_ns
  FROM scope
  CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
  JOIN span ON span.run = scope.run AND span.trace_id = scope.trace_id
    AND gpu_event.launcher_ts_ns >= span.start_ns AND gpu_event.launcher_ts_ns < span.end_ns
  GROUP BY span.run, span.trace_id, span.step, span.start_ns, span.end_ns
),
computed AS (
  SELECT call.run AS run, call.trace_id AS trace_id, event.ts_ns AS ts_ns, call.flops AS flops, call.kernel_ns AS kernel_ns,
    call.flops / (CAST(arg(device.peaks, call.compute_spec) AS REAL) * 1e3) AS peak_ns, device.device AS device, device.kind AS kind
  FROM modelled_call AS call
  JOIN event ON event.id = call.id
  LEFT JOIN trace_device AS device ON device.run = call.run AND device.trace_id = call.trace_id
)
SELECT
  work.run AS run, -- [text] run
  work.trace_id AS trace_id, -- [integer] trace
  work.step AS step, -- [integer] number of the profiler step
  (work.end_ns - work.start_ns) / 1000000.0 AS step_time_ms, -- [ms] (lower) duration
  work.busy_ns / 1000000.0 AS busy_time_ms, -- [ms] time with accelerator work that was launched in it
  sum(computed.flops) / 1e9 AS gflops, -- [GFLOP] operations that models know
  sum(computed.flops) / 1e3 / nullif(work.end_ns - work.start_ns, 0) AS tflops_per_s, -- [TFLOP/s] (higher) over the whole step
  sum(computed.peak_ns) * 100.0 / nullif(work.end_ns - work.start_ns, 0) AS mfu_pct, -- (higher) time that these operations need at the peak of their precision, as a share of the step
  sum(computed.kernel_ns) * 100.0 / nullif(work.busy_ns, 0) AS modelled_pct, -- share of the accelerator's time that has a model
  max(computed.device) AS device, -- [text] accelerator whose peaks were taken
  max(computed.kind) AS peak_kind -- [text] achievable: measured at best; peak: as its maker states; given: by an option
FROM work
LEFT JOIN computed ON computed.run = work.run AND computed.trace_id = work.trace_id
  AND computed.ts_ns >= work.start_ns AND computed.ts_ns < work.end_ns
GROUP BY work.run, work.trace_id, work.step, work.start_ns, work.end_ns, work.busy_ns
ORDER BY work.run, work.trace_id, work.start_ns;
