-- Latency and throughput of a served model: time to first token, time per output token, inter-token and
-- end-to-end latency, tokens and requests per second. Percentiles are interpolated linearly, as in numpy
-- and vllm bench. Requests come from --request-log; they need not be within the trace.
-- set: pytorch
-- question: steps
-- words: serving, ttft, tpot, itl, latency, p99, throughput, slo, tokens per second, request, vllm, sglang
-- position: 379
-- key: metric, basis
-- measure: p50_ms, count
-- no-sum: yes
-- whole: yes
-- when: requests
-- terminal: metric, basis, count, mean_ms, p50_ms, p90_ms, p99_ms, max_ms, per_second, window_ms
-- not-included: not_included_requests, not_included_latency
-- empty: no_engine_steps, no_step_intervals
CREATE VIEW serving_latency AS
WITH request AS MATERIALIZED (
  SELECT run, trace_id, arrival_ns, first_token_ns, end_ns, prompt_tokens, output_tokens
  FROM known_request
  WHERE arrival_ns <= first_token_ns AND first_token_ns <= end_ns
),
sample AS (
  SELECT run, trace_id, 1 AS place, 'ttft' AS metric, first_token_ns - arrival_ns AS value_ns FROM request
  UNION ALL SELECT run, trace_id, 2, 'tpot', (end_ns - first_token_ns) * 1.0 / (output_tokens - 1) FROM request WHERE output_tokens > 1
  UNION ALL SELECT run, trace_id, 3, 'e2e_latency', end_ns - arrival_ns FROM request
  -- as a list, serving_requests is read only where there are requests
  UNION ALL SELECT value ->> 0, value ->> 1, 4, 'queue', (value ->> 2) * 1e6
  FROM json_each((SELECT CASE WHEN EXISTS (SELECT 1 FROM request) THEN (SELECT json_group_array(json_array(run, trace_id, queue_ms)) FROM serving_requests WHERE queue_ms IS NOT NULL) END))
),
pace AS MATERIALIZED (
  SELECT run, trace_id, steps, window_ns, decode_tokens, context_tokens, count, mean_ns, p50_ns, p90_ns, p99_ns, max_ns FROM serving_pace
),
whole AS (
  SELECT run, trace_id, max(end_ns) - min(arrival_ns) AS window_ns, count(*) AS requests, sum(output_tokens) AS output_tokens, sum(prompt_tokens + output_tokens) AS tokens
  FROM request
  GROUP BY run, trace_id
),
line AS (
  SELECT run, trace_id, place, metric, 'request log' AS basis, count(*) AS count, avg(value_ns) AS mean_ns, percentile(value_ns, 50) AS p50_ns, percentile(value_ns, 90) AS p90_ns,
    percentile(value_ns, 99) AS p99_ns, max(value_ns) AS max_ns, NULL AS window_ns
  FROM sample
  GROUP BY run, trace_id, place, metric
  UNION ALL SELECT run, trace_id, 5, 'request_throughput', 'request log', requests, NULL, NULL, NULL, NULL, NULL, window_ns FROM whole
  UNION ALL SELECT run, trace_id, 6, 'output_token_throughput', 'request log', output_tokens, NULL, NULL, NULL, NULL, NULL, window_ns FROM whole
  UNION ALL SELECT run, trace_id, 7, 'total_token_throughput', 'request log', tokens, NULL, NULL, NULL, NULL, NULL, window_ns FROM whole
  UNION ALL SELECT run, trace_id, 8, 'itl', 'engine steps', count, mean_ns, p50_ns, p90_ns, p99_ns, max_ns, NULL FROM pace
  UNION ALL SELECT run, trace_id, 9, 'decode_throughput', 'engine steps', decode_tokens, NULL, NULL, NULL, NULL, NULL, window_ns FROM pace WHERE steps > 1
  UNION ALL SELECT run, trace_id, 10, 'total_token_throughput', 'engine steps', nullif(coalesce(decode_tokens, 0) + context_tokens, 0), NULL, NULL, NULL, NULL, NULL, window_ns FROM pace WHERE steps > 1
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  metric AS metric, -- [text] ttft (time to first token), tpot (time per output token after the first), e2e_latency (arrival to end), queue (arrival to the start of the first step), itl (inter-token latency), or a throughput: requests, output tokens, decode tokens (without first tokens), total tokens (prompts and output)
  basis AS basis, -- [text] request log; or engine steps: each decode request gets a token a step
  count AS count, -- [integer] number of requests or, for itl and throughput of tokens, of tokens
  mean_ns / 1e6 AS mean_ms, -- (lower) mean latency
  p50_ns / 1e6 AS p50_ms, -- (lower) median latency
  p90_ns / 1e6 AS p90_ms, -- (lower) 90th percentile of the latency
  p99_ns / 1e6 AS p99_ms, -- (lower) 99th percentile of the latency
  max_ns / 1e6 AS max_ms, -- (lower) longest latency
  count * 1e9 / nullif(window_ns, 0) AS per_second, -- [1/s] (higher) throughput: requests or tokens per second of the window
  window_ns / 1e6 AS window_ms -- window of the throughput: first arrival to last end of requests, or the start of the first engine step to the start of the last
FROM line
WHERE count IS NOT NULL
ORDER BY run, trace_id, place;
