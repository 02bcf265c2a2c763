-- Engine steps by phase (prefill, decode), with GPU time per step and per token.
-- set: pytorch
-- question: steps
-- words: prefill, decode, tokens, serving, latency
-- position: 65
-- key: phase
-- measure: gpu_busy_ms, steps
-- when: inference-phase-analysis
-- terminal: phase, steps, tokens, gpu_busy_ms, gpu_busy_us_mean, gpu_us_per_token, percentage
-- not-included: not_included_outside_steps
-- empty: no_engine_steps
CREATE VIEW inference_phases AS
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  coalesce(phase, 'idle') AS phase, -- [text] phase of the steps: prefill_only, decode_only, prefilldecode, or idle (without requests)
  count(*) AS steps, -- [integer] number of steps of the phase
  sum(context_requests) AS context_requests, -- [integer] number of prefill requests in all steps
  sum(generation_requests) AS generation_requests, -- [integer] number of decode requests in all steps
  sum(c_sq + g_sq) AS tokens, -- [integer] number of query tokens in all steps
  sum(pieces) AS pieces, -- "gpu_events" [integer] number of GPU activities launched by the steps
  sum(gpu_busy_us) / 1000.0 AS gpu_busy_ms, -- (lower) total GPU busy time of the steps
  sum(gpu_busy_us) / count(*) AS gpu_busy_us_mean, -- [real] (lower) mean GPU busy time of a step
  median(gpu_span_us) AS gpu_span_us_median, -- [real] (lower) median time from the first start to the last end of a step's GPU activities
  median(cpu_dur_us) AS cpu_dur_us_median, -- [real] median duration of a step on the host
  sum(gpu_busy_us) / nullif(sum(c_sq + g_sq), 0) AS gpu_us_per_token, -- [real] (lower) GPU busy time per query token
  sum(gpu_busy_us) * 100.0 / nullif(sum(sum(gpu_busy_us)) OVER (PARTITION BY run, trace_id), 0) AS percentage -- "Percentage (%)" [%] share of the GPU busy time of all steps
FROM inference_steps
GROUP BY run, trace_id, phase
ORDER BY run, trace_id, sum(gpu_busy_us) DESC, phase;
