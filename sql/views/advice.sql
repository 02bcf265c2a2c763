-- Rules of advice, held against what was found.

-- Every rule for every selected trace, or run, with what it found and what that says.
CREATE VIEW advice_verdict AS
WITH trace AS MATERIALIZED (
  SELECT run, trace_id, works, span_ns, has_launches, has_calls, has_ops, has_ranges, has_optimizer, has_steps, has_blocks, has_shapes
  FROM advice_trace
),
subject AS (
  SELECT rule.rule AS rule, trace.run AS run, trace.trace_id AS trace_id, trace.span_ns AS span_ns,
    CASE WHEN rule.measure IS NOT NULL AND (SELECT tpq_option('advice_depth')) = 'scan' THEN 0
      WHEN rule.needs = 'memory' THEN EXISTS (SELECT 1 FROM memory_event WHERE memory_event.trace_id = trace.trace_id)
      WHEN trace.works = 0 THEN 0
      ELSE CASE rule.needs
        WHEN 'work' THEN 1
        WHEN 'launches' THEN has_launches
        WHEN 'calls' THEN has_calls
        WHEN 'ops' THEN has_ops
        WHEN 'ranges' THEN has_ranges
        WHEN 'optimizer steps' THEN has_optimizer
        WHEN 'steps' THEN has_steps
        WHEN 'blocks' THEN has_blocks
        WHEN 'shapes' THEN has_shapes
        WHEN 'peaks' THEN has_shapes AND EXISTS (SELECT 1 FROM roofline_limits AS limits WHERE limits.run = trace.run AND limits.trace_id = trace.trace_id)
        WHEN 'recompute' THEN EXISTS (SELECT 1 FROM scope WHERE scope.run = trace.run AND scope.trace_id = trace.trace_id AND scope.is_recompute IS NOT NULL)
        ELSE rule.needs IS NULL END
    END AS is_measured
  FROM advice_rule AS rule
  CROSS JOIN trace
  WHERE rule.level = 'trace'
  UNION ALL
  SELECT rule.rule, trace.run, NULL, max(trace.span_ns), CASE WHEN rule.measure IS NOT NULL AND (SELECT tpq_option('advice_depth')) = 'scan' THEN 0 WHEN rule.needs = 'ranks' THEN count(*) > 1 ELSE rule.needs IS NULL END
  FROM advice_rule AS rule
  CROSS JOIN trace
  WHERE rule.level = 'run'
  GROUP BY rule.rule, rule.needs, rule.measure, trace.run
),
fact AS MATERIALIZED (
  SELECT run, trace_id, rule, value, count, time_ns, saving_ns, replay_ns, example_id
  FROM advice_fact
),
found AS (
  SELECT subject.run AS run, subject.trace_id AS trace_id, subject.rule AS rule, subject.span_ns AS span_ns, subject.is_measured AS is_measured,
    rule.position AS position, rule.threshold AS threshold, rule.unit AS unit, rule.needs AS needs, rule.title AS title, rule.action AS action,
    rule.report AS report, rule.doc AS doc, rule.is_symptom AS is_symptom, fact.value AS value, fact.count AS count, fact.time_ns AS time_ns, fact.example_id AS example_id,
    CASE WHEN fact.value IS NULL OR rule.saving_kind = 'none' THEN NULL ELSE coalesce(fact.replay_ns, min(fact.saving_ns, subject.span_ns)) END AS saving_ns,
    CASE WHEN fact.value IS NULL OR rule.saving_kind = 'none' THEN NULL WHEN fact.replay_ns IS NOT NULL THEN 'replay' ELSE rule.saving_kind END AS saving_kind
  FROM subject
  JOIN advice_rule AS rule ON rule.rule = subject.rule
  LEFT JOIN fact ON fact.run = subject.run AND fact.rule = subject.rule AND fact.trace_id IS subject.trace_id
)
SELECT
  run AS run, -- run
  trace_id AS trace_id, -- trace; NULL when it is about the run
  rule AS rule, -- the rule
  CASE WHEN NOT is_measured THEN 'not measured'
    WHEN value IS NULL THEN 'nothing found'
    WHEN value < threshold THEN 'below threshold'
    WHEN saving_ns < span_ns * (SELECT tpq_option('advice_min_percent')) / 100.0 THEN 'saves little'
    ELSE 'fires' END AS verdict, -- fires, saves little (less than the option advice_min_percent), below threshold, nothing found or not measured
  span_ns AS span_ns, -- from the first start to the last end of work; of a run the longest
  is_symptom AS is_symptom, -- 1 when other rules may say why
  position AS position, -- place among rules that save the same
  title AS title, -- what is wrong where it fires
  CASE WHEN is_measured THEN value END AS value, -- what was measured
  unit AS unit, -- what that is
  threshold AS threshold, -- it fires from this value on
  CASE WHEN is_measured THEN count END AS count, -- how many of what it is about
  CASE WHEN is_measured THEN time_ns END AS time_ns, -- time of these
  CASE WHEN is_measured THEN saving_ns END AS saving_ns, -- what may be saved
  CASE WHEN is_measured THEN saving_kind END AS saving_kind, -- replay, upper bound or guess
  CASE WHEN is_measured THEN example_id END AS example_id, -- one of them
  report AS report, -- report that tells more
  action AS action, -- what to do
  doc AS doc, -- what is measured, and when that does not count
  CASE WHEN NOT is_measured THEN coalesce(needs, 'question asked') END AS lacks -- what was not recorded, of rules that are not measured
FROM found;

-- What bounds each selected trace, in a sentence.
CREATE VIEW advice_headline AS
WITH part AS (
  SELECT trace.run AS run, trace.trace_id AS trace_id, trace.span_ns / 1000000.0 AS span_ms, trace.span_ns - trace.busy_ns AS idle_ns, coalesce(exposed.saving_ns, 0) AS exposed_ns,
    trace.busy_ns - coalesce(exposed.saving_ns, 0) AS work_ns
  FROM advice_trace AS trace
  LEFT JOIN advice_measure AS exposed ON exposed.run = trace.run AND exposed.trace_id = trace.trace_id AND exposed.rule = 'exposed-communication'
  WHERE trace.works > 0 AND trace.span_ns > 0
),
share AS (
  SELECT run, trace_id, span_ms, idle_ns / 10000.0 / span_ms AS idle, exposed_ns / 10000.0 / span_ms AS exposed, work_ns / 10000.0 / span_ms AS work
  FROM part
)
SELECT
  run AS run, -- run
  trace_id AS trace_id, -- trace
  CASE WHEN max(idle, exposed, work) < 50 OR max(idle, exposed, work) - (idle + exposed + work - max(idle, exposed, work) - min(idle, exposed, work)) < 15
      THEN 'Bound by nothing alone'
    WHEN idle > max(exposed, work) THEN 'Bound by the host'
    WHEN exposed > work THEN 'Bound by communication'
    ELSE 'Bound by the accelerator' END
    || format(': of %.1f ms', span_ms) || format(' computation and copies take %.1f %%', work)
    || CASE WHEN exposed > 0 THEN format(', communication that nothing hides %.1f %%', exposed) ELSE '' END
    || format(', and for %.1f %% nothing runs.', idle) AS words -- the sentence
FROM share;
