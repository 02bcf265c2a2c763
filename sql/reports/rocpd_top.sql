-- Time of calls, kernels and memcpy by name, the longest first (the view top of rocpd).
-- set: rocpd
-- question: time first
-- words: slowest
-- sheet: top
-- position: 130
-- unit: run
-- key: name
-- measure: total_duration, total_calls
-- when: never
-- empty: no_timed_names
CREATE VIEW rocpd_top AS
WITH sample AS (
  SELECT run, name_id, NULL AS label, dur_ns FROM rocpd_work
  UNION ALL
  SELECT run, name_id, NULL, dur_ns FROM rocpd_call
  UNION ALL
  SELECT run, NULL, CASE style WHEN 'StartEnd' THEN 'roctxProcessRangeA' ELSE 'roctxThreadRangeA' END, dur_ns
  FROM marked_range
  WHERE style <> 'Point' AND (SELECT tpq_like_reference('rocpd: ranges among calls'))
),
named AS (
  SELECT run, name_id, label, count(*) AS calls, sum(dur_ns) AS total
  FROM sample
  GROUP BY run, name_id, label
)
SELECT
  named.run AS run, -- [text] name of the run
  coalesce(named.label, copy.name, string.text) AS name, -- "name" [text] name of the runtime call, kernel or memcpy
  named.calls AS total_calls, -- "total_calls" [integer] number of calls
  named.total / 1000.0 AS total_duration, -- "total_duration" [us] (lower) sum of durations
  CASE WHEN (SELECT tpq_like_reference('rocpd: averages of kernels')) THEN named.total / named.calls / 1000.0 ELSE named.total / 1000.0 / named.calls END AS average, -- "average" [us] mean duration
  named.total * 100.0 / nullif(sum(named.total) OVER (PARTITION BY named.run), 0) AS percentage -- "percentage" [%] share of the sum of all durations
FROM named
LEFT JOIN string ON string.id = named.name_id
LEFT JOIN (SELECT name_id, name FROM rocpd_copy_name) AS copy ON copy.name_id = named.name_id
ORDER BY named.run, named.total DESC, coalesce(named.label, copy.name, string.text);
