-- Requests of a served model: time to first token and time of generation, and the GPU work they
-- waited for. The requests come from --request-log, here or at ingest.
-- set: pytorch
-- question: steps
-- words: serving, ttft, tpot, latency, queue, token, request, vllm, sglang
-- position: 384
-- key: request_id
-- measure: ttft_ms
-- no-sum: yes
-- when: requests
-- terminal: request_id, ttft_ms, queue_ms, prefill_ms, other_ms, host_ms, generation_ms, decode_ms, interference_ms, gap_ms, tpot_ms, output_tokens, clipped
-- not-included: not_included_requests
-- empty: no_engine_steps, no_requests
-- answers: queue_ms: no_clocked_requests
CREATE VIEW serving_requests AS
WITH step AS MATERIALIZED (
  SELECT run, trace_id, id, step_no, context_requests, context_tokens, ts_ns, ts_ns + dur_ns AS end_ns, last_ns FROM serving_step
),
work AS MATERIALIZED (
  SELECT activity.trace_id AS trace_id, activity.ts_ns AS ts_ns, activity.dur_ns AS dur_ns, step.context_requests > 0 AS is_prefill
  FROM serving_activity AS activity
  LEFT JOIN step ON step.id = activity.step_id
),
reach AS MATERIALIZED (
  SELECT step.run AS run, step.trace_id AS trace_id, trace.wall_start_ns AS wall_start_ns,
    max(max(step.end_ns), (SELECT max(ts_ns + dur_ns) FROM work WHERE work.trace_id = step.trace_id)) AS end_ns
  FROM step
  JOIN trace ON trace.id = step.trace_id
  GROUP BY step.run, step.trace_id, trace.wall_start_ns
),
asked AS (
  SELECT run, trace_id, number, request_id, arrival_ns AS arrival, first_token_ns AS first_token, end_ns AS ended, prompt_tokens, output_tokens
  FROM known_request
),
request AS (
  SELECT reach.run AS run, reach.trace_id AS trace_id, asked.number AS number, asked.request_id AS request_id, asked.arrival - reach.wall_start_ns AS arrival_ns,
    asked.first_token - reach.wall_start_ns AS first_ns, asked.ended - reach.wall_start_ns AS end_ns, asked.prompt_tokens AS prompt_tokens,
    asked.output_tokens AS output_tokens, asked.first_token - asked.arrival AS ttft_ns, asked.ended - asked.first_token AS generation_ns, reach.end_ns AS reach_ns
  FROM asked
  CROSS JOIN reach ON reach.run = asked.run AND reach.trace_id = asked.trace_id
  WHERE asked.arrival <= asked.first_token AND asked.first_token <= asked.ended
),
prefill AS MATERIALIZED (
  SELECT trace_id, row_number() OVER in_order AS place, ts_ns, last_ns, context_tokens,
    sum(context_tokens) OVER (PARTITION BY trace_id ORDER BY step_no ROWS UNBOUNDED PRECEDING) AS tokens
  FROM step
  WHERE context_requests > 0
  WINDOW in_order AS (PARTITION BY trace_id ORDER BY step_no)
),
-- what is the last one at a time, or at a number of tokens: intervals up to the next one
ended AS (
  SELECT trace_id, max(place) OVER (PARTITION BY trace_id ORDER BY last_ns, place ROWS UNBOUNDED PRECEDING) AS place, last_ns,
    lead(last_ns, 1, 4000000000000000000) OVER (PARTITION BY trace_id ORDER BY last_ns, place) AS next_ns
  FROM prefill
  WHERE last_ns IS NOT NULL
),
counted AS (
  SELECT trace_id, place, ts_ns, tokens, lead(ts_ns, 1, 4000000000000000000) OVER in_order AS next_ns, lead(tokens, 1, 4000000000000000000) OVER in_order AS next_tokens
  FROM prefill
  WINDOW in_order AS (PARTITION BY trace_id ORDER BY place)
),
ends AS MATERIALIZED (SELECT trace_id, interval_list(place, last_ns, max(0, next_ns - last_ns)) AS list FROM ended GROUP BY trace_id),
starts AS MATERIALIZED (
  SELECT trace_id, interval_list(place, ts_ns, max(0, next_ns - ts_ns)) AS times, interval_list(place, tokens, next_tokens - tokens) AS tokens FROM counted GROUP BY trace_id
),
last_step AS MATERIALIZED (
  SELECT request.run AS run, request.trace_id AS trace_id, request.number AS number, request.request_id AS request_id, request.arrival_ns AS arrival_ns, request.first_ns AS first_ns, request.end_ns AS end_ns, request.prompt_tokens AS prompt_tokens, request.output_tokens AS output_tokens, request.ttft_ns AS ttft_ns, request.generation_ns AS generation_ns, prefill.place AS place, prefill.tokens AS tokens
  FROM request
  LEFT JOIN ends ON ends.trace_id = request.trace_id
  LEFT JOIN prefill ON prefill.trace_id = request.trace_id AND prefill.place = interval_at(ends.list, request.first_ns)
    AND request.end_ns <= request.reach_ns
),
-- the first step of the request: back over steps from its arrival on, until they have its prompt
first_step AS (
  SELECT last_step.run AS run, last_step.trace_id AS trace_id, last_step.number AS number, last_step.request_id AS request_id, last_step.arrival_ns AS arrival_ns, last_step.first_ns AS first_ns, last_step.end_ns AS end_ns, last_step.prompt_tokens AS prompt_tokens, last_step.output_tokens AS output_tokens, last_step.ttft_ns AS ttft_ns, last_step.generation_ns AS generation_ns, last_step.place AS place, CASE WHEN last_step.prompt_tokens > 0 THEN min(last_step.place, 1 + max(
      coalesce(interval_at(starts.tokens, last_step.tokens - last_step.prompt_tokens), 0), coalesce(interval_at(starts.times, last_step.arrival_ns - 1), 0)))
    ELSE last_step.place END AS first_place
  FROM last_step
  LEFT JOIN starts ON starts.trace_id = last_step.trace_id
),
begun AS MATERIALIZED (
  SELECT first_step.run AS run, first_step.trace_id AS trace_id, first_step.number AS number, first_step.request_id AS request_id, first_step.arrival_ns AS arrival_ns, first_step.first_ns AS first_ns, first_step.end_ns AS end_ns, first_step.prompt_tokens AS prompt_tokens, first_step.output_tokens AS output_tokens, first_step.ttft_ns AS ttft_ns, first_step.generation_ns AS generation_ns, first_step.place AS place, min(max(first_step.arrival_ns, prefill.ts_ns), first_step.first_ns) AS begin_ns
  FROM first_step
  LEFT JOIN prefill ON prefill.trace_id = first_step.trace_id AND prefill.place = first_step.first_place
),
-- GPU work of steps with context requests (prefill), of the others, and of all
busy AS (
  SELECT trace_id, iif(is_prefill, 'prefill', 'decode') AS kind, ts_ns, dur_ns FROM work WHERE is_prefill IS NOT NULL
  UNION ALL
  SELECT trace_id, 'all', ts_ns, dur_ns FROM work WHERE is_prefill IS NOT NULL
),
ordered AS (
  SELECT trace_id, kind, row_number() OVER (PARTITION BY trace_id ORDER BY kind, ts_ns, dur_ns) AS place, ts_ns, ts_ns + dur_ns AS end_ns, lead(ts_ns, 1, 4000000000000000000) OVER in_order AS next_ns,
    coalesce(max(ts_ns + dur_ns) OVER (PARTITION BY trace_id, kind ORDER BY ts_ns, dur_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), ts_ns) AS covered_ns
  FROM busy
  WINDOW in_order AS (PARTITION BY trace_id, kind ORDER BY ts_ns, dur_ns)
),
cover AS MATERIALIZED (
  SELECT trace_id, kind, place, ts_ns, next_ns, max(end_ns, covered_ns) AS end_ns,
    sum(max(0, end_ns - max(ts_ns, covered_ns))) OVER (PARTITION BY trace_id, kind ORDER BY place ROWS UNBOUNDED PRECEDING) AS length_ns
  FROM ordered
),
lists AS MATERIALIZED (
  SELECT trace_id, interval_list(place, ts_ns, max(0, next_ns - ts_ns)) FILTER (WHERE kind = 'prefill') AS prefill, interval_list(place, ts_ns, max(0, next_ns - ts_ns)) FILTER (WHERE kind = 'decode') AS decode,
    interval_list(place, ts_ns, max(0, next_ns - ts_ns)) FILTER (WHERE kind = 'all') AS whole
  FROM cover
  GROUP BY trace_id
),
-- busy time of each kind until the request begins, until its first token, and until its end
reached AS (
  SELECT begun.run AS run, begun.trace_id AS trace_id, begun.number AS number, begun.request_id AS request_id, begun.arrival_ns AS arrival_ns, begun.first_ns AS first_ns, begun.output_tokens AS output_tokens, begun.ttft_ns AS ttft_ns, begun.generation_ns AS generation_ns, begun.place AS place, begun.begin_ns AS begin_ns,
    coalesce(prefill_begin.length_ns - max(0, prefill_begin.end_ns - begun.begin_ns), 0) AS prefill_begin_ns,
    coalesce(prefill_first.length_ns - max(0, prefill_first.end_ns - begun.first_ns), 0) AS prefill_first_ns,
    coalesce(decode_first.length_ns - max(0, decode_first.end_ns - begun.first_ns), 0) AS decode_first_ns,
    coalesce(decode_end.length_ns - max(0, decode_end.end_ns - begun.end_ns), 0) AS decode_end_ns,
    coalesce(all_begin.length_ns - max(0, all_begin.end_ns - begun.begin_ns), 0) AS all_begin_ns,
    coalesce(all_first.length_ns - max(0, all_first.end_ns - begun.first_ns), 0) AS all_first_ns,
    coalesce(all_end.length_ns - max(0, all_end.end_ns - begun.end_ns), 0) AS all_end_ns
  FROM begun
  LEFT JOIN lists ON lists.trace_id = begun.trace_id
  LEFT JOIN cover AS prefill_begin ON prefill_begin.trace_id = begun.trace_id AND prefill_begin.place = interval_at(lists.prefill, begun.begin_ns)
  LEFT JOIN cover AS prefill_first ON prefill_first.trace_id = begun.trace_id AND prefill_first.place = interval_at(lists.prefill, begun.first_ns)
  LEFT JOIN cover AS decode_first ON decode_first.trace_id = begun.trace_id AND decode_first.place = interval_at(lists.decode, begun.first_ns)
  LEFT JOIN cover AS decode_end ON decode_end.trace_id = begun.trace_id AND decode_end.place = interval_at(lists.decode, begun.end_ns)
  LEFT JOIN cover AS all_begin ON all_begin.trace_id = begun.trace_id AND all_begin.place = interval_at(lists.whole, begun.begin_ns)
  LEFT JOIN cover AS all_first ON all_first.trace_id = begun.trace_id AND all_first.place = interval_at(lists.whole, begun.first_ns)
  LEFT JOIN cover AS all_end ON all_end.trace_id = begun.trace_id AND all_end.place = interval_at(lists.whole, begun.end_ns)
)
SELECT
  reached.run AS run, -- [text] name of the run
  reached.trace_id AS trace_id, -- [integer] id of the trace
  reached.request_id AS request_id, -- [text] id of the request
  reached.ttft_ns / 1e6 AS ttft_ms, -- (lower) time to first token, from the arrival
  CASE WHEN reached.place IS NOT NULL THEN reached.begin_ns - reached.arrival_ns END / 1e6 AS queue_ms, -- (lower) time from the arrival to the start of the first step of the request
  CASE WHEN reached.place IS NOT NULL THEN reached.prefill_first_ns - reached.prefill_begin_ns END / 1e6 AS prefill_ms, -- (lower) GPU busy time of steps with prefill, from then to the first token
  CASE WHEN reached.place IS NOT NULL THEN reached.all_first_ns - reached.all_begin_ns - (reached.prefill_first_ns - reached.prefill_begin_ns) END / 1e6 AS other_ms, -- (lower) GPU busy time of other steps alone, from then to the first token
  CASE WHEN reached.place IS NOT NULL THEN reached.first_ns - reached.begin_ns - (reached.all_first_ns - reached.all_begin_ns) END / 1e6 AS host_ms, -- (lower) time from then to the first token without GPU work of steps
  reached.generation_ns / 1e6 AS generation_ms, -- (lower) time from the first token to the end
  CASE WHEN reached.place IS NOT NULL THEN reached.decode_end_ns - reached.decode_first_ns END / 1e6 AS decode_ms, -- (lower) GPU busy time of steps without prefill during generation
  CASE WHEN reached.place IS NOT NULL THEN reached.all_end_ns - reached.all_first_ns - (reached.decode_end_ns - reached.decode_first_ns) END / 1e6 AS interference_ms, -- (lower) GPU busy time of steps with prefill alone during generation
  CASE WHEN reached.place IS NOT NULL THEN reached.generation_ns - (reached.all_end_ns - reached.all_first_ns) END / 1e6 AS gap_ms, -- (lower) time of generation without GPU work of steps
  reached.generation_ns / 1e6 / nullif(max(reached.output_tokens - 1, 0), 0) AS tpot_ms, -- [ms] (lower) mean time per output token after the first
  reached.output_tokens AS output_tokens, -- [integer] number of output tokens
  reached.place IS NULL AS clipped -- [integer] 1 when the trace does not have the request: it ends later, or no step with prefill ends before its first token
FROM reached
ORDER BY reached.run, reached.trace_id, reached.number;
