-- Engine steps by phase and batch size: busy time, and time from step to step.
-- set: pytorch
-- question: steps
-- words: serving, batch, latency, iteration, decode, prefill, vllm, sglang
-- position: 382
-- key: phase, batch_size
-- measure: busy_median_ms, steps
-- no-sum: yes
-- when: never
-- empty: no_engine_steps
CREATE VIEW serving_batch AS
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  coalesce(phase, 'idle') AS phase, -- [text] phase of the steps: prefill_only, decode_only, prefilldecode, or idle (without requests)
  batch_size AS batch_size, -- [integer] number of tokens of the batch
  count(*) AS steps, -- [integer] number of steps
  median(busy_ns) / 1e6 AS busy_median_ms, -- [ms] (lower) median GPU busy time of a step
  median(iteration_ns) / 1e6 AS iteration_median_ms -- [ms] (lower) median time from the start of a step to the start of the next; NULL for the last step of the trace
FROM serving_step
GROUP BY run, trace_id, phase, batch_size
ORDER BY run, trace_id, phase, batch_size;
