-- Kernels of no known kind, the longest first.
-- set: pftrace
-- question: kernels
-- sheet: xla_top
-- position: 20
-- key: kernel
-- measure: time_ms, count
-- keep-empty: yes
-- empty: no_work
CREATE VIEW pftrace_xla_top AS
WITH grouped AS (
  SELECT work.run AS run, work.trace_id AS trace_id, work.name AS name, sum(work.dur_ns) AS ns, count(*) AS count
  FROM pftrace_activity AS work
  WHERE work.class = 'xla'
  GROUP BY work.run, work.trace_id, work.name
),
numbered AS (
  SELECT run, trace_id, name, ns, count, sum(ns) OVER (PARTITION BY run, trace_id) AS all_ns,
    row_number() OVER (PARTITION BY run, trace_id ORDER BY ns DESC, name) AS place
  FROM grouped
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  name AS kernel, -- "Kernel" [kernel] name of the kernel
  ns / 1000000.0 AS time_ms, -- "Total time (ms)" [ms] (lower) sum of kernel durations
  count AS count, -- "Count" [integer] number of runs of the kernel
  CASE WHEN all_ns > 0 THEN ns * 1.0 / all_ns ELSE 0.0 END AS fraction -- "Fraction of XLA" [real] share of the time of all XLA kernels
FROM numbered
WHERE place <= (SELECT CAST(tpq_option('top-xla') AS INTEGER))
ORDER BY run, trace_id, place;
