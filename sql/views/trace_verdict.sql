-- Results of the checks about a run: the ranks of all its traces, whichever of them are selected. Runs
-- with one trace have no row.
CREATE VIEW health_of_run AS
WITH ranked AS MATERIALIZED (
  SELECT run.name AS run, trace.id AS trace_id, trace.rank AS rank, trace.world_size AS world_size,
    (SELECT group_concat(step) FROM (SELECT DISTINCT step FROM signpost WHERE signpost.id BETWEEN trace.first_event AND trace.last_event AND signpost.kind = 'step' ORDER BY step)) AS steps
  FROM (SELECT DISTINCT run FROM scope) AS chosen
  CROSS JOIN run ON run.name = chosen.run
  CROSS JOIN trace ON trace.run_id = run.id
),
counted AS (
  SELECT run, count(*) AS traces, count(DISTINCT rank) AS ranks, max(max(rank) + 1, coalesce(max(world_size), 0)) AS world, max(steps) AS steps
  FROM ranked
  GROUP BY run
  HAVING count(rank) > 0 AND count(*) > 1
),
alike AS (
  SELECT run, sum(times > 1) AS ranks
  FROM (SELECT run, count(*) AS times FROM ranked WHERE rank IS NOT NULL GROUP BY run, rank)
  GROUP BY run
),
usual AS (
  SELECT run, max(times) AS traces
  FROM (SELECT run, count(*) AS times FROM ranked GROUP BY run, steps)
  GROUP BY run
)
SELECT
  run AS run, -- name of the run
  NULL AS trace_id, -- always NULL: the check is about the run
  'ranks_missing' AS "check", -- name of the check
  world - ranks AS count, -- number of findings; NULL when they cannot be told
  world AS base, -- number of ranks or traces that they are a part of
  NULL AS reason -- reason why it cannot be told
FROM counted
UNION ALL
SELECT counted.run, NULL, 'rank_twice', alike.ranks, counted.ranks, NULL FROM counted JOIN alike ON alike.run = counted.run
UNION ALL
SELECT counted.run, NULL, 'ranks_steps_differ', CASE WHEN counted.steps IS NOT NULL THEN counted.traces - usual.traces END, counted.traces,
  CASE WHEN counted.steps IS NULL THEN 'no profiler steps were marked (profiler.step())' END
FROM counted
JOIN usual ON usual.run = counted.run;

