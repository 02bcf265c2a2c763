-- Steps of engines that serve models, and what is prefill and what decode.

-- Every step that an engine has marked in the selected traces, also outside of the selection.
CREATE VIEW inference_step AS
WITH range AS (
  SELECT scope.run AS run, scope.trace_id AS trace_id, signpost.id AS id, signpost.name AS name,
    signpost.track_id AS track_id, signpost.ts_ns AS ts_ns, signpost.dur_ns AS dur_ns
  FROM (SELECT DISTINCT run, trace_id FROM scope) AS scope
  JOIN trace ON trace.id = scope.trace_id
  JOIN signpost ON signpost.id BETWEEN trace.first_event AND trace.last_event
  WHERE signpost.kind = 'range'
),
-- each name is looked at once
known AS MATERIALIZED (
  SELECT seen.name AS name, min(step_pattern.priority) AS priority
  FROM (SELECT DISTINCT name FROM range) AS seen
  CROSS JOIN step_pattern
  WHERE seen.name REGEXP step_pattern.pattern
  GROUP BY seen.name
),
mark AS MATERIALIZED (
  SELECT range.run AS run, range.trace_id AS trace_id, range.id AS id, range.name AS name, range.track_id AS track_id, range.ts_ns AS ts_ns, range.dur_ns AS dur_ns,
    known.priority AS priority
  FROM known
  JOIN range ON range.name = known.name
),
step AS MATERIALIZED (
  SELECT mark.run AS run, mark.trace_id AS trace_id, mark.id AS id, mark.name AS name, mark.track_id AS track_id,
    mark.ts_ns AS ts_ns, mark.dur_ns AS dur_ns, step_pattern.kind AS kind, step_pattern.tier AS tier,
    min(step_pattern.tier) OVER (PARTITION BY mark.run, mark.trace_id) AS first_tier,
    regexp_fields(mark.name, step_pattern.pattern) AS fields
  FROM mark
  JOIN step_pattern ON step_pattern.priority = mark.priority
),
-- what is added up is kept in bounds, whatever a name says
field AS (
  SELECT run, trace_id, id, name, track_id, ts_ns, dur_ns, kind, fields,
    min(CAST(coalesce(arg(fields, 'context_requests'), 0) AS INTEGER), 1000000000000) AS context_requests,
    min(CAST(coalesce(arg(fields, 'generation_requests'), 0) AS INTEGER), 1000000000000) AS generation_requests,
    min(CAST(coalesce(arg(fields, 'c_sq'), 0) AS INTEGER), 1000000000000) AS c_sq,
    CAST(coalesce(arg(fields, 'c_sk'), 0) AS INTEGER) AS c_sk,
    CAST(coalesce(arg(fields, 'c_sqsq'), 0) AS INTEGER) AS c_sqsq,
    CAST(coalesce(arg(fields, 'c_sqsk'), 0) AS INTEGER) AS c_sqsk,
    min(CAST(coalesce(arg(fields, 'g_sq'), 0) AS INTEGER), 1000000000000) AS g_sq,
    CAST(coalesce(arg(fields, 'g_sk'), 0) AS INTEGER) AS g_sk,
    CAST(coalesce(arg(fields, 'g_sqsq'), 0) AS INTEGER) AS g_sqsq,
    CAST(coalesce(arg(fields, 'g_sqsk'), 0) AS INTEGER) AS g_sqsk,
    min(CAST(coalesce(nullif(arg(fields, 'toks'), 0), arg(fields, 'bs'), 0) AS INTEGER), 1000000000000) AS said_size,
    kind = 'sglang_detailed' OR (coalesce(arg(fields, 'c_sqsk'), arg(fields, 'g_sqsk')) IS NOT NULL
      AND coalesce(arg(fields, 'c_sqsq'), arg(fields, 'g_sqsq')) IS NOT NULL) AS has_sqsk
  FROM step
  WHERE tier = first_tier
)
SELECT
  run AS run, -- name of the run
  trace_id AS trace_id, -- id of the trace
  row_number() OVER (PARTITION BY run, trace_id ORDER BY ts_ns, id) - 1 AS step_no, -- number of the step in the trace, from 0
  id AS id, -- id of the event that marks it
  name AS name, -- name of the mark
  kind AS kind, -- engine of the mark, by step_pattern
  CASE WHEN context_requests > 0 AND generation_requests > 0 THEN 'prefilldecode'
    WHEN context_requests > 0 THEN 'prefill_only' WHEN generation_requests > 0 THEN 'decode_only' END AS phase, -- prefill_only, decode_only, prefilldecode, or NULL without requests
  coalesce(nullif(c_sq + g_sq, 0), nullif(said_size, 0), nullif(context_requests + generation_requests, 0), 1) AS batch_size, -- tokens, or what the mark calls its batch
  context_requests + generation_requests AS num_requests, -- number of requests
  context_requests AS context_requests, -- requests in prefill
  generation_requests AS generation_requests, -- requests in decode
  c_sq AS c_sq, -- prefill: sum of query tokens
  c_sk AS c_sk, -- prefill: sum of key tokens
  c_sqsq AS c_sqsq, -- prefill: sum of squared query tokens
  c_sqsk AS c_sqsk, -- prefill: sum of query times key tokens
  g_sq AS g_sq, -- decode: sum of query tokens
  g_sk AS g_sk, -- decode: sum of key tokens
  g_sqsq AS g_sqsq, -- decode: sum of squared query tokens
  g_sqsk AS g_sqsk, -- decode: sum of query times key tokens
  has_sqsk AS has_sqsk, -- [boolean] whether the mark gives the last two sums of either
  arg(fields, 'resolution') AS resolution, -- width and height of a diffusion pipeline
  fields AS fields, -- all fields of the mark, JSON
  ts_ns AS ts_ns, -- start, from the start of the trace
  dur_ns AS dur_ns, -- duration of the step
  track_id AS track_id -- thread of the step
