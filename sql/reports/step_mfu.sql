-- MFU by profiler step: FLOPs of modelled ops against step time and peak. A trace without steps is
-- one row.
-- set: pytorch
-- question: efficiency first
-- words: utilization, flops, tflops
-- position: 80
-- level: step
-- key: step
-- measure: step_time_ms
-- sample: step
-- when: never
-- drop-empty: step, note
-- terminal: step, step_time_ms, launched_busy_ms, mfu_pct, tflops_per_s, device, peak_kind, modelled_pct, note, gflops, peaks, with_peak_pct
-- not-included: not_included_without_launch
-- answers: mfu_pct: no_shapes, no_models, no_peaks
-- empty: no_work
CREATE VIEW step_mfu AS
WITH mark AS MATERIALIZED (
  SELECT run, trace_id, id, step, ts_ns, dur_ns
  FROM trace_step
  WHERE kind = 'step'
  UNION ALL
  SELECT scope.run, scope.trace_id, 0, NULL, min(event.ts_ns), max(event.ts_ns + event.dur_ns) - min(event.ts_ns)
  FROM scope
  CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
  WHERE NOT EXISTS (
    SELECT 1 FROM step_mark
    WHERE step_mark.trace_id = scope.trace_id AND step_mark.kind = 'step')
  GROUP BY scope.run, scope.trace_id
),
span AS (
  SELECT run, trace_id, step, min(ts_ns) AS start_ns, interval_union_ns(ts_ns, dur_ns) AS step_ns
  FROM mark
  GROUP BY run, trace_id, step
),
by_time AS MATERIALIZED (
  SELECT run, trace_id, interval_list(id, ts_ns, dur_ns) AS list
  FROM mark
  GROUP BY run, trace_id
),
launched AS (
  SELECT by_time.run AS run, by_time.trace_id AS trace_id, CAST(interval_at(by_time.list, linked_work.launcher_ts_ns) AS INTEGER) AS mark_id,
    linked_work.ts_ns AS ts_ns, linked_work.dur_ns AS dur_ns
  FROM scope
  JOIN by_time ON by_time.run = scope.run AND by_time.trace_id = scope.trace_id
  CROSS JOIN linked_work ON linked_work.id BETWEEN scope.first_event AND scope.last_event
),
work AS (
  SELECT span.run AS run, span.trace_id AS trace_id, span.step AS step, span.start_ns AS start_ns, span.step_ns AS step_ns,
    interval_union_ns(launched.ts_ns, launched.dur_ns) AS busy_ns
  FROM launched
  JOIN mark ON mark.run = launched.run AND mark.trace_id = launched.trace_id AND mark.id = launched.mark_id
  JOIN span ON span.run = mark.run AND span.trace_id = mark.trace_id AND span.step IS mark.step
  GROUP BY span.run, span.trace_id, span.step, span.start_ns, span.step_ns
),
computed AS (
  SELECT call.run AS run, call.trace_id AS trace_id, mark.step AS step, call.flops AS flops, call.kernel_ns AS kernel_ns,
    call.compute_spec AS compute_spec, CASE WHEN call.peak_tflops IS NOT NULL THEN call.peak_spec || coalesce(' by ' || call.peak_reason, '') END AS peak,
    call.flops / (call.peak_tflops * 1e3) AS peak_ns
  FROM bounded_call AS call
  JOIN event ON event.id = call.id
  JOIN by_time ON by_time.run = call.run AND by_time.trace_id = call.trace_id
  JOIN mark ON mark.run = call.run AND mark.trace_id = call.trace_id AND mark.id = CAST(interval_at(by_time.list, event.ts_ns) AS INTEGER)
),
parts AS (
  SELECT work.run AS run, work.trace_id AS trace_id, work.step AS step, work.start_ns AS start_ns, work.step_ns AS step_ns, work.busy_ns AS busy_ns,
    computed.peak AS peak, coalesce(computed.compute_spec, 'an unknown type') AS compute_spec,
    sum(computed.flops) AS flops, sum(computed.peak_ns) AS peak_ns, sum(computed.kernel_ns) AS kernel_ns
  FROM work
  LEFT JOIN computed ON computed.run = work.run AND computed.trace_id = work.trace_id
    AND computed.step IS work.step
  GROUP BY work.run, work.trace_id, work.step, work.start_ns, work.step_ns, work.busy_ns, computed.peak, 8
  ORDER BY flops DESC, peak, 8
),
sums AS (
  SELECT run, trace_id, step, start_ns, step_ns, busy_ns, sum(flops) AS flops, sum(peak_ns) AS peak_ns, sum(kernel_ns) AS kernel_ns,
    sum(flops) FILTER (WHERE peak IS NOT NULL) AS peaked_flops,
    group_concat(DISTINCT peak) FILTER (WHERE flops > 0) AS peaks,
    group_concat(DISTINCT compute_spec) FILTER (WHERE peak IS NULL AND flops > 0) AS lacking
  FROM parts
  GROUP BY run, trace_id, step, start_ns, step_ns, busy_ns
),
shares AS (
  SELECT sums.run AS run, sums.trace_id AS trace_id, sums.step AS step, sums.start_ns AS start_ns, sums.step_ns AS step_ns, sums.busy_ns AS busy_ns,
    sums.flops AS flops, sums.peak_ns AS peak_ns, sums.kernel_ns AS kernel_ns, sums.peaks AS peaks, sums.lacking AS lacking,
    CASE WHEN device.device IS NOT NULL THEN coalesce(sums.peaked_flops, 0) * 100.0 / nullif(sums.flops, 0) END AS with_peak_pct,
    device.device AS device, device.kind AS kind,
    (SELECT count(DISTINCT other.kind) FROM trace_device AS other) > 1 AS is_mixed
  FROM sums
  LEFT JOIN trace_device AS device ON device.run = sums.run AND device.trace_id = sums.trace_id
)
SELECT
  shares.run AS run, -- [text] name of the run
  shares.trace_id AS trace_id, -- [integer] id of the trace
  shares.step AS step, -- [integer] number of the profiler step
  shares.step_ns / 1000000.0 AS step_time_ms, -- [ms] (lower) step time by the profiler marks
  shares.busy_ns / 1000000.0 AS launched_busy_ms, -- [ms] busy time of the GPU activities launched in the step, also after the end of the step
  shares.flops / 1e9 AS gflops, -- [GFLOP] floating-point operations known to performance models
  shares.flops / 1e3 / nullif(shares.step_ns, 0) AS tflops_per_s, -- [TFLOP/s] (higher) achieved TFLOP/s over the whole step
  CASE WHEN shares.with_peak_pct >= 99 THEN shares.peak_ns * 100.0 / nullif(shares.step_ns, 0) END AS mfu_pct, -- (higher) MFU: time of the modelled operations at the peak of their precision, as a share of the step; only where the peak is known for 99 % of the operations
  shares.kernel_ns * 100.0 / nullif(shares.busy_ns, 0) AS modelled_pct, -- share of the GPU time with a performance model
  shares.device AS device, -- [text] device of the peaks
  shares.kind AS peak_kind, -- [text] kind of the peaks: achievable (measured at best), peak (stated by the vendor) or given (by an option)
  shares.peaks AS peaks, -- [text] kinds of peak, by number of operations; where the device has no peak of the kind: the source of the choice, the kernel name or allow_tf32
  shares.with_peak_pct AS with_peak_pct, -- share of the operations with a known peak
  nullif(ltrim(CASE WHEN shares.busy_ns > shares.step_ns THEN 'GPU activities that the step launched go on after its end' ELSE '' END || coalesce('; ' || CASE WHEN shares.flops IS NULL AND NOT EXISTS (SELECT 1 FROM trace_with_ops AS whole WHERE whole.trace_id = shares.trace_id) THEN 'the trace has no ops'
    WHEN shares.flops IS NULL AND NOT EXISTS (
      SELECT 1 FROM trace
      JOIN event ON event.id BETWEEN trace.first_event AND trace.last_event
      JOIN op ON op.id = event.op_id AND op.dims_id IS NOT NULL
      WHERE trace.id = shares.trace_id) THEN 'input shapes were not recorded'
    WHEN shares.flops IS NULL THEN 'no op has a model'
    WHEN shares.device IS NULL THEN 'the device is not known; --gpu-arch-platform names it'
    WHEN shares.with_peak_pct < 99 THEN 'no peak is known for ' || shares.lacking
    WHEN shares.is_mixed THEN 'other traces here have peaks of another kind' END, ''), '; '), '') AS note -- [text] reason why no MFU is shown, or a caution
FROM shares
ORDER BY shares.run, shares.trace_id, shares.start_ns;
