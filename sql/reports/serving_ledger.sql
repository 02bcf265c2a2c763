-- GPU time of prefill and decode by group of ops. Steps with both phases are split: by requests for
-- sampling, by query-key products for attention where recorded, and by tokens for all else.
-- set: pytorch
-- question: steps
-- words: serving, prefill, decode, tokens, cost, attention, sampling, vllm, sglang
-- position: 381
-- key: phase, op_group
-- measure: gpu_ms, calls
-- when: requests
-- empty: no_engine_steps, no_work
CREATE VIEW serving_ledger AS
WITH step AS MATERIALIZED (
  SELECT id, run, trace_id, phase, context_requests AS c, generation_requests AS g, c_sq, g_sq, has_sqsk,
    max(0, 2 * c_sqsk - c_sqsq) AS c_pairs, max(0, 2 * g_sqsk) AS g_pairs,
    EXISTS (SELECT 1 FROM scope WHERE scope.trace_id = inference_step.trace_id AND inference_step.id BETWEEN scope.first_event AND scope.last_event) AS is_selected
  FROM inference_step
  -- grouped, SQLite expects many steps and looks them up by an index
  GROUP BY id, run, trace_id, phase, context_requests, generation_requests, c_sq, g_sq, has_sqsk, c_sqsk, c_sqsq, g_sqsk
),
shared AS (
  SELECT work.run AS run, work.trace_id AS trace_id, work.op_group AS op_group, work.dur_ns AS gpu_ns,
    CASE step.phase WHEN 'prefill_only' THEN 1.0 WHEN 'decode_only' THEN 0.0 WHEN 'prefilldecode' THEN coalesce(
      CASE WHEN work.op_group = 'attention' AND step.has_sqsk THEN step.c_pairs * 1.0 / nullif(step.c_pairs + step.g_pairs, 0) END,
      CASE WHEN work.op_group <> 'sampling' THEN step.c_sq * 1.0 / nullif(step.c_sq + step.g_sq, 0) END,
      step.c * 1.0 / (step.c + step.g)) END AS prefill_share
  FROM serving_activity AS work
  LEFT JOIN step ON step.id = work.step_id
),
booked AS MATERIALIZED (
  SELECT run, trace_id, op_group, prefill_share IS NOT NULL AS is_step, sum(gpu_ns) AS gpu_ns, coalesce(sum(gpu_ns) FILTER (WHERE prefill_share = 1), 0) AS whole_ns,
    coalesce(sum(gpu_ns * prefill_share) FILTER (WHERE prefill_share < 1), 0) AS shared_ns,
    count(*) AS calls, count(*) FILTER (WHERE prefill_share > 0) AS prefill_calls, count(*) FILTER (WHERE prefill_share < 1) AS decode_calls
  FROM shared
  GROUP BY run, trace_id, op_group, is_step
),
-- prefill is rounded once a group, and decode is the rest: the rows add up to the nanosecond
line AS (
  SELECT run, trace_id, 'prefill' AS phase, op_group, prefill_calls AS calls, whole_ns + CAST(round(shared_ns) AS INTEGER) AS gpu_ns, whole_ns + shared_ns AS exact_ns FROM booked WHERE is_step
  UNION ALL
  SELECT run, trace_id, 'decode', op_group, decode_calls, gpu_ns - whole_ns - CAST(round(shared_ns) AS INTEGER), gpu_ns - whole_ns - shared_ns FROM booked WHERE is_step
  UNION ALL
  SELECT run, trace_id, 'outside', op_group, calls, gpu_ns, gpu_ns FROM booked WHERE NOT is_step
),
tokens AS (
  SELECT run, trace_id, sum(c_sq) AS prefill_tokens, sum(g_sq) AS decode_tokens FROM step WHERE is_selected GROUP BY run, trace_id
)
SELECT
  line.run AS run, -- [text] name of the run
  line.trace_id AS trace_id, -- [integer] id of the trace
  line.phase AS phase, -- [text] prefill, decode, or outside: no engine step launched the GPU activity, or one without requests
  line.op_group AS op_group, -- [text] group of the kernel and its op: communication, sampling, kv_cache, moe, attention, gemm, norm, memory or other
  line.calls AS calls, -- [integer] number of GPU activities, all or part of whose duration is booked here
  line.gpu_ns / 1e6 AS gpu_ms, -- (lower) booked GPU time
  line.exact_ns * 100.0 / nullif(sum(line.gpu_ns) OVER (PARTITION BY line.run, line.trace_id), 0) AS percent, -- "Percentage (%)" [%] share of the total duration of all GPU activities
  line.exact_ns / 1000.0 / nullif(CASE line.phase WHEN 'prefill' THEN tokens.prefill_tokens WHEN 'decode' THEN tokens.decode_tokens END, 0) AS us_per_token -- [us] (lower) booked GPU time per token of the phase in all steps
FROM line
LEFT JOIN tokens ON tokens.run = line.run AND tokens.trace_id = line.trace_id
WHERE line.calls > 0
ORDER BY line.run, line.trace_id, CASE line.phase WHEN 'prefill' THEN 0 WHEN 'decode' THEN 1 ELSE 2 END, line.gpu_ns DESC, line.op_group;