FROM field;

-- The steps of each trace, for interval_at.
CREATE VIEW inference_step_list AS
SELECT
  run AS run, -- name of the run
  trace_id AS trace_id, -- id of the trace
  count(*) AS steps, -- number of steps
  interval_list(id, ts_ns, dur_ns) AS list -- a number for the ids of the marks by time
FROM inference_step
GROUP BY run, trace_id;

-- Answers of the method of --phase-detection-method (hybrid) about everything that launched work: a row
-- for what calls have in common that get the same answer.
-- work: a row for what calls have in common that get the same answer.
CREATE VIEW phase_answer AS
WITH asked AS MATERIALIZED (
  SELECT tpq_option('phase-detection-method') AS method,
    CAST(tpq_option('decode-threshold') AS INTEGER) AS threshold,
    tpq_like_reference('phases: size of a matrix product') AS by_inputs,
    CASE WHEN tpq_like_reference('phases:') THEN 'compat' ELSE 'fixed' END AS profile,
    tpq_option('phase-strict') IS NOT NULL AND NOT tpq_like_reference('phases: --phase-strict') AS strict
),
rule AS MATERIALIZED (
  SELECT signal.place AS place, signal.weight AS weight, said.signal AS signal, said.stage AS stage, said.phase AS phase,
    said.subject AS subject, said.test AS test, said.pattern AS pattern, row_number() OVER () AS number
  FROM asked
  CROSS JOIN phase_rule AS said
  LEFT JOIN phase_signal AS signal ON signal.method = asked.method AND signal.signal = said.signal
    AND (signal.profile = 'both' OR signal.profile = asked.profile)
  WHERE (signal.method IS NOT NULL OR said.signal = 'not_asked')
  AND (said.profile = 'both' OR said.profile = asked.profile
    OR said.profile = CASE WHEN asked.strict THEN 'strict' ELSE 'lenient' END)
),
signature AS MATERIALIZED (
  SELECT run, trace_id, name_id, op_id, kernel_names AS names_id, count(*) AS calls,
    lower(kernel_names(value_at_least(kernels, position))) AS kernels
  FROM launcher_work
  WHERE trace_id IN (SELECT trace_id FROM trace_with_ops)
  GROUP BY run, trace_id, name_id, op_id, kernel_names
),
-- a replayed graph has kernels of all kinds: each by itself
replayed AS (
  SELECT DISTINCT scope.run AS run, scope.trace_id AS trace_id, linked_work.name_id AS name_id
  FROM scope
  CROSS JOIN linked_work ON linked_work.id BETWEEN scope.first_event AND scope.last_event
  WHERE (SELECT method FROM asked) IN ('union', 'kernel_names')
  AND linked_work.launcher_name_id IN (SELECT id FROM graph_call)
),
size AS MATERIALIZED (
  SELECT used.op_id AS op_id,
    nullif(CASE WHEN asked.by_inputs THEN CAST(regexp_substr(dims.text, '^\[\[(\d+)[^][]*\],', 1) AS INTEGER)
      WHEN metric.category = 'GEMM' THEN arg(metric.params, 'M') * coalesce(arg(metric.params, 'B'), 1) END, 0) AS rows,
    CAST(coalesce(arg(metric.params, 'N_Q'), regexp_substr(dims.text, '^\[\[\d+,(\d+),\d+\]', 1),
      regexp_substr(dims.text, '^\[\[\d+,\d+,(\d+),\d+\]', 1)) AS INTEGER) AS queries
  FROM asked
  CROSS JOIN (SELECT DISTINCT op_id FROM signature) AS used
  JOIN op ON op.id = used.op_id
  LEFT JOIN string AS dims ON dims.id = op.dims_id
  LEFT JOIN op_metric AS metric ON metric.op_id = used.op_id AND NOT asked.by_inputs
  WHERE EXISTS (SELECT 1 FROM rule WHERE rule.subject = 'size')
),
subject AS MATERIALIZED (
  SELECT row_number() OVER () AS number, signature.run AS run, signature.trace_id AS trace_id, 0 AS is_kernel,
    signature.name_id AS name_id, signature.names_id AS names_id, size.rows AS rows, size.queries AS queries, name.text AS name,
    lower(name.text) || ' ' || min(signature.kernels) AS text,
    EXISTS (SELECT 1 FROM rule WHERE rule.signal = 'not_asked' AND name.text REGEXP rule.pattern) AS is_left_out
  FROM signature
  JOIN string AS name ON name.id = signature.name_id
  LEFT JOIN size ON size.op_id = signature.op_id
  GROUP BY signature.run, signature.trace_id, signature.name_id, signature.names_id, name.text, size.rows, size.queries
  UNION ALL
  SELECT -row_number() OVER (), replayed.run, replayed.trace_id, 1, 0, replayed.name_id, NULL, NULL, '', ' ' || lower(string.text), 0
  FROM replayed
  JOIN string ON string.id = replayed.name_id
),
frequency AS MATERIALIZED (
  SELECT run, trace_id, name_id, sum(calls) AS calls
  FROM signature
  WHERE NOT (SELECT strict FROM asked)
  OR (run, trace_id) IN (SELECT run, trace_id FROM inference_step_list WHERE steps >= 2)
  GROUP BY run, trace_id, name_id
),
bound AS MATERIALIZED (
  SELECT frequency.run AS run, frequency.trace_id AS trace_id, rule.number AS number,
    percentile(frequency.calls, CAST(rule.pattern AS REAL) * 100) AS calls
  FROM rule
  CROSS JOIN frequency
  WHERE rule.subject = 'count' AND rule.test <> 'any'
  GROUP BY frequency.run, frequency.trace_id, rule.number
),
fits AS (
  SELECT subject.number AS subject, rule.place AS place, rule.weight AS weight, rule.stage AS stage, rule.phase AS phase,
    rule.number AS rule
  FROM rule
  CROSS JOIN asked
  CROSS JOIN subject
  WHERE rule.subject <> 'count' AND rule.place IS NOT NULL AND NOT subject.is_left_out
  AND CASE rule.test
    WHEN 'word' THEN instr(CASE rule.subject WHEN 'name' THEN lower(subject.name) ELSE subject.text END, rule.pattern) > 0
    WHEN 'regex' THEN CASE rule.subject WHEN 'name' THEN subject.name ELSE subject.text END REGEXP rule.pattern
    WHEN 'mean is 1' THEN regexp_mean(subject.text, rule.pattern) = 1
    WHEN 'mean above' THEN regexp_mean(subject.text, rule.pattern) > 10
    WHEN 'above' THEN CASE rule.pattern WHEN 'queries' THEN subject.queries > 10 ELSE subject.rows > asked.threshold END
    WHEN 'within' THEN CASE rule.pattern WHEN 'queries' THEN subject.queries <= 10 ELSE subject.rows <= asked.threshold END
  END
  UNION ALL
  SELECT subject.number, rule.place, rule.weight, rule.stage, rule.phase, rule.number
  FROM rule
  CROSS JOIN frequency
  JOIN subject ON subject.run = frequency.run AND subject.trace_id = frequency.trace_id AND subject.name_id = frequency.name_id
  LEFT JOIN bound ON bound.run = frequency.run AND bound.trace_id = frequency.trace_id AND bound.number = rule.number
  WHERE rule.subject = 'count' AND NOT subject.is_left_out
  AND CASE rule.test WHEN 'above' THEN frequency.calls > bound.calls WHEN 'within' THEN frequency.calls < bound.calls ELSE 1 END
),
staged AS (
  SELECT subject, place, weight, CASE WHEN min(phase) = max(phase) THEN min(phase) ELSE 'Mixed' END AS phase, min(rule) AS rule,
    row_number() OVER (PARTITION BY subject, place ORDER BY stage) AS turn
  FROM fits
  GROUP BY subject, place, weight, stage
),
answer AS (
  SELECT staged.subject AS subject, staged.place AS place, staged.weight AS weight, staged.phase AS phase,
    rule.signal || ': ' || CASE rule.subject WHEN 'size' THEN 'rows ' WHEN 'count' THEN 'calls ' ELSE rule.subject || ' ' END
    || CASE rule.test WHEN 'word' THEN 'has ' || rule.pattern WHEN 'regex' THEN 'matches ' || rule.pattern
      WHEN 'above' THEN 'above ' || CASE rule.subject WHEN 'count' THEN 'quantile ' || rule.pattern ELSE 'the threshold' END
      WHEN 'within' THEN CASE rule.subject WHEN 'count' THEN 'below quantile ' || rule.pattern ELSE 'within the threshold' END
      WHEN 'any' THEN 'in between' ELSE 'has numbers whose ' || rule.test || CASE rule.test WHEN 'mean above' THEN ' 10' ELSE '' END || ': ' || rule.pattern END
    || ' -> ' || staged.phase || coalesce(' ' || staged.weight, '') AS words
  FROM staged
  JOIN rule ON rule.number = staged.rule
  WHERE staged.turn = 1
),
votes AS MATERIALIZED (
  SELECT subject, coalesce(sum(weight) FILTER (WHERE phase = 'Prefill'), 0) AS prefill,
    coalesce(sum(weight) FILTER (WHERE phase = 'Decode'), 0) AS decode,
    value_at_least(phase, place) FILTER (WHERE weight IS NULL AND phase <> 'Mixed') AS otherwise,
    value_at_least(words, place) FILTER (WHERE weight IS NULL AND phase <> 'Mixed') AS first_words,
    group_concat(words, '; ') AS words
  FROM answer
  GROUP BY subject
)
SELECT
  subject.run AS run, -- name of the run
  subject.trace_id AS trace_id, -- id of the trace
  subject.is_kernel AS is_kernel, -- 1 for the kernels of a replayed graph, each by itself
  subject.name_id AS name_id, -- name of the op; 0 for such a kernel
  coalesce(signature.op_id, 0) AS op_id, -- call signature; 0 for none
  subject.names_id AS names_id, -- launcher_work.kernel_names; or the name of such a kernel
  CASE WHEN votes.prefill + votes.decode < 2 THEN NULL WHEN votes.prefill > votes.decode THEN 'Prefill'
    WHEN votes.prefill < votes.decode THEN 'Decode' END AS voted, -- phase by the votes; NULL = a tie, or fewer than two votes
  votes.otherwise AS otherwise, -- phase where the votes decide nothing
  coalesce(votes.prefill, 0) AS votes_prefill, -- votes for prefill
  coalesce(votes.decode, 0) AS votes_decode, -- votes for decode
  votes.words AS evidence, -- rules that fit, of each signal the first
  votes.first_words AS first_evidence -- rule behind the phase where the votes decide nothing
