-- Time of calls of HSA by name, as rocpd sums it up.
-- set: rocpd
-- sheet: hsa_summary
-- position: 70
-- unit: run
-- key: name
-- measure: duration, calls
-- columns-when: median not compat
-- empty: lacks_hsa_calls
CREATE VIEW rocpd_hsa_summary AS
WITH grouped AS (
  SELECT run, name_id AS named, sum(dur_ns) AS total, count(*) AS count, avg(dur_ns) AS mean, median(dur_ns) AS middle, min(dur_ns) AS least,
    max(dur_ns) AS most, stddev_samp(dur_ns) AS deviation
  FROM rocpd_call
  WHERE kind = 'hsa'
  GROUP BY run, name_id
)
SELECT
  grouped.run AS run, -- [text] run
  string.text AS name, -- "Name" [text] name of the function
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
ORDER BY grouped.run, grouped.total DESC, string.text;
