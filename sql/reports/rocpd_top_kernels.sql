-- Kernel time by name, the longest first (the view top_kernels of rocpd).
-- set: rocpd
-- question: kernels
-- sheet: top_kernels
-- position: 120
-- unit: run
-- key: name
-- measure: total_duration, total_calls
-- when: never
-- empty: no_work, no_kernels
CREATE VIEW rocpd_top_kernels AS
WITH named AS (
  SELECT scope.run AS run, gpu_event.name_id AS name_id, count(*) AS calls, sum(gpu_event.dur_ns) AS total
  FROM scope
  CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
  WHERE gpu_event.category_id = (SELECT id FROM category WHERE name = 'kernel')
  GROUP BY scope.run, gpu_event.name_id
)
SELECT
  named.run AS run, -- [text] name of the run
  string.text AS name, -- "name" [text] name of the kernel
  named.calls AS total_calls, -- "total_calls" [integer] number of runs of the kernel
  named.total / 1000.0 AS total_duration, -- "total_duration" [us] (lower) sum of kernel durations
  CASE WHEN (SELECT tpq_like_reference('rocpd: averages of kernels')) THEN named.total / named.calls / 1000.0 ELSE named.total / 1000.0 / named.calls END AS average, -- "average" [us] mean kernel duration
  named.total * 100.0 / nullif(sum(named.total) OVER (PARTITION BY named.run), 0) AS percentage -- "percentage" [%] share of the sum of all durations
FROM named
JOIN string ON string.id = named.name_id
ORDER BY named.run, named.total DESC, string.text;
