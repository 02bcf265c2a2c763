-- What bounds each run, in one sentence, and the findings. These are the first lines of a report,
-- page, workbook, Markdown and JSON. What several ranks say is said once.
-- set: pytorch
-- question: advice
-- position: 4
-- also: jax 4 headline
-- key: run, kind
-- measure: saves_ms
-- when: never
-- tab: overview
-- shares: bounded_call, advice_verdict, findings
-- paragraphs: yes
-- terminal: line
-- unit: run
-- no-sum: yes
-- empty: lacks_events
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
      iif(saves_ms IS NULL, '', format(CASE saving_kind WHEN 'replay' THEN ', saves %s ms (replay)' WHEN 'guess' THEN ', perhaps %s ms (guess)' ELSE ', at most %s ms (upper bound)' END,
        CASE WHEN with_commas(least_ms) = with_commas(saves_ms) THEN '' ELSE with_commas(least_ms) || ' to ' END || with_commas(saves_ms))),
      words, report)
  FROM finding
  UNION ALL
  SELECT run, NULL, 'together', NULL, NULL, NULL, together_ms, NULL, 'replay', 'findings', 'list', format('All findings together: %s ms (replay).', with_commas(together_ms))
  FROM finding
  WHERE place = 2 AND together_ms IS NOT NULL
)
SELECT
  row.run AS run, -- [text] run
  row.place AS place, -- [integer] place in the list of findings; 0 of the headline, empty of all findings together
  row.kind AS kind, -- [text] rule of advice, headline or together
  CASE row.kind WHEN 'headline' THEN NULL WHEN 'together' THEN 'All findings together' ELSE row.kind END || coalesce(' (' || row.saving_kind || ')', '') AS name, -- [text] what a page calls it
  row.ranks AS ranks, -- [text] ranks that say so; empty where the run has one, or it is about all of them
  row.words AS words, -- [text] what bounds the run; what is wrong, what most of the time went to, and what to do
  row.saves_ms AS saves_ms, -- [ms] (lower) estimated saving; of several ranks on the one that saves most
  row.least_ms AS least_ms, -- [ms] estimated saving on the rank that saves least
  row.percent AS percent, -- [%] (lower) share of the time from the first to the last GPU activity of that rank
  row.saving_kind AS saving_kind, -- [text] replay, upper bound or guess
  row.report AS report, -- [text] report that tells more
  row.form AS form, -- [text] how a page shows it: line or list
  nullif(CASE WHEN several.runs THEN row.run || ' ' ELSE '' END || coalesce(row.ranks || ' ', ''), '') AS subject, -- [text] whose it is, where there are several runs or ranks
  CASE WHEN row.place = 0 AND several.runs THEN row.run || ': ' ELSE '' END || row.line AS line -- [text] all of it, as a terminal says it
FROM row
CROSS JOIN several
ORDER BY coalesce(row.place > 0, 2), coalesce(row.saves_ms, CASE WHEN row.place = 1 THEN 1e99 END) DESC, row.run, row.place;
