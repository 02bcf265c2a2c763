-- Whether a trace can be believed: each check with its verdict, what was counted, and what to do.
-- Checks about a run have no trace. On the terminal, checks that are ok or cannot tell only with
-- --all.
-- set: pytorch
-- question: raw first
-- position: 1
-- key: check
-- when: never
-- wide: words
-- paragraphs: yes
-- table-with: all
-- terminal: check, verdict, count, base, value, expected, words, share, rank, example_id
-- not-included: not_included_sound_checks
-- empty: no_findings_of_health
CREATE VIEW trace_health AS
WITH scale(unit, least, below, size, name) AS (VALUES
  ('ns', 0, 1e3, 1.0, 'ns'), ('ns', 1e3, 1e6, 1e3, 'us'), ('ns', 1e6, 1e9, 1e6, 'ms'), ('ns', 1e9, 9e999, 1e9, 's'),
  ('share', 0, 9e999, 1.0, '')
),
amount AS MATERIALIZED (
  SELECT "check" AS "check", tolerance_unit AS unit, 1 AS place, CAST(tolerance AS REAL) AS amount FROM health_check WHERE tolerance IS NOT NULL
  UNION ALL
  SELECT "check", tolerance_unit, 2, CAST(substr(tolerance, instr(tolerance, '..') + 2) AS REAL) FROM health_check WHERE instr(tolerance, '..')
),
bound AS MATERIALIZED (
  SELECT "check", iif(max(place) = 2, '', iif(unit = 'share', '≥ ', '≤ ')) || group_concat(said, ' to ') AS expected
  FROM (
    SELECT amount."check" AS "check", amount.unit AS unit, place, rtrim(format(iif(amount / coalesce(size, 1) < 10000, '%.4g', '%,d'), amount / coalesce(size, 1)) || ' ' || coalesce(name, amount.unit, '')) AS said
    FROM amount
    LEFT JOIN scale ON scale.unit = amount.unit AND amount >= least AND amount < below
    ORDER BY amount."check", place
  )
  GROUP BY "check"
)
SELECT
  verdict.run AS run, -- [text] name of the run
  verdict.trace_id AS trace_id, -- [integer] id of the trace; NULL where the check is about the run
  trace.rank AS rank, -- [integer] number of the rank
  verdict."check" AS "check", -- [text] name of the check
  verdict.verdict AS verdict, -- [text] verdict: ok, note, warning, broken or cannot tell
  verdict.count AS count, -- [integer] (lower) number of findings; NULL when they cannot be told
  verdict.base AS base, -- [integer] number of what they are a part of
  verdict.share AS share, -- [real] (lower) share of the findings, 0 to 1
  CASE WHEN verdict.count > 0 THEN verdict.time_ns / 1000000.0 END AS time_ms, -- [ms] GPU time of what was found
  CASE WHEN verdict.count > 0 THEN verdict.time_ns * 100.0 / nullif((SELECT busy_ns FROM coverage WHERE coverage.run = verdict.run AND coverage.trace_id = verdict.trace_id), 0) END AS busy_percent, -- [%] share of busy time
  CASE WHEN verdict.count > 0 AND verdict.value IS NOT NULL THEN rtrim(format(iif(verdict.value / coalesce(scale.size, 1) < 10000, '%.4g', '%,d'), verdict.value / coalesce(scale.size, 1)) || ' ' || coalesce(scale.name, checked.tolerance_unit, '')) END AS value, -- [text] measured value; of several findings the worst
  bound.expected AS expected, -- [text] limit of the value
  checked.tolerance_unit AS unit, -- [text] unit of the tolerance in health_check
  verdict.first_ns / 1000000.0 AS first_ms, -- [ms] time of the first finding, from the start of the trace
  verdict.last_ns / 1000000.0 AS last_ms, -- [ms] time of the last finding, from the start of the trace
  CASE WHEN verdict.count > 0 THEN (SELECT group_concat(report || '.' || "column", ', ') FROM (SELECT DISTINCT touch.report, touch."column" FROM health_touch AS touch WHERE touch."check" = verdict."check" ORDER BY 1, 2)) END AS touches, -- [text] reports and columns that the finding touches, as in health_touch
  (SELECT uid FROM event WHERE event.id = verdict.example_id) AS example_uid, -- [integer] position of the worst example in the event list of the file
  verdict.example_id AS example_id, -- [integer] id of the worst example, for tpq tree
  CASE
    WHEN verdict.reason IS NOT NULL THEN upper(substr(checked.title, 1, 1)) || substr(checked.title, 2) || ': ' || verdict.reason || '.'
    WHEN verdict.count = 0 THEN 'Not found: ' || checked.title || '.'
    ELSE upper(substr(checked.title, 1, 1)) || substr(checked.title, 2)
      || CASE WHEN checked.base = '1' THEN '' ELSE ' (' || verdict.finding || ')' END || '. ' || checked.action || '.'
  END AS words, -- [text] finding in a sentence, and what to do
  verdict.reason AS reason -- [text] reason why it cannot be told
FROM health_verdict AS verdict
JOIN health_check AS checked ON checked."check" = verdict."check"
LEFT JOIN bound ON bound."check" = verdict."check"
LEFT JOIN scale ON scale.unit = checked.tolerance_unit AND verdict.value >= scale.least AND verdict.value < scale.below
LEFT JOIN trace ON trace.id = verdict.trace_id
WHERE verdict.verdict NOT IN ('ok', 'cannot tell') OR (SELECT tpq_option('only-findings')) IS NULL OR (SELECT tpq_option('all')) IS NOT NULL
ORDER BY verdict.run, verdict.trace_id, verdict.position;