FROM subject
LEFT JOIN signature ON NOT subject.is_kernel AND signature.run = subject.run AND signature.trace_id = subject.trace_id
  AND signature.name_id = subject.name_id AND signature.names_id = subject.names_id
LEFT JOIN size ON size.op_id = signature.op_id
LEFT JOIN votes ON votes.subject = subject.number
WHERE subject.is_kernel OR (size.rows IS subject.rows AND size.queries IS subject.queries);

-- The phase of every op that launched work, after the method of --phase-detection-method
-- (hybrid), with the rule that decided.
CREATE VIEW launcher_phase AS
WITH asked AS MATERIALIZED (
  SELECT tpq_option('phase-detection-method') AS method,
    tpq_option('phase-strict') IS NOT NULL AND NOT tpq_like_reference('phases: --phase-strict') AND tpq_option('phase-detection-method') = 'union' AS by_neighbour,
    EXISTS (SELECT 1 FROM phase_signal WHERE signal = 'annotation' AND method = tpq_option('phase-detection-method')
      AND (profile = 'both' OR profile = CASE WHEN NOT tpq_like_reference('phases:') THEN 'fixed' ELSE 'compat' END)) AS by_step
),
step AS MATERIALIZED (
  SELECT id, step_no, name, marked, CASE WHEN asked.by_step THEN marked END AS phase
  FROM (SELECT id, step_no, name, CASE phase WHEN 'prefill_only' THEN 'Prefill' WHEN 'decode_only' THEN 'Decode' END AS marked FROM inference_step)
  CROSS JOIN asked
),
steps AS MATERIALIZED (SELECT trace_id, list FROM inference_step_list),
answer AS MATERIALIZED (
  SELECT trace_id, name_id, op_id, names_id, voted, otherwise, votes_prefill, votes_decode, evidence, first_evidence,
    max(votes_prefill, votes_decode) * 1.0 / nullif(votes_prefill + votes_decode, 0) AS confidence
  FROM phase_answer
  WHERE NOT is_kernel
),
-- the call before each one, as far as votes are sure of it
neighbour AS MATERIALIZED (
  SELECT work.launcher_id AS launcher_id,
    lag(CASE WHEN answer.confidence > 0.5 THEN answer.voted END) OVER in_time AS phase, lag(work.name_id) OVER in_time AS name_id
  FROM asked
  CROSS JOIN launcher_work AS work
  LEFT JOIN answer ON answer.trace_id = work.trace_id AND answer.name_id = work.name_id
    AND answer.op_id = coalesce(work.op_id, 0) AND answer.names_id = work.kernel_names
  WHERE asked.by_neighbour
  WINDOW in_time AS (PARTITION BY work.run, work.trace_id ORDER BY work.position)
),
alike AS MATERIALIZED (
  SELECT neighbour.launcher_id AS launcher_id, neighbour.phase AS phase, before.text AS name
  FROM neighbour
  JOIN event ON event.id = neighbour.launcher_id
  JOIN string AS name ON name.id = event.name_id
  JOIN string AS before ON before.id = neighbour.name_id
  WHERE substr(lower(name.text), 1, 20) = substr(lower(before.text), 1, 20)
  OR EXISTS (SELECT 1 FROM phase_rule WHERE signal = 'neighbour' AND instr(lower(name.text), pattern) AND instr(lower(before.text), pattern))
)
SELECT
  work.run AS run, -- name of the run
  work.trace_id AS trace_id, -- id of the trace
  work.launcher_id AS launcher_id, -- id of the op, or of the runtime call where there is none
  work.position AS position, -- place of the launcher among the launchers of the trace
  work.name_id AS name_id, -- id of the name of the launcher
  name.text AS name, -- name of the launcher
  work.category AS category, -- category of the launcher
  work.direct_ns AS direct_ns, -- GPU busy time that the launcher launched
  work.kernel_count AS kernel_count, -- number of GPU activities that the launcher launched
  work.kernels AS kernels, -- GPU activities that the launcher launched, for kernel_names and kernel_classes
  step.step_no AS step_no, -- number of the step that the launcher started in (inference_step)
  asked.method AS method, -- method that was asked
  coalesce(step.phase, answer.voted, alike.phase, answer.otherwise, 'Mixed') AS phase, -- Prefill, Decode, or Mixed: cannot be told
  CASE WHEN step.phase IS NOT NULL THEN 1.0 WHEN answer.voted IS NOT NULL THEN answer.confidence
    WHEN alike.phase IS NOT NULL THEN 0.3 WHEN asked.method = 'union' AND answer.otherwise IS NOT NULL THEN 0.2 END AS confidence, -- confidence of the method, from 0 to 1, where it states one
  answer.votes_prefill AS votes_prefill, -- votes for prefill
  answer.votes_decode AS votes_decode, -- votes for decode
  CASE WHEN step.phase IS NOT NULL THEN 'annotation: ' || step.name || ' -> ' || step.phase WHEN answer.voted IS NOT NULL THEN answer.evidence
    WHEN alike.phase IS NOT NULL THEN 'neighbour: ' || alike.name || ' -> ' || alike.phase ELSE coalesce(answer.first_evidence, answer.evidence) END AS evidence, -- rules that decided the phase
  CASE WHEN step.phase IS NULL AND step.marked <> coalesce(answer.voted, alike.phase, answer.otherwise) THEN 'annotation: ' || step.name || ' -> ' || step.marked
    WHEN step.phase <> coalesce(answer.voted, answer.otherwise) THEN iif(answer.voted IS NULL, answer.first_evidence, answer.evidence) END AS disagreement -- rules for another phase: the annotation of the step, or the rule that decides without it
