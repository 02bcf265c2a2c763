-- Engine steps of a served model: how each launched its GPU activities, and the idle gap before them.
-- set: pytorch
-- question: steps
-- words: serving, gap, bubble, scheduler, decode, prefill, iteration, vllm, sglang
-- position: 380
-- key: phase
-- within: step_no
-- measure: busy_ms
-- when: never
-- terminal: step_no, phase, context_tokens, generation_tokens, busy_ms, mode, gap_ms, gap_tail_ms, gap_between_ms, gap_prep_ms, gap_launch_ms, launches
-- not-included: not_included_outside_serving
-- empty: no_engine_steps
CREATE VIEW serving_steps AS
WITH step AS MATERIALIZED (
  SELECT run, trace_id, step_no, phase, context_requests, generation_requests, context_tokens, generation_tokens, ts_ns, dur_ns, launches, first_call_ns,
    graph_ns, gpu_ns, busy_ns, first_ns, last_ns, row_number() OVER (PARTITION BY run, trace_id ORDER BY step_no) AS place FROM serving_step
),
before AS MATERIALIZED (
  SELECT run, trace_id, place, ts_ns, dur_ns, first_ns, first_call_ns, max(ts_ns + dur_ns) OVER earlier AS marked_ns, max(last_ns) OVER earlier AS worked_ns
  FROM step
  WINDOW earlier AS (PARTITION BY run, trace_id ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
),
-- time that annotations cover, up to the latest end of this and earlier ones
mark AS MATERIALIZED (
  SELECT run, trace_id, place, max(coalesce(marked_ns, ts_ns), ts_ns + dur_ns) AS end_ns,
    sum(max(0, ts_ns + dur_ns - max(ts_ns, coalesce(marked_ns, ts_ns)))) OVER (PARTITION BY run, trace_id ORDER BY place ROWS UNBOUNDED PRECEDING) AS length_ns
  FROM before
),
gap AS MATERIALIZED (
  SELECT run, trace_id, place, ts_ns, CASE WHEN first_ns IS NOT NULL THEN worked_ns END AS from_ns, max(first_ns, worked_ns) AS to_ns, min(max(first_call_ns, worked_ns), max(first_ns, worked_ns)) AS call_ns
  FROM before
),
-- moments of a gap: its start, the start of the annotation, of the first launch call, its end
moment AS (
  SELECT gap.run AS run, gap.trace_id AS trace_id, gap.place AS place, number.value AS moment,
    CASE number.value WHEN 1 THEN gap.from_ns WHEN 2 THEN min(max(gap.ts_ns, gap.from_ns), gap.call_ns) WHEN 3 THEN gap.call_ns ELSE gap.to_ns END AS at_ns, NULL AS mark
  FROM gap
  CROSS JOIN (SELECT column1 AS value FROM (VALUES (1), (2), (3), (4))) AS number
  UNION ALL
  SELECT run, trace_id, NULL, 0, ts_ns, place FROM step
),
last_mark AS (
  SELECT run, trace_id, place, moment, at_ns, max(mark) OVER (PARTITION BY run, trace_id ORDER BY at_ns, moment ROWS UNBOUNDED PRECEDING) AS mark
  FROM moment
),
-- time that earlier annotations cover until each moment
cover AS (
  SELECT last_mark.run AS run, last_mark.trace_id AS trace_id, last_mark.place AS place, last_mark.moment AS moment, last_mark.at_ns AS at_ns,
    CASE WHEN last_mark.at_ns IS NOT NULL THEN coalesce(mark.length_ns - max(0, mark.end_ns - last_mark.at_ns), 0) END AS cover_ns
  FROM last_mark
  LEFT JOIN mark ON mark.run = last_mark.run AND mark.trace_id = last_mark.trace_id AND mark.place = min(last_mark.mark, last_mark.place - 1)
  WHERE last_mark.moment > 0
),
part AS MATERIALIZED (
  SELECT run, trace_id, place, sum(at_ns * (CASE moment WHEN 4 THEN 1 WHEN 1 THEN -1 ELSE 0 END)) AS gap_ns,
    sum(cover_ns * (CASE moment WHEN 4 THEN 1 WHEN 1 THEN -1 ELSE 0 END)) AS tail_ns,
    sum((at_ns - cover_ns) * (CASE moment WHEN 3 THEN 1 WHEN 2 THEN -1 ELSE 0 END)) AS prep_ns,
    sum((at_ns - cover_ns) * (CASE moment WHEN 4 THEN 1 WHEN 3 THEN -1 ELSE 0 END)) AS launch_ns
  FROM cover
  GROUP BY run, trace_id, place
)
SELECT
  step.run AS run, -- [text] name of the run
  step.trace_id AS trace_id, -- [integer] id of the trace
  step.step_no AS step_no, -- [integer] number of the step, from 0
  step.phase AS phase, -- [text] phase of the step: prefill_only, decode_only or prefilldecode; NULL without requests
  step.context_requests AS context_requests, -- [integer] number of prefill requests
  step.generation_requests AS generation_requests, -- [integer] number of decode requests
  step.context_tokens AS context_tokens, -- [integer] number of prefill tokens
  step.generation_tokens AS generation_tokens, -- [integer] number of decode tokens
  step.gpu_ns / 1e6 AS gpu_ms, -- (lower) total duration of the step's GPU activities
  step.busy_ns / 1e6 AS busy_ms, -- (lower) GPU busy time of the step
  (step.last_ns - step.first_ns) / 1e6 AS span_ms, -- (lower) time from the first start to the last end of the step's GPU activities
  CASE WHEN step.launches = 0 THEN NULL WHEN step.graph_ns IS NULL THEN 'eager' WHEN step.graph_ns >= 0.9 * step.gpu_ns THEN 'graph' ELSE 'piecewise' END AS mode, -- [text] launch mode: graph (one graph launch has 90 % of the GPU time), eager (no graph launch) or piecewise
  step.launches AS launches, -- [integer] number of runtime calls that launched GPU activities
  part.gap_ns / 1e6 AS gap_ms, -- (lower) time from the last end of GPU activities of earlier steps to the first start of this step's; NULL for the first step
  part.tail_ns / 1e6 AS gap_tail_ms, -- (lower) part of the gap in which an earlier step is open on the host
  (part.gap_ns - part.tail_ns - part.prep_ns - part.launch_ns) / 1e6 AS gap_between_ms, -- (lower) part of the gap between steps: scheduler, output, network
  part.prep_ns / 1e6 AS gap_prep_ms, -- (lower) part of the gap from the step's start on the host to its first launch
  part.launch_ns / 1e6 AS gap_launch_ms -- (lower) part of the gap from the first launch call to the first GPU activity
FROM part
CROSS JOIN step ON step.run = part.run AND step.trace_id = part.trace_id AND step.place = part.place
ORDER BY step.run, step.trace_id, step.step_no;
