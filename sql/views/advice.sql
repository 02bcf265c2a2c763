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
        WHEN 'ops or ranges' THEN has_ops OR has_ranges
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
  SELECT run, trace_id, rule, value, count, time_ns, saving_ns, replay_ns, example_id, cause_name_id, cause_is_work, cause_count, cause_ns
  FROM advice_fact
),
found AS (
  SELECT subject.run AS run, subject.trace_id AS trace_id, subject.rule AS rule, subject.span_ns AS span_ns, subject.is_measured AS is_measured,
    rule.position AS position, rule.threshold AS threshold, rule.unit AS unit, rule.needs AS needs, rule.title AS title, rule.action AS action,
    rule.report AS report, rule.doc AS doc, rule.is_symptom AS is_symptom, fact.value AS value, fact.count AS count, fact.time_ns AS time_ns, fact.example_id AS example_id,
    CASE WHEN fact.cause_ns * 10 >= fact.time_ns THEN CASE WHEN fact.cause_ns * 2 >= fact.time_ns THEN 'Most of it: ' ELSE 'Largest part: ' END || format('%s, %s%.1f ms', CASE WHEN fact.cause_is_work THEN kernel_short_name(cause.text) ELSE substr(cause.text, 1, 60) END, CASE WHEN fact.cause_count > 1 THEN format('%,d times, ', fact.cause_count) ELSE '' END, fact.cause_ns / 1000000.0) END AS cause,
    CASE WHEN rule.saving_kind = 'none' THEN fact.saving_ns END AS weight_ns,
    CASE WHEN fact.value IS NULL OR rule.saving_kind = 'none' THEN NULL ELSE coalesce(fact.replay_ns, min(fact.saving_ns, subject.span_ns)) END AS saving_ns,
    CASE WHEN fact.value IS NULL OR rule.saving_kind = 'none' THEN NULL WHEN fact.replay_ns IS NOT NULL THEN 'replay' ELSE rule.saving_kind END AS saving_kind
  FROM subject
  JOIN advice_rule AS rule ON rule.rule = subject.rule
  LEFT JOIN fact ON fact.run = subject.run AND fact.rule = subject.rule AND fact.trace_id IS subject.trace_id
  LEFT JOIN string AS cause ON cause.id = fact.cause_name_id
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
  coalesce(saving_ns, weight_ns) AS weight_ns, -- what findings go by: the saving, or of what saves nothing its time
  position AS position, -- place among rules that save the same
  title AS title, -- what is wrong where it fires
  CASE WHEN is_measured THEN value END AS value, -- what was measured
  unit AS unit, -- what that is
  threshold AS threshold, -- it fires from this value on
  CASE WHEN is_measured THEN count END AS count, -- how many of what it is about
  CASE WHEN is_measured THEN time_ns END AS time_ns, -- time of these
  CASE WHEN is_measured THEN saving_ns END AS saving_ns, -- what may be saved
  CASE WHEN is_measured THEN saving_kind END AS saving_kind, -- replay, upper bound or guess
  CASE WHEN is_measured THEN cause END AS cause, -- the name that most of that time went to
  CASE WHEN is_measured THEN example_id END AS example_id, -- one of them
  report AS report, -- report that tells more
  action AS action, -- what to do
  doc AS doc, -- what is measured, and when that does not count
  CASE WHEN NOT is_measured THEN coalesce(needs, 'question asked') END AS lacks -- what was not recorded, of rules that are not measured
FROM found;

-- What bounds each selected trace, in a sentence.
CREATE VIEW advice_headline AS
WITH part AS (
  SELECT trace.run AS run, trace.trace_id AS trace_id, trace.span_ns / 1000000.0 AS span_ms, trace.busy_ns * 100.0 / nullif(trace.span_ns, 0) AS busy, trace.top AS top,
    coalesce(max(fact.saving_ns) FILTER (WHERE fact.rule = 'exposed-communication'), 0) * 100.0 / nullif(trace.span_ns, 0) AS communication,
    coalesce(max(fact.saving_ns) FILTER (WHERE fact.rule = 'exposed-copies'), 0) * 100.0 / nullif(trace.span_ns, 0) AS copies,
    coalesce(max(fact.saving_ns) FILTER (WHERE fact.rule = 'start-up'), 0) * 100.0 / nullif(trace.span_ns, 0) AS start_up,
    max(CASE WHEN fact.rule = 'low-utilisation' AND fact.value >= 20 AND fact.cause_ns * 2 >= fact.time_ns
      THEN format('%s %.1f of %.1f ms', substr(cause.text, 1, 60), fact.cause_ns / 1000000.0, fact.time_ns / 1000000.0) END) AS idle_cause
  FROM advice_trace AS trace
  LEFT JOIN advice_measure AS fact ON fact.run = trace.run AND fact.trace_id = trace.trace_id AND fact.rule IN ('exposed-communication', 'exposed-copies', 'start-up', 'low-utilisation')
  LEFT JOIN string AS cause ON cause.id = fact.cause_name_id
  GROUP BY trace.run, trace.trace_id
),
share AS (
  SELECT run, trace_id, CAST(round(span_ms * 10) AS INTEGER) AS tenths, busy, top, communication, copies, start_up, idle_cause, 100 - busy AS idle, busy - communication - copies AS work, max(100 - busy, communication, copies, busy - communication - copies) AS most
  FROM part
)
SELECT
  run AS run, -- run
  trace_id AS trace_id, -- trace
  CASE WHEN busy IS NULL THEN 'No GPU activity was recorded: this trace tells of the host alone.'
  ELSE
    CASE WHEN start_up >= 50 THEN 'Mostly start-up'
      WHEN most < 57.5 THEN 'No single bottleneck'
      WHEN most = idle THEN 'Host-bound'
      WHEN most = communication THEN 'Communication-bound'
      WHEN most = copies THEN 'Bound by memory copies'
      ELSE 'Compute-bound' END
    || format(': GPU busy %.1f %%, idle %.1f %% of %,d.%d ms', busy, idle, tenths / 10, tenths % 10)
    || CASE WHEN communication >= 0.1 THEN format('; exposed communication %.1f %%', communication) ELSE '' END
    || CASE WHEN copies >= 5 THEN format('; exposed memcpy %.1f %%', copies) ELSE '' END
    || CASE WHEN start_up >= 5 THEN format('; start-up %.1f %%', start_up) ELSE '' END || '.'
    || CASE WHEN work >= 50 THEN ' Most GPU time: ' || (
      SELECT group_concat(format('%s %.1f ms (%.0f %%)', kernel, ns / 1000000.0, percent), ', ')
      FROM (SELECT kernel_short_name(name.text) AS kernel, sum(arg(entry.value, 'ns')) AS ns, sum(arg(entry.value, 'percent')) AS percent
        FROM json_each(top) AS entry JOIN string AS name ON name.id = arg(entry.value, 'name') GROUP BY kernel ORDER BY ns DESC LIMIT 3)) || '.' ELSE '' END
    || coalesce(' Most idle time: ' || idle_cause || '.', '')
  END AS words -- the sentence
FROM share;
