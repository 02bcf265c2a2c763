-- What to change first, with the estimated saving. Savings do not add up. replay: what a replay of
-- the schedule saves without the cause; upper bound: the idle or exposed time that was measured;
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
-- leaves-out: left_out_unmeasured_rules
-- empty: lacks_work, lacks_firing_rules
CREATE VIEW advice AS
SELECT
  verdict.run AS run, -- [text] run
  verdict.trace_id AS trace_id, -- [integer] trace; empty when it is about the run
  verdict.rule AS rule, -- [text] the rule, as in advice_rule
  verdict.verdict AS verdict, -- [text] fires, waits for ranks, saves little, below threshold, nothing found or not measured
  verdict.title AS title, -- [text] what is wrong where it fires
  verdict.value AS value, -- [real] what was measured
  verdict.unit AS unit, -- [text] what that is
  verdict.threshold AS threshold, -- [real] the rule fires from this value on
  verdict.count AS count, -- [integer] how many of what it is about
  verdict.time_ns / 1000000.0 AS time_ms, -- [ms] (lower) time of these
  verdict.saving_ns / 1000000.0 AS saving_ms, -- [ms] (lower) what may be saved
  verdict.saving_ns * 100.0 / nullif(verdict.span_ns, 0) AS saving_percent, -- [%] (lower) share of the time from the first to the last work
  verdict.saving_kind AS saving_kind, -- [text] replay, upper bound or guess
  verdict.cause AS cause, -- [text] what most of that time went to, how often, and how long
  coalesce(name.text, signpost.name) AS name, -- [kernel] one of them: the longest
  event.uid AS uid, -- [integer] its place in the file
  verdict.action AS action, -- [text] what to do
  verdict.report AS report, -- [text] report that tells more
  verdict.doc AS doc, -- [text] what is measured, and when that does not count
  verdict.lacks AS lacks -- [text] what was not recorded, of rules that are not measured
FROM advice_verdict AS verdict
LEFT JOIN event ON event.id = verdict.example_id
LEFT JOIN string AS name ON name.id = event.name_id
LEFT JOIN signpost ON signpost.id = verdict.example_id
WHERE verdict.verdict = 'fires' OR (SELECT tpq_option('all')) IS NOT NULL
ORDER BY verdict.run, verdict.trace_id, verdict.verdict <> 'fires', verdict.verdict = 'not measured', verdict.position >= 900, verdict.weight_ns DESC, verdict.position, verdict.rule;
