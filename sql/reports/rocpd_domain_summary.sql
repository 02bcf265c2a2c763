-- Time of all records by kind, a row for each rocpd summary that has rows.
-- set: rocpd
-- question: time
-- sheet: domain_summary
-- position: 10
-- unit: run
-- key: name
-- measure: duration, calls
-- columns-when: median not compat
-- empty: no_summaries
CREATE VIEW rocpd_domain_summary AS
WITH sample AS NOT MATERIALIZED (
  SELECT run, 'kernels' AS kind, name_id, NULL AS label, dur_ns FROM rocpd_kernel
  UNION ALL
  SELECT scope.run, 'memory_copies', gpu_event.name_id, NULL, gpu_event.dur_ns
  FROM scope
  CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
  WHERE gpu_event.category_id = (SELECT id FROM category WHERE name = 'gpu_memcpy')
  UNION ALL
  SELECT run, 'memory_allocations', NULL, type, dur_ns FROM rocpd_allocation_count
  UNION ALL
  SELECT run, 'scratch_memory', NULL, type, dur_ns FROM rocpd_allocation_count WHERE category = 'scratch_memory'
  UNION ALL
  SELECT run, kind, name_id, NULL, dur_ns FROM rocpd_call WHERE kind IN ('hip', 'hsa', 'rccl', 'rocdecode', 'rocjpeg')
  UNION ALL
  SELECT run, 'markers', NULL, name, dur_ns FROM marked_range
),
listed AS (
  SELECT summaries(dur_ns, run, kind) AS list
  FROM sample
),
exact AS (
  SELECT arg(item.value, 'key1') AS run, arg(item.value, 'key2') AS kind, arg(item.value, 'count') AS calls, arg(item.value, 'sum') AS total, arg(item.value, 'mean') AS mean,
    arg(item.value, 'min') AS least, arg(item.value, 'max') AS most, arg(item.value, 'stddev') AS deviation, arg(item.value, 'median') AS middle
  FROM listed
  CROSS JOIN json_each(listed.list) AS item
),
added AS (
  SELECT run, kind, sum(mean) AS mean, sum(deviation) AS deviation
  FROM (SELECT run, kind, avg(dur_ns) AS mean, stddev_samp(dur_ns) AS deviation
    FROM (SELECT 1 AS one WHERE tpq_like_reference('rocpd: averages of domains')) AS asked CROSS JOIN sample
    GROUP BY run, kind, name_id, label) AS named
  GROUP BY run, kind
)
SELECT
  exact.run AS run, -- [text] name of the run
  upper(exact.kind) AS name, -- "Name" [text] domain of the events
  exact.calls AS calls, -- "Calls" [integer] number of events
  exact.total AS duration, -- "DURATION (nsec)" [ns] (lower) sum of event durations
  coalesce(added.mean, exact.mean) AS average, -- "AVERAGE (nsec)" [real] mean event duration
  exact.total * 100.0 / nullif(sum(exact.total) OVER (PARTITION BY exact.run), 0) AS percent, -- "PERCENT (INC)" [%] share of the sum of all durations
  exact.least AS min, -- "MIN (nsec)" [integer] minimum event duration
  exact.most AS max, -- "MAX (nsec)" [integer] maximum event duration
  CASE WHEN (SELECT tpq_like_reference('rocpd: averages of domains')) THEN added.deviation ELSE exact.deviation END AS std_dev, -- "STD_DEV" [real] standard deviation of the duration (n - 1); NULL for a single event
  exact.middle AS median -- "MEDIAN (nsec)" [real] median event duration
FROM exact
LEFT JOIN added ON added.run = exact.run AND added.kind = exact.kind
ORDER BY exact.run, exact.total DESC, exact.kind;
