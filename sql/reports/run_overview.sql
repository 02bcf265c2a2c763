-- One row per run: time, busy, exposed communication, idle, headline. With several ranks or
-- devices, times are means over ranks and devices.
-- set: pytorch
-- question: compare first
-- words: regression, compare
-- position: 5
-- unit: run
-- key: run
-- measure: time_ms
-- no-sum: yes
-- kept: run_overview
-- when: never
-- drop-empty: steps, step_time_ms
-- wide: headline, bottleneck
-- terminal: run, time_ms, step_time_ms, busy_pct, idle_pct, exposed_comm_pct, bottleneck, finding, saves_ms, ranks, steps, headline
-- not-included: not_included_cut_steps
-- empty: no_events
CREATE VIEW run_overview AS
WITH timeline AS (
  SELECT whole.run AS run, whole.trace_id AS trace_id, coalesce(device.busy_ns, whole.busy_ns) AS busy_ns, whole.total_ns AS total_ns, coalesce(device.exposed_comm_ns, whole.exposed_comm_ns) AS exposed_comm_ns
  FROM timeline_sum AS whole
  LEFT JOIN several_devices AS device ON device.run = whole.run AND device.trace_id = whole.trace_id
  WHERE whole.is_recompute IS NOT 1
),
step AS (
  SELECT run, trace_id, count(*) AS steps, avg(dur_ns) FILTER (WHERE (run, trace_id, step) NOT IN (SELECT run, trace_id, step FROM cut_step)) AS step_ns
  FROM trace_step
  WHERE kind = 'step'
  GROUP BY run, trace_id
),
ranked AS (
  SELECT chosen.run AS run, count(*) AS ranks, max(step.steps) AS steps, avg(step.step_ns) AS step_ns, avg(total_ns) AS total_ns, avg(busy_ns) AS busy_ns,
    avg(exposed_comm_ns) AS exposed_comm_ns
  FROM (SELECT DISTINCT run, trace_id FROM scope) AS chosen
  LEFT JOIN timeline ON timeline.run = chosen.run AND timeline.trace_id = chosen.trace_id
  LEFT JOIN step ON step.run = chosen.run AND step.trace_id = chosen.trace_id
  GROUP BY chosen.run
)
SELECT
  ranked.run AS run, -- [text] name of the run
  ranked.ranks AS ranks, -- [integer] number of traces of the run (ranks)
  ranked.steps AS steps, -- [integer] number of profiler steps, or of iterations of a recurring range
  ranked.total_ns / 1000000.0 AS time_ms, -- "time" [ms] (lower) time from the first start to the last end of GPU activities
  ranked.step_ns / 1000000.0 AS step_time_ms, -- "step time" [ms] (lower) mean step time, without steps that the recording cuts
  ranked.busy_ns * 100.0 / nullif(ranked.total_ns, 0) AS busy_pct, -- "busy share" [%] busy time as a share of the time
  (ranked.total_ns - ranked.busy_ns) * 100.0 / nullif(ranked.total_ns, 0) AS idle_pct, -- "idle share" [%] (lower) idle time as a share of the time
  ranked.exposed_comm_ns * 100.0 / nullif(ranked.total_ns, 0) AS exposed_comm_pct, -- "exposed communication" [%] (lower) exposed communication as a share of the time
  substr(headline.words, 1, instr(replace(headline.words, '.', ':') || ':', ':') - 1) AS bottleneck, -- [text] bottleneck of the run, the headline in short
  finding.kind AS finding, -- [text] first finding of the run
  finding.saves_ms AS saves_ms, -- "saves" [ms] estimated saving of the first finding
  substr(headline.words, 1, instr(headline.words || ' ', '. ')) AS headline -- [text] first sentence of the headline
FROM ranked
LEFT JOIN run_headline AS headline ON headline.run = ranked.run
LEFT JOIN run_finding AS finding ON finding.run = ranked.run AND finding.place = 1
ORDER BY ranked.run;