FROM launcher_work AS work
CROSS JOIN asked
JOIN string AS name ON name.id = work.name_id
LEFT JOIN answer ON answer.trace_id = work.trace_id AND answer.name_id = work.name_id
  AND answer.op_id = coalesce(work.op_id, 0) AND answer.names_id = work.kernel_names
LEFT JOIN steps ON steps.trace_id = work.trace_id
LEFT JOIN step ON step.id = interval_at(steps.list, work.ts_ns)
LEFT JOIN alike ON alike.launcher_id = work.launcher_id;

-- Requests of served models: from --request-log, else as stored with the traces.
CREATE VIEW known_request AS
WITH RECURSIVE given AS (
  SELECT 0 AS number, tpq_option('requests 0') AS list
  UNION ALL
  SELECT number + 1, tpq_option('requests ' || (number + 1)) FROM given WHERE list IS NOT NULL
)
SELECT
  chosen.run AS run, -- name of the run
  chosen.trace_id AS trace_id, -- id of the trace
  1000 * given.number + listed.key AS number, -- number of the request in its log, from 0
  arg(listed.value, 'r') AS request_id, -- id of the request
  CAST(arg(listed.value, 'a') AS INTEGER) AS arrival_ns, -- arrival, since 1970
  CAST(arg(listed.value, 'f') AS INTEGER) AS first_token_ns, -- first token, since 1970
  CAST(arg(listed.value, 'e') AS INTEGER) AS end_ns, -- end, since 1970
  CAST(arg(listed.value, 'p') AS INTEGER) AS prompt_tokens, -- tokens of the prompt
  CAST(arg(listed.value, 'o') AS INTEGER) AS output_tokens -- generated tokens
