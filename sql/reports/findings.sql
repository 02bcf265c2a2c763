-- The most important findings with estimated savings, at most eight. A finding that only says that a
-- part is slow is not included where other findings give the cause.
-- set: pytorch
-- question: advice first
-- words: bottleneck, what first, slow, optimize
-- position: 289
-- key: kind
-- within: place
-- measure: saves_ms
-- when: never
-- shares: bounded_call, advice_verdict
-- paragraphs: yes
-- terminal: place, words, saves_ms, percent, report, kind, uid
-- not-included: not_included_unmeasured_rules
-- empty: no_work, no_firing_rules
CREATE VIEW findings AS
WITH firing AS MATERIALIZED (
  SELECT run, trace_id, rule, verdict, title, cause, measured_ns AS time_ns, value, unit, count, action, report, saving_ns, saving_kind, weight_ns, span_ns, position, is_symptom, headline, example_id
  FROM advice_verdict
  WHERE verdict = 'fires' OR (verdict = 'hidden' AND NOT is_symptom AND unit = 'percent of the span')
),
explained AS (
  SELECT run, trace_id, sum(weight_ns) AS saving_ns
  FROM firing
  WHERE NOT is_symptom AND verdict = 'fires' AND headline IS NOT 'start-up' AND unit NOT LIKE '%busy time%'
  GROUP BY run, trace_id
),
finding AS (
  SELECT firing.run AS run, firing.trace_id AS trace_id, firing.rule AS rule, firing.verdict AS verdict, firing.title AS title, firing.cause AS cause, firing.time_ns AS time_ns,
    coalesce((SELECT base.length_ns FROM time_base AS base WHERE base.run = firing.run AND base.trace_id = firing.trace_id AND base.device IS NULL), firing.span_ns) AS base_ns, firing.action AS action, firing.report AS report,
    CASE firing.verdict WHEN 'fires' THEN firing.saving_ns END AS saving_ns, CASE firing.verdict WHEN 'fires' THEN firing.saving_kind END AS saving_kind, firing.span_ns AS span_ns, firing.example_id AS example_id,
    row_number() OVER (PARTITION BY firing.run, firing.trace_id ORDER BY firing.verdict = 'hidden', firing.headline IS 'note', firing.headline IS 'start-up', firing.weight_ns DESC, firing.position, firing.rule) AS place, tie.path_kind AS path_kind
  FROM firing
  LEFT JOIN explained ON explained.run = firing.run AND explained.trace_id IS firing.trace_id
  LEFT JOIN advice_tie AS tie ON tie.rule = firing.rule
  WHERE firing.position < 900 AND (NOT firing.is_symptom OR coalesce(explained.saving_ns, 0) * 2 < firing.saving_ns)
    AND NOT EXISTS (SELECT 1 FROM firing AS other WHERE other.run = firing.run AND other.trace_id = firing.trace_id
      AND instr(', ' || tie.covered_by || ',', ' ' || other.rule || ',') AND (tie.covered_percent = 0 OR other.saving_ns * 100 >= firing.saving_ns * tie.covered_percent))
  UNION ALL
  SELECT run, trace_id, rule, 'fires', title, NULL, time_ns, span_ns, action, 'tt_advice', saving_ns, CASE WHEN saving_ns IS NOT NULL THEN 'upper bound' END, span_ns, example_id, place, NULL
  FROM tt_finding
),
-- One change may hide what another one saves: together they then save more than the sum, which the list
-- would contradict. Without a replay of each finding there is none of all.
listed AS MATERIALIZED (
  SELECT run, trace_id, max(max(saving_ns), min(sum(saving_ns), advice_together(run, trace_id, group_concat(rule)))) AS together_ns
  FROM finding
  WHERE place <= 8 AND trace_id IS NOT NULL AND verdict = 'fires'
  GROUP BY run, trace_id
  HAVING min(saving_kind = 'replay') AND count(saving_ns) > 1
)
SELECT
  finding.run AS run, -- [text] name of the run
  finding.trace_id AS trace_id, -- [integer] id of the trace; NULL for a finding about the whole run
  finding.place AS place, -- [integer] position of the finding in the list, from 1
  finding.rule AS kind, -- [text] advice rule of the finding
  finding.title || CASE finding.verdict WHEN 'hidden' THEN format(': %s (%.1f %% of %s)%s. It saves nothing before that is faster', time_words(finding.time_ns), finding.time_ns * 100.0 / finding.base_ns, time_words(finding.base_ns), coalesce((
      SELECT format(', behind %s (%s of the critical path)', CASE WHEN path.kind IN ('launch', 'launch call', 'kernel gap') THEN 'launches' WHEN path.kind = 'sync return' THEN 'synchronization' ELSE path.kind END, time_words(path.time_ns))
      FROM path_kind AS path
      WHERE path.run = finding.run AND path.trace_id = finding.trace_id AND path.kind <> 'handover' AND path.kind <> coalesce(finding.path_kind, 'unknown')
        AND path.time_ns >= finding.time_ns
      ORDER BY path.time_ns DESC, path.kind LIMIT 1), ''))
    ELSE coalesce('. ' || finding.cause, '') || coalesce('. ' || finding.action, '') END || '.' AS words, -- [text] sentence of the finding: what is wrong, its main cause, and the action
  finding.saving_ns / 1000000.0 AS saves_ms, -- [ms] (lower) estimated saving of the finding
  finding.saving_ns * 100.0 / nullif(finding.span_ns, 0) AS percent, -- [%] (lower) estimated saving as a share of the time from the first to the last GPU activity
  listed.together_ns / 1000000.0 AS together_ms, -- [ms] (lower) estimated saving of all findings of the trace together, from one replay; at most their sum; NULL where one of them has no replay
  finding.saving_kind AS saving_kind, -- [text] kind of estimate: replay, upper bound or guess
  finding.verdict AS verdict, -- [text] fires, or hidden: the replay saves less than --advice-min-percent before others are faster
  finding.report AS report, -- [text] name of the report with the details
  event.uid AS uid, -- [integer] position in the file of an example event
  event.ts_ns AS start_ns, -- [ns] start of the example event, from the start of the trace
  event.ts_ns + event.dur_ns AS end_ns, -- [ns] end of the example event, from the start of the trace
  nullif(CASE WHEN (SELECT count(DISTINCT other.run) FROM scope AS other) > 1 THEN finding.run || ' ' ELSE '' END
    || CASE WHEN (SELECT count(DISTINCT other.trace_id) > count(DISTINCT other.run) FROM scope AS other) THEN coalesce('rank ' || run_rank.label || ' ', '') ELSE '' END, '') AS subject -- [text] run or rank of the finding, where there are several
FROM finding
LEFT JOIN listed ON listed.run = finding.run AND listed.trace_id = finding.trace_id
LEFT JOIN event ON event.id = finding.example_id
LEFT JOIN run_rank ON run_rank.run = finding.run AND run_rank.trace_id = finding.trace_id
WHERE finding.place <= 8
ORDER BY finding.run, finding.trace_id, finding.place;
