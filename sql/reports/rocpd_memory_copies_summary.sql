-- Time of copies by their direction, as rocpd sums it up.
-- set: rocpd
-- sheet: memory_copies_summary
-- position: 30
-- unit: run
-- key: name
-- measure: duration, calls
-- columns-when: median not compat
-- empty: lacks_work, lacks_directed_copies
CREATE VIEW rocpd_memory_copies_summary AS
WITH grouped AS (
  SELECT run, name_id AS named, sum(dur_ns) AS total, count(*) AS count, avg(dur_ns) AS mean, median(dur_ns) AS middle, min(dur_ns) AS least,
    max(dur_ns) AS most, stddev_samp(dur_ns) AS deviation
  FROM rocpd_copy
  GROUP BY run, name_id
)
SELECT
  grouped.run AS run, -- [text] run
  coalesce(copy.name, string.text) AS name, -- "Name" [text] direction of the copies
  grouped.count AS calls, -- "Calls" [integer] how often
  grouped.total AS duration, -- "DURATION (nsec)" [ns] (lower) sum of their durations
  grouped.mean AS average, -- "AVERAGE (nsec)" [real] mean duration
  grouped.total * 100.0 / nullif(sum(grouped.total) OVER (PARTITION BY grouped.run), 0) AS percent, -- "PERCENT (INC)" [%] share of the sum of all rows
  grouped.least AS min, -- "MIN (nsec)" [integer] least duration
  grouped.most AS max, -- "MAX (nsec)" [integer] greatest duration
  grouped.deviation AS std_dev, -- "STD_DEV" [real] standard deviation of a sample; NULL for one
  grouped.middle AS median -- "MEDIAN (nsec)" [real] median duration
FROM grouped
JOIN string ON string.id = grouped.named
LEFT JOIN (SELECT name_id, name FROM rocpd_copy_name) AS copy ON copy.name_id = grouped.named
ORDER BY grouped.run, grouped.total DESC, coalesce(copy.name, string.text);
