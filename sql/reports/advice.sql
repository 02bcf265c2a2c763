-- Levers by estimated saving, the largest first. Savings do not add up. replay: what a replay of the
-- schedule saves without the cause; upper bound: the idle or exposed time that was measured; guess:
-- part of it. With --all also rules that do not fire, and what was measured.
-- guess: part of it. With --all also rules that do not fire, and what was measured.
-- set: pytorch
-- question: advice
-- position: 290
-- key: rule
-- within: value
-- measure: saving_ms, count
-- when: never
-- paragraphs: yes
-- terminal: rule, title, saving_ms, saving_percent, saving_kind, value, unit, threshold, count, time_ms, action, report, name, uid, verdict
-- not-included: not_included_unmeasured_rules
-- empty: no_work, no_firing_rules
CREATE VIEW advice AS
SELECT
  verdict.run AS run, -- [text] name of the run
  verdict.trace_id AS trace_id, -- [integer] id of the trace; NULL for advice about the whole run
  verdict.rule AS rule, -- [text] name of the rule, as in advice_rule
  verdict.verdict AS verdict, -- [text] verdict of the rule: fires, hidden, waits for ranks, saves little, below threshold, nothing found, not measured or no basis
  verdict.title AS title, -- [text] title of the finding, where the rule fires
  verdict.value AS value, -- [real] measured value of the rule
  verdict.unit AS unit, -- [text] unit of the measured value
  verdict.threshold AS threshold, -- [real] minimum value at which the rule fires
  verdict.count AS count, -- [integer] number of events that the rule is about
  verdict.time_ns / 1000000.0 AS time_ms, -- [ms] (lower) total time of the events that the rule is about
  verdict.saving_ns / 1000000.0 AS saving_ms, -- [ms] (lower) estimated saving of the finding
  verdict.saving_ns * 100.0 / nullif(verdict.span_ns, 0) AS saving_percent, -- [%] (lower) estimated saving as a share of the time from the first to the last GPU activity
  verdict.saving_kind AS saving_kind, -- [text] kind of estimate: replay, upper bound or guess
  verdict.cause AS cause, -- [text] main cause of the time, with count and duration
  coalesce(name.text, signpost.name) AS name, -- [kernel] name of the longest event that the rule is about
  event.uid AS uid, -- [integer] position in the file of the longest event that the rule is about
  verdict.action AS action, -- [text] recommended action for the finding
  verdict.report AS report, -- [text] name of the report with the details
  verdict.doc AS doc, -- [text] definition of the measured value, with the cases in which the rule does not apply
  verdict.lacks AS lacks -- [text] data that was not recorded, or the broken check of trace_health, for rules without a measured value
FROM advice_verdict AS verdict
LEFT JOIN event ON event.id = verdict.example_id
LEFT JOIN string AS name ON name.id = event.name_id
LEFT JOIN signpost ON signpost.id = verdict.example_id
WHERE verdict.verdict IN ('fires', 'hidden') OR (SELECT tpq_option('all')) IS NOT NULL
ORDER BY verdict.run, verdict.trace_id, verdict.verdict <> 'fires', verdict.verdict <> 'hidden', verdict.verdict = 'not measured', verdict.position >= 900, verdict.headline IS 'start-up', verdict.weight_ns DESC, verdict.position, verdict.rule;
