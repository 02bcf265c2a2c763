-- The bound of each run, in one sentence, and the findings. These are the first lines of a report,
-- page, workbook, Markdown and JSON. A finding of several ranks stands there once.
-- set: pytorch
-- question: advice
-- position: 4
-- also: jax 4 headline, tt 4 headline
-- key: run, kind
-- measure: saves_ms
-- when: never
-- tab: overview
-- shares: bounded_call, advice_verdict, findings
-- paragraphs: yes
-- terminal: line
-- unit: run
-- no-sum: yes
-- empty: no_events
CREATE VIEW headline AS
WITH several AS (
  SELECT CASE WHEN count(DISTINCT run) > 1 THEN 1 ELSE 0 END AS runs FROM scope
),
finding AS MATERIALIZED (
  SELECT run, place, kind, ranks, words, least_ms, saves_ms, percent, together_ms, saving_kind, report FROM run_finding
),
row AS (
  SELECT run, 0 AS place, 'headline' AS kind, NULL AS ranks, words, NULL AS least_ms, NULL AS saves_ms, NULL AS percent, NULL AS saving_kind, NULL AS report, 'line' AS form, words AS line
  FROM run_headline
  UNION ALL
  SELECT run, place, kind, ranks, words, least_ms, saves_ms, percent, saving_kind, report, 'list',
    format('%d. %s%s%s: %s (report %s)', place, kind, coalesce(' (' || ranks || ')', ''),
      iif(saves_ms IS NULL, '', format(CASE saving_kind WHEN 'replay' THEN ', saves %s (replay)' WHEN 'guess' THEN ', saves about %s (guess)' ELSE ', saves up to %s (upper bound)' END,
        CASE WHEN time_words(least_ms * 1e6) = time_words(saves_ms * 1e6) THEN '' ELSE time_words(least_ms * 1e6) || ' to ' END || time_words(saves_ms * 1e6))),
      words, report)
  FROM finding
  UNION ALL
  SELECT run, NULL, 'together', NULL, NULL, NULL, together_ms, NULL, 'replay', 'findings', 'list', format('All findings together: %s (replay).', time_words(together_ms * 1e6))
  FROM finding
  WHERE place = 2 AND together_ms IS NOT NULL
)
SELECT
  row.run AS run, -- [text] name of the run
  row.place AS place, -- [integer] position in the list of findings; 0 for the headline, NULL for all findings together
  row.kind AS kind, -- [text] kind of line: rule of advice, headline or together
  CASE row.kind WHEN 'headline' THEN NULL WHEN 'together' THEN 'All findings together' ELSE row.kind || coalesce(', ' || row.ranks, '') END || coalesce(' (' || row.saving_kind || ')', '') AS name, -- [text] label of the line on a page
  row.ranks AS ranks, -- [text] ranks with this finding; NULL where the run has one rank, or for all ranks
  row.words AS words, -- [text] text of the line: the bound of the run, or the finding with its cause and action
  row.saves_ms AS saves_ms, -- [ms] (lower) estimated saving; of several ranks, the maximum
  row.least_ms AS least_ms, -- [ms] minimum estimated saving over the ranks
  row.percent AS percent, -- [%] (lower) estimated saving as a share of the rank's time from the first to the last GPU activity
  row.saving_kind AS saving_kind, -- [text] kind of estimate: replay, upper bound or guess
  row.report AS report, -- [text] name of the report with the details
  row.form AS form, -- [text] form of the line on a page: line or list
  CASE WHEN several.runs THEN row.run || ' ' END AS subject, -- [text] run of the line, where there are several
  CASE WHEN row.place = 0 AND several.runs THEN row.run || ': ' ELSE '' END || row.line AS line -- [text] whole line as a terminal shows it
FROM row
CROSS JOIN several
ORDER BY coalesce(row.place > 0, 2), CASE WHEN several.runs THEN row.saves_ms END DESC, row.run, row.place;