FROM given
CROSS JOIN (SELECT DISTINCT run, trace_id FROM scope) AS chosen
CROSS JOIN json_each(given.list) AS listed
UNION ALL
SELECT chosen.run, chosen.trace_id, stored.number, stored.request_id, stored.arrival_ns, stored.first_token_ns, stored.end_ns, stored.prompt_tokens, stored.output_tokens
FROM (SELECT DISTINCT run, trace_id FROM scope) AS chosen
JOIN served_request AS stored ON stored.trace_id = chosen.trace_id
WHERE tpq_option('requests') IS NULL;

-- All GPU activities of traces with engine steps: the step that launched each, and its group of
-- ops by kernel_category (serving).
CREATE VIEW serving_activity AS
WITH step AS MATERIALIZED (SELECT trace_id, id, track_id, ts_ns, dur_ns FROM inference_step),
mark AS MATERIALIZED (
  SELECT signpost.trace_id AS trace_id, signpost.id AS id, signpost.track_id AS track_id, signpost.name AS name, signpost.ts_ns AS ts_ns, signpost.dur_ns AS dur_ns
  FROM (SELECT DISTINCT trace_id FROM step) AS chosen
  CROSS JOIN trace ON trace.id = chosen.trace_id
  CROSS JOIN signpost ON signpost.id BETWEEN trace.first_event AND trace.last_event
  WHERE +signpost.kind = 'range' -- by id, not by an index of all traces
),
range_name AS MATERIALIZED (
  SELECT name FROM (SELECT DISTINCT name FROM mark) WHERE EXISTS (SELECT 1 FROM kernel_category WHERE purpose = 'serving range' AND name REGEXP pattern)
),
marks AS (
  SELECT trace_id, track_id, 1 AS is_step, interval_list(id, ts_ns, dur_ns) AS list FROM step GROUP BY trace_id, track_id
  UNION ALL
  SELECT trace_id, track_id, 0, interval_list(id, ts_ns, dur_ns) FROM mark WHERE name IN (SELECT name FROM range_name) GROUP BY trace_id, track_id
),
-- marks have tracks of their own beside those of the calls of their thread
lists AS MATERIALIZED (
  SELECT thread.id AS track_id, max(marks.list) FILTER (WHERE marks.is_step) AS steps, max(marks.list) FILTER (WHERE NOT marks.is_step) AS ranges
  FROM marks
  JOIN track ON track.id = marks.track_id
  JOIN track AS thread ON thread.trace_id = track.trace_id AND thread.process IS track.process AND thread.thread IS track.thread
  GROUP BY thread.id
),
work AS MATERIALIZED (
  SELECT scope.run AS run, scope.trace_id AS trace_id, linked_work.id AS id, linked_work.category_id AS category_id, linked_work.name_id AS name_id,
    op.name_id AS op_name_id, linked_work.ts_ns AS ts_ns, linked_work.dur_ns AS dur_ns, call.id AS call_id, call.name_id AS call_name_id,
    call.ts_ns AS call_ts_ns, CAST(interval_at(lists.steps, call.ts_ns) AS INTEGER) AS step_id, interval_at(lists.ranges, call.ts_ns) AS range_id
  FROM scope
  CROSS JOIN linked_work ON linked_work.id BETWEEN scope.first_event AND scope.last_event
  LEFT JOIN event AS call ON call.id = linked_work.call_id
  LEFT JOIN event AS op ON op.id = linked_work.cpu_op_id
  LEFT JOIN lists ON lists.track_id = call.track_id
  WHERE scope.trace_id IN (SELECT trace_id FROM step)
),
pair AS MATERIALIZED (
  SELECT named.category_id AS category_id, named.name_id AS name_id, named.op_name_id AS op_name_id,
    kernel_class('timeline', named.category_id, named.name_id) = 'communication' AS is_communication,
    (SELECT category FROM kernel_category WHERE purpose = 'serving' AND lower(kernel.text || ' ' || coalesce(op.text, '')) REGEXP pattern ORDER BY priority LIMIT 1) AS op_group
  FROM (SELECT DISTINCT category_id, name_id, coalesce(op_name_id, 0) AS op_name_id FROM work) AS named
  JOIN string AS kernel ON kernel.id = named.name_id
  LEFT JOIN string AS op ON op.id = named.op_name_id
)
SELECT
  work.run AS run, -- name of the run
  work.trace_id AS trace_id, -- id of the trace
  work.id AS id, -- id of the GPU activity
  work.ts_ns AS ts_ns, -- start of the GPU activity, from the start of the trace
  work.dur_ns AS dur_ns, -- duration of the GPU activity
  work.call_id AS call_id, -- id of the launching runtime call
  work.call_name_id AS call_name_id, -- name of the launching runtime call
  work.call_ts_ns AS call_ts_ns, -- start of the launching runtime call
  work.step_id AS step_id, -- id of the mark of the step open on the thread at the start of the launching call; NULL outside of steps
  CASE WHEN pair.is_communication THEN 'communication' WHEN work.range_id IS NOT NULL THEN 'sampling' ELSE coalesce(pair.op_group, 'other') END AS op_group -- group of the kernel and its op: communication, sampling, kv_cache, moe, attention, gemm, norm, memory or other