-- Each check of each selected trace, and of the runs around them, with its verdict. Facts that
-- health_fact lacks, or has with another tolerance, are counted now.
CREATE VIEW health_verdict AS
WITH chosen AS MATERIALIZED (SELECT DISTINCT run, trace_id FROM scope),
measured AS MATERIALIZED (
  SELECT "check", run, trace_id, count, base, time_ns, value, example_id, first_ns, last_ns,
    CASE WHEN count(*) > 1 THEN 'its measure has several rows for one ' || iif(trace_id IS NULL, 'run', 'trace') ELSE reason END AS reason
  FROM health_measured
  GROUP BY "check", run, trace_id
),
recounted AS MATERIALIZED (SELECT trace_id, "check", count, base, time_ns, value, share, example_id, first_ns, last_ns, reason, is_note FROM health_recounted),
fact AS MATERIALIZED (
  SELECT trace_id, "check", count, base, time_ns, value, share, example_id, first_ns, last_ns, reason, is_note FROM recounted
  UNION ALL
  SELECT trace_id, "check", count, base, time_ns, value, share, example_id, first_ns, last_ns, reason, is_note FROM health_fact
  WHERE trace_id IN (SELECT trace_id FROM chosen) AND (trace_id, "check") NOT IN (SELECT trace_id, "check" FROM recounted)
),
told AS (
  SELECT chosen.run AS run, chosen.trace_id AS trace_id, checked."check" AS "check", coalesce(fact.count, measured.count) AS count, coalesce(fact.base, measured.base) AS base, fact.share AS share,
    coalesce(fact.time_ns, measured.time_ns) AS time_ns, coalesce(fact.value, measured.value) AS value, coalesce(fact.example_id, measured.example_id) AS example_id,
    coalesce(fact.first_ns, measured.first_ns) AS first_ns, coalesce(fact.last_ns, measured.last_ns) AS last_ns, coalesce(fact.is_note, 0) AS is_note,
    CASE
      WHEN checked.formats <> 'all' AND instr(',' || checked.formats || ',', ',' || trace.format || ',') = 0 THEN 'not checked for ' || trace.format
      WHEN checked.warning_count IS NULL THEN 'turned off'
      WHEN checked.measure IS NOT NULL AND measured.trace_id IS NULL THEN 'its measure has no row for the trace'
      WHEN checked.measure IS NULL AND fact.trace_id IS NULL THEN 'ingested by an older tpq'
      ELSE coalesce(fact.reason, measured.reason, CASE WHEN coalesce(fact.count, measured.count) = 0 AND coalesce(fact.base, measured.base) = 0 THEN 'there are no ' || checked.base END)
    END AS reason
  FROM chosen
  JOIN trace ON trace.id = chosen.trace_id
  -- what a SELECT measures of some formats is no question to others
  JOIN health_check AS checked ON checked.level = 'trace'
    AND (checked.measure IS NULL OR checked.formats = 'all' OR instr(',' || checked.formats || ',', ',' || trace.format || ','))
  LEFT JOIN fact ON fact.trace_id = chosen.trace_id AND fact."check" = checked."check" AND checked.measure IS NULL
  LEFT JOIN measured ON measured.trace_id = chosen.trace_id AND measured."check" = checked."check"
  UNION ALL
  SELECT chosen.run, NULL, checked."check", measured.count, measured.base, NULL, measured.time_ns, measured.value, measured.example_id, NULL, NULL, 0,
    coalesce(measured.reason, CASE WHEN measured.count = 0 AND measured.base = 0 THEN 'there are no ' || checked.base END)
  FROM (SELECT DISTINCT run FROM chosen) AS chosen
  JOIN measured ON measured.run = chosen.run
  JOIN health_check AS checked ON checked."check" = measured."check"
  UNION ALL
  SELECT counted.run, NULL, counted."check", counted.count, counted.base, NULL, NULL, NULL, NULL, NULL, NULL, 0, counted.reason
  FROM health_of_run AS counted
  JOIN health_check AS checked ON checked."check" = counted."check" AND checked.measure IS NULL
)
SELECT
  told.run AS run, -- name of the run
  told.trace_id AS trace_id, -- id of the trace; NULL where the check is about the run
  told."check" AS "check", -- name of the check
  checked.position AS position, -- position in reports
  CASE
    WHEN told.reason IS NOT NULL OR told.count IS NULL THEN 'cannot tell'
    WHEN told.count = 0 THEN 'ok'
    WHEN told.is_note THEN 'note'
    WHEN told.count >= checked.broken_count AND coalesce(told.share, 1.0 * told.count / nullif(told.base, 0), 0) >= checked.broken_share THEN 'broken'
    WHEN told.count >= checked.warning_count AND coalesce(told.share, 1.0 * told.count / nullif(told.base, 0), 0) >= checked.warning_share THEN 'warning'
    ELSE 'note'
  END AS verdict, -- verdict: ok, note, warning, broken or cannot tell
  CASE WHEN told.reason IS NULL THEN told.count END AS count, -- number of findings; NULL when they cannot be told
  CASE WHEN told.reason IS NULL THEN told.base END AS base, -- number of what they are a part of
  CASE WHEN told.reason IS NULL THEN coalesce(told.share, 1.0 * told.count / nullif(told.base, 0)) END AS share, -- share of the findings, 0 to 1
  CASE WHEN told.reason IS NULL THEN told.time_ns END AS time_ns, -- GPU time of what was found; NULL where it has none
  CASE WHEN told.reason IS NULL THEN told.value END AS value, -- measured value, in the unit of the tolerance
  CASE WHEN told.reason IS NULL THEN told.example_id END AS example_id, -- id of the worst example
  CASE WHEN told.reason IS NULL THEN told.first_ns END AS first_ns, -- time of the first finding, from the start of the trace
  CASE WHEN told.reason IS NULL THEN told.last_ns END AS last_ns, -- time of the last finding, from the start of the trace
  CASE WHEN told.count IS NOT NULL AND told.reason IS NULL THEN
    CASE
      WHEN told."check" = 'file_cut' AND told.count > 0 THEN (
        SELECT coalesce(replace(trace.path, rtrim(trace.path, replace(trace.path, '/', '')), '') || ': ', '') || note.detail
        FROM trace
        JOIN ingest_note AS note ON note.trace_id = trace.id AND note.kind IN ('end_missing', 'list_open', 'salvaged')
        WHERE trace.id = told.trace_id
      )
      WHEN checked.base = '1' THEN checked.title
      WHEN checked.base = '1000' THEN format('%.1f %% of the recording', told.count / 10.0)
      WHEN checked.counts GLOB 'bytes *' THEN format('%s of %s%s', size_words(told.count), size_words(told.base), substr(checked.counts, length('bytes ')))
      ELSE format('%,d of %,d %s', told.count, told.base, iif(substr(checked.counts, 1, length(checked.base)) = checked.base, checked.counts, checked.base || ': ' || checked.title))
    END || CASE WHEN told.share IS NOT NULL AND told.count > 0 THEN format(', %.1f %% of busy time', told.share * 100) ELSE '' END
  END AS finding, -- finding in numbers
  coalesce(told.reason, CASE WHEN told.count IS NULL THEN 'it was not counted' END) AS reason -- reason why it cannot be told
