-- Engine steps of a served model: requests, tokens and GPU time.
-- set: pytorch
-- question: steps
-- position: 64
-- key: phase
-- within: step_no, annotation
-- measure: gpu_busy_us
-- when: inference-phase-analysis
-- terminal: step_no, phase, context_requests, generation_requests, batch_size, gpu_busy_us, gpu_span_us, cpu_dur_us, pieces
-- not-included: not_included_outside_steps
-- empty: no_engine_steps
CREATE VIEW inference_steps AS
WITH steps AS MATERIALIZED (SELECT trace_id, list FROM inference_step_list),
work AS (
  SELECT CAST(interval_at(steps.list, linked_work.launcher_ts_ns) AS INTEGER) AS step_id, count(*) AS pieces, interval_union_ns(linked_work.ts_ns, linked_work.dur_ns) AS busy_ns,
    max(linked_work.ts_ns + linked_work.dur_ns) - min(linked_work.ts_ns) AS span_ns
  FROM scope
  JOIN steps ON steps.trace_id = scope.trace_id
  CROSS JOIN linked_work ON linked_work.id BETWEEN scope.first_event AND scope.last_event
  WHERE linked_work.call_id IS NOT NULL
  GROUP BY step_id
)
SELECT
  step.run AS run, -- [text] name of the run
  step.trace_id AS trace_id, -- [integer] id of the trace
  step.step_no AS step_no, -- [integer] number of the step, from 0
  step.name AS annotation, -- [text] name of the step's annotation
  step.phase AS phase, -- [text] phase of the step: prefill_only, decode_only or prefilldecode; NULL without requests
  step.context_requests AS context_requests, -- [integer] number of prefill requests
  step.generation_requests AS generation_requests, -- [integer] number of decode requests
  step.batch_size AS batch_size, -- [integer] number of tokens of the batch
  step.c_sq AS c_sq, -- [integer] number of prefill query tokens
  step.c_sk AS c_sk, -- [integer] number of prefill key tokens
  step.g_sq AS g_sq, -- [integer] number of decode query tokens
  step.g_sk AS g_sk, -- [integer] number of decode key tokens
  coalesce(work.pieces, 0) AS pieces, -- "gpu_events" [integer] number of GPU activities launched by the step
  coalesce(work.busy_ns, 0) / 1000.0 AS gpu_busy_us, -- (lower) GPU busy time of the step
  work.span_ns / 1000.0 AS gpu_span_us, -- (lower) time from the first start to the last end of the step's GPU activities
  step.dur_ns / 1000.0 AS cpu_dur_us -- duration of the step on the host
FROM inference_step AS step
LEFT JOIN work ON work.step_id = step.id
WHERE EXISTS (SELECT 1 FROM scope WHERE scope.trace_id = step.trace_id AND step.id BETWEEN scope.first_event AND scope.last_event)
ORDER BY step.run, step.trace_id, step.step_no;
