-- Memcpy time by direction (the layout of rocpd).
-- set: rocpd
-- question: memory
-- sheet: memory_copies_summary
-- position: 30
-- unit: run
-- key: name
-- measure: duration, calls
-- columns-when: median not compat
-- empty: no_work, no_directed_copies
CREATE VIEW rocpd_memory_copies_summary AS
WITH grouped AS (
  SELECT arg(value, 'key1') AS run, arg(value, 'key2') AS named, arg(value, 'sum') AS total, arg(value, 'count') AS count, arg(value, 'mean') AS mean, arg(value, 'median') AS middle,
    arg(value, 'min') AS least, arg(value, 'max') AS most, arg(value, 'stddev') AS deviation
  FROM json_each((SELECT summaries(gpu_event.dur_ns, scope.run, gpu_event.name_id)
    FROM scope
    CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
    WHERE gpu_event.category_id = (SELECT id FROM category WHERE name = 'gpu_memcpy')))
)
SELECT
  grouped.run AS run, -- [text] name of the run
  coalesce(copy.name, string.text) AS name, -- "Name" [text] direction of the memcpys
  grouped.count AS calls, -- "Calls" [integer] number of memcpys
  grouped.total AS duration, -- "DURATION (nsec)" [ns] (lower) sum of memcpy durations
  grouped.mean AS average, -- "AVERAGE (nsec)" [real] mean memcpy duration
  grouped.total * 100.0 / nullif(sum(grouped.total) OVER (PARTITION BY grouped.run), 0) AS percent, -- "PERCENT (INC)" [%] share of the sum of all durations
  grouped.least AS min, -- "MIN (nsec)" [integer] minimum memcpy duration
  grouped.most AS max, -- "MAX (nsec)" [integer] maximum memcpy duration
  grouped.deviation AS std_dev, -- "STD_DEV" [real] standard deviation of the duration (n - 1); NULL for a single event
  grouped.middle AS median -- "MEDIAN (nsec)" [real] median memcpy duration
FROM grouped
JOIN string ON string.id = grouped.named
LEFT JOIN (SELECT name_id, name FROM rocpd_copy_name) AS copy ON copy.name_id = grouped.named
ORDER BY grouped.run, grouped.total DESC, coalesce(copy.name, string.text);