FROM told
JOIN health_check AS checked ON checked."check" = told."check";

-- Whether a trace can be believed: a row for each selected trace, and for each run, over its selected
-- traces and its own checks. A check counts once in a run, as in its worst trace.
CREATE VIEW trace_verdict AS
WITH worst AS (
  SELECT told.run AS run, iif(part.is_run, NULL, told.trace_id) AS of_trace, told."check" AS "check", told.position AS position, told.verdict AS verdict, told.finding AS finding, told.trace_id AS trace_id,
    told.reason LIKE 'not checked for %' OR told.reason = 'turned off' AS is_none,
    count(told.trace_id) AS traces, count(*) FILTER (WHERE told.verdict IN ('broken', 'warning')) AS doubtful,
    min(instr('bwcno', substr(told.verdict, 1, 1)) - min(coalesce(told.share, 0), 1) / 2.0)
  FROM health_verdict AS told
  CROSS JOIN (SELECT 0 AS is_run UNION ALL SELECT 1) AS part
  WHERE part.is_run OR told.trace_id IS NOT NULL
  GROUP BY told.run, iif(part.is_run, NULL, told.trace_id), told.position, told."check"
),
placed AS (
  SELECT run, of_trace AS trace_id, "check", verdict,
    -- whether figures of GPU time or idle time are touched; of a check without rows nobody knows
    verdict IN ('broken', 'warning') AND coalesce((
      SELECT max('gpu_timeline' GLOB report OR 'kernel_summary' GLOB report OR 'ranks_gpu_gaps' GLOB report)
      FROM health_touch AS touch WHERE touch."check" = worst."check"), 1) AS is_of_gpu,
    finding || CASE
      WHEN traces < 2 OR NOT doubtful THEN ''
      WHEN doubtful > 1 THEN format('; worst of %d traces', doubtful)
      ELSE (SELECT coalesce('; rank ' || rank, '; trace ' || id) FROM trace WHERE id = trace_id)
    END AS finding,
    row_number() OVER (PARTITION BY run, of_trace ORDER BY verdict <> 'broken', verdict <> 'warning', position) AS place
  FROM worst
  WHERE is_none IS NOT 1
),
summed AS (
  SELECT run, trace_id,
    count(*) AS checks,
    count(*) FILTER (WHERE verdict = 'warning') AS warnings,
    count(*) FILTER (WHERE verdict = 'broken') AS broken,
    count(*) FILTER (WHERE verdict = 'broken' AND is_of_gpu) AS broken_gpu,
    max(is_of_gpu) AS is_of_gpu,
    count(*) FILTER (WHERE verdict = 'cannot tell') AS untold,
    group_concat("check", ', ') FILTER (WHERE verdict = 'broken') AS broken_checks,
    group_concat("check", ', ') FILTER (WHERE verdict = 'warning') AS warning_checks,
    group_concat("check" || ' (' || finding || ')', ', ') FILTER (WHERE verdict IN ('broken', 'warning') AND place <= 3) AS findings
  FROM (SELECT run, trace_id, "check", verdict, is_of_gpu, finding, place FROM placed ORDER BY run, trace_id, place)
  GROUP BY run, trace_id
),
blind AS (
  SELECT run, trace_id, checks, warnings, broken, broken_gpu, is_of_gpu, untold, broken_checks, warning_checks, findings,
    untold = checks OR (trace_id IS NULL AND max(untold = checks) OVER (PARTITION BY run)) AS is_blind
  FROM summed
)
SELECT
  run AS run, -- name of the run
  trace_id AS trace_id, -- id of the trace; NULL in the row about the run
  CASE WHEN broken_gpu THEN 'not comparable' WHEN warnings OR broken OR is_blind THEN 'usable with care' ELSE 'complete' END AS verdict, -- verdict: not comparable where a check that touches GPU time or idle time is broken, usable with care where another one is, one warns or none can tell, else complete
  warnings AS warnings, -- number of checks that warn
  broken AS broken, -- number of checks that are broken
  untold AS untold, -- number of checks that cannot be told
  broken_checks AS broken_checks, -- names of the broken checks
  warning_checks AS warning_checks, -- names of the checks that warn
  findings AS findings, -- first three findings, from broken checks first
  'Health: ' || CASE WHEN broken_gpu THEN 'not comparable: ' WHEN is_of_gpu THEN 'usable with care: ' WHEN warnings OR broken THEN 'GPU figures complete; ' WHEN is_blind THEN 'usable with care' ELSE 'complete' END || coalesce(findings, '')
    || CASE WHEN warnings + broken > 3 THEN format(' and %d more', warnings + broken - 3) ELSE '' END
    || CASE WHEN untold THEN format('; %d of %d checks cannot tell', untold, checks) ELSE '' END AS line -- verdict, with the first three findings