FROM work
JOIN pair ON pair.category_id = work.category_id AND pair.name_id = work.name_id AND pair.op_name_id = coalesce(work.op_name_id, 0);

-- Selected engine steps with what they launched.
CREATE VIEW serving_step AS
WITH activity AS MATERIALIZED (
  SELECT step_id, call_id, call_name_id, call_ts_ns, ts_ns, dur_ns FROM serving_activity WHERE step_id IS NOT NULL
),
call AS (
  SELECT step_id, call_id, EXISTS (SELECT 1 FROM graph_call WHERE graph_call.id = call_name_id) AS is_graph, min(call_ts_ns) AS call_ts_ns, sum(dur_ns) AS dur_ns
  FROM activity
  GROUP BY step_id, call_id, call_name_id
),
calls AS MATERIALIZED (
  SELECT step_id, count(*) AS launches, min(call_ts_ns) AS first_call_ns, value_at_least(call_id, call_ts_ns) AS first_call_id, max(dur_ns) FILTER (WHERE is_graph) AS graph_ns
  FROM call
  GROUP BY step_id
),
work AS MATERIALIZED (
  SELECT step_id, sum(dur_ns) AS gpu_ns, interval_union_ns(ts_ns, dur_ns) AS busy_ns, min(ts_ns) AS first_ns, max(ts_ns + dur_ns) AS last_ns
  FROM activity
  GROUP BY step_id
)
SELECT
  step.run AS run, -- name of the run
  step.trace_id AS trace_id, -- id of the trace
  step.step_no AS step_no, -- number of the step in the trace, from 0
  step.id AS id, -- id of the event that marks it
  step.phase AS phase, -- prefill_only, decode_only, prefilldecode, or NULL without requests
  step.batch_size AS batch_size, -- tokens, or what the mark calls its batch
  step.context_requests AS context_requests, -- requests in prefill
  step.generation_requests AS generation_requests, -- requests in decode
  step.c_sq AS context_tokens, -- tokens in prefill
  step.g_sq AS generation_tokens, -- tokens in decode
  step.ts_ns AS ts_ns, -- start of the mark, from the start of the trace
  step.dur_ns AS dur_ns, -- duration of the mark
  lead(step.ts_ns) OVER (PARTITION BY step.run, step.trace_id ORDER BY step.step_no) - step.ts_ns AS iteration_ns, -- time to the start of the next step; NULL for the last one
  coalesce(calls.launches, 0) AS launches, -- number of calls that launched GPU activities
  calls.first_call_ns AS first_call_ns, -- start of the first of these calls
  calls.first_call_id AS first_call_id, -- id of the first of these calls
  calls.graph_ns AS graph_ns, -- largest GPU time of a graph launch; NULL without one
  coalesce(work.gpu_ns, 0) AS gpu_ns, -- total duration of the GPU activities
  coalesce(work.busy_ns, 0) AS busy_ns, -- GPU busy time
  work.first_ns AS first_ns, -- first start of a GPU activity
  work.last_ns AS last_ns -- last end of a GPU activity
