-- Engine steps by phase (prefill, decode), with GPU time per step and per token.
-- set: pytorch
-- question: steps
-- words: prefill, decode, tokens, serving, latency
-- position: 65
-- key: phase
-- measure: gpu_busy_ms, steps
-- when: inference_phase_analysis
-- terminal: phase, steps, tokens, gpu_busy_ms, gpu_busy_us_mean, gpu_us_per_token, percentage
-- leaves-out: left_out_outside_steps
-- empty: lacks_engine_steps
CREATE VIEW inference_phases AS
SELECT
  run AS run, -- [text] run
  trace_id AS trace_id, -- [integer] trace
  coalesce(phase, 'idle') AS phase, -- [text] prefill_only, decode_only, prefilldecode, or idle: without requests
  count(*) AS steps, -- [integer] steps of that phase
  sum(context_requests) AS context_requests, -- [integer] requests in prefill, in all steps
  sum(generation_requests) AS generation_requests, -- [integer] requests in decode, in all steps
  sum(c_sq + g_sq) AS tokens, -- [integer] query tokens, in all steps
  sum(pieces) AS pieces, -- "gpu_events" [integer] pieces of accelerator work that they launched
  sum(gpu_busy_us) / 1000.0 AS gpu_busy_ms, -- (lower) time with any of them, summed over the steps
  sum(gpu_busy_us) / count(*) AS gpu_busy_us_mean, -- [real] (lower) the same of a step
  median(gpu_span_us) AS gpu_span_us_median, -- [real] (lower) from the first start to the last end of a step's work: median
  median(cpu_dur_us) AS cpu_dur_us_median, -- [real] duration of a step on the host: median
  sum(gpu_busy_us) / nullif(sum(c_sq + g_sq), 0) AS gpu_us_per_token, -- [real] (lower) accelerator time of a query token
  sum(gpu_busy_us) * 100.0 / nullif(sum(sum(gpu_busy_us)) OVER (PARTITION BY run, trace_id), 0) AS percentage -- "Percentage (%)" [%] share of the accelerator time of all steps
FROM inference_steps
GROUP BY run, trace_id, phase
ORDER BY run, trace_id, sum(gpu_busy_us) DESC, phase;