FROM blind;

-- Steps at the edges of a trace that the recording cuts, as the check step_cut found them; with
-- --force-figures none.
CREATE VIEW cut_step AS
SELECT
  verdict.run AS run, -- name of the run
  verdict.trace_id AS trace_id, -- id of the trace
  step_mark.step AS step -- number of the step
FROM health_verdict AS verdict
CROSS JOIN step_mark ON step_mark.trace_id = verdict.trace_id AND step_mark.kind = 'step' AND step_mark.ts_ns IN (verdict.first_ns, verdict.last_ns)
WHERE verdict."check" = 'step_cut' AND verdict.verdict IN ('warning', 'broken') AND (SELECT tpq_option('force-figures')) IS NULL;

-- Figures that the findings of trace_health touch: the rows of health_touch whose check is broken or
-- warns in a selected trace. The checks about a run hold for all of its traces.
CREATE VIEW health_touched AS
SELECT
  chosen.run AS run, -- name of the run
  chosen.trace_id AS trace_id, -- id of the trace
  (SELECT rank FROM trace WHERE trace.id = chosen.trace_id) AS rank, -- rank of the trace
  touch."check" AS "check", -- name of the check
  checked.position AS position, -- position of the check in reports
  touch.report AS report, -- GLOB pattern for names of reports
  touch.column AS column, -- GLOB pattern for names of columns
  coalesce('step ' || step_mark.step, touch.rows) AS rows, -- rows that are touched: a column, a space, and a GLOB pattern for its values; * = all
  touch.effect AS effect, -- abstain where the figure has no basis once the check is broken, care where it is doubtful
  touch.effect = 'abstain' AND (verdict.verdict = 'broken' OR touch.from_verdict = 'warning') AS is_empty, -- 1 where the figure is empty
  checked.title || CASE WHEN verdict.finding = checked.title THEN '' ELSE coalesce(' (' || verdict.finding || ')', '') END AS reason, -- title of the check, with its numbers
  touch."check" || coalesce(' (' || verdict.finding || ')', '') AS finding -- name of the check, with its numbers
FROM (SELECT run, trace_id, "check", verdict, finding, first_ns, last_ns FROM health_verdict WHERE verdict IN ('broken', 'warning')) AS verdict
JOIN health_touch AS touch ON touch."check" = verdict."check"
JOIN health_check AS checked ON checked."check" = verdict."check"
JOIN (SELECT DISTINCT run, trace_id FROM scope) AS chosen ON chosen.run = verdict.run AND (verdict.trace_id IS NULL OR verdict.trace_id = chosen.trace_id)
LEFT JOIN step_mark ON touch.rows = 'step cut' AND step_mark.trace_id = chosen.trace_id AND step_mark.kind = 'step' AND step_mark.ts_ns IN (verdict.first_ns, verdict.last_ns)
WHERE touch.rows <> 'step cut' OR step_mark.step IS NOT NULL;

-- Figures without a basis: what is empty of the figures that findings touch.
CREATE VIEW health_abstains AS
SELECT
  run AS run, -- name of the run
  trace_id AS trace_id, -- id of the trace
  rank AS rank, -- rank of the trace
  "check" AS "check", -- name of the check
  position AS position, -- position of the check in reports
  report AS report, -- GLOB pattern for names of reports
  column AS column, -- GLOB pattern for names of columns
  rows AS rows, -- rows that have no basis: a column, a space, and a GLOB pattern for its values; * = all
  reason AS reason, -- title of the check, with its numbers
  finding AS finding -- name of the check, with its numbers
FROM health_touched
WHERE is_empty;

-- Rules of advice without a basis in a trace, as their reports say nothing of it; the headline; and
-- replay, from which savings are.
CREATE VIEW advice_abstains AS
SELECT
  doubt.run AS run, -- name of the run
  doubt.trace_id AS trace_id, -- id of the trace
  rule.rule AS rule, -- rule of advice, headline or replay
  min(doubt.position) AS position, -- position of the first of its broken checks
  doubt.finding AS finding -- name of the check, with its numbers
FROM (SELECT rule, report, '*' AS rows FROM advice_rule UNION ALL VALUES ('headline', 'headline', 'kind headline'), ('replay', 'critical_path', '*')) AS rule
JOIN health_abstains AS doubt ON doubt.rows = rule.rows AND (doubt.column = '*' OR rule.rule = 'headline') AND (rule.report GLOB doubt.report OR (rule.rows = '*' AND doubt.report = 'findings'))
WHERE NOT (SELECT tpq_like_reference('reports: figures without a basis'))
GROUP BY rule.rule, doubt.run, doubt.trace_id;