FROM inference_step AS step
LEFT JOIN calls ON calls.step_id = step.id
LEFT JOIN work ON work.step_id = step.id
WHERE EXISTS (SELECT 1 FROM scope WHERE scope.trace_id = step.trace_id AND step.id BETWEEN scope.first_event AND scope.last_event);

-- Pace of the selected engine steps of each trace. A decode step counts once for each of its requests, with
-- the time to the start of the next decode step.
CREATE VIEW serving_pace AS
WITH step AS MATERIALIZED (
  SELECT run, trace_id, step_no, ts_ns, context_requests, generation_requests AS requests, c_sq,
    sum(context_requests) OVER (PARTITION BY run, trace_id ORDER BY step_no ROWS UNBOUNDED PRECEDING) AS prefills,
    lead(ts_ns) OVER (PARTITION BY run, trace_id ORDER BY step_no) AS next_ns
  FROM inference_step AS step
  WHERE EXISTS (SELECT 1 FROM scope WHERE scope.trace_id = step.trace_id AND step.id BETWEEN scope.first_event AND scope.last_event)
),
decode AS (
  SELECT run, trace_id, requests, lead(ts_ns) OVER in_order - ts_ns AS value_ns, next_ns = lead(ts_ns) OVER in_order
    OR lead(requests) OVER in_order > lead(prefills - context_requests) OVER in_order - prefills AS may_wait
  FROM step
  WHERE requests > 0
  WINDOW in_order AS (PARTITION BY run, trace_id ORDER BY step_no)
),
-- numbers of the tokens by their intervals, from 0
token AS (
  SELECT run, trace_id, requests, value_ns, sum(requests) OVER (PARTITION BY run, trace_id ORDER BY value_ns ROWS UNBOUNDED PRECEDING) AS until,
    sum(requests) OVER (PARTITION BY run, trace_id) - 1 AS last
  FROM decode
  WHERE may_wait
),
intervals AS (
  SELECT run, trace_id, last + 1 AS count, sum(requests * 1.0 * value_ns) / (last + 1) AS mean_ns, max(value_ns) AS max_ns,
    min(value_ns) FILTER (WHERE until > last * 50 / 100) AS low_50, min(value_ns) FILTER (WHERE until > (last * 50 + 99) / 100) AS high_50,
    min(value_ns) FILTER (WHERE until > last * 90 / 100) AS low_90, min(value_ns) FILTER (WHERE until > (last * 90 + 99) / 100) AS high_90,
    min(value_ns) FILTER (WHERE until > last * 99 / 100) AS low_99, min(value_ns) FILTER (WHERE until > (last * 99 + 99) / 100) AS high_99
  FROM token
  GROUP BY run, trace_id, last
),
window AS (
  SELECT run, trace_id, count(*) AS steps, max(ts_ns) - min(ts_ns) AS window_ns, nullif(sum(requests) FILTER (WHERE next_ns IS NOT NULL), 0) AS decode_tokens,
    CASE WHEN min(context_requests = 0 OR c_sq > 0) THEN sum(c_sq) FILTER (WHERE next_ns IS NOT NULL) END AS context_tokens
  FROM step
  GROUP BY run, trace_id
)
SELECT
  window.run AS run, -- name of the run
  window.trace_id AS trace_id, -- id of the trace
  window.steps AS steps, -- number of selected steps
  window.window_ns AS window_ns, -- from the start of the first step to the start of the last
  window.decode_tokens AS decode_tokens, -- decode requests of all steps but the last: a token each; NULL for none
  window.context_tokens AS context_tokens, -- prefill tokens of all steps but the last; NULL where a mark does not say them
  intervals.count AS count, -- number of tokens with an interval; NULL without one
  intervals.mean_ns AS mean_ns, -- mean inter-token latency
  intervals.low_50 + (high_50 - low_50) * ((count - 1) * 50 % 100) / 100.0 AS p50_ns, -- median inter-token latency
  intervals.low_90 + (high_90 - low_90) * ((count - 1) * 90 % 100) / 100.0 AS p90_ns, -- 90th percentile
  intervals.low_99 + (high_99 - low_99) * ((count - 1) * 99 % 100) / 100.0 AS p99_ns, -- 99th percentile
  intervals.max_ns AS max_ns -- longest inter-token latency
FROM window
LEFT JOIN intervals ON intervals.run = window.run AND intervals.trace_id = window.trace_id;
