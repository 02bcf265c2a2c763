-- Kernel time by name (the layout of rocpd).
-- set: rocpd
-- question: kernels
-- sheet: kernels_summary
-- position: 20
-- unit: run
-- key: name
-- measure: duration, calls
-- columns-when: median not compat
-- empty: lacks_work, lacks_kernels
CREATE VIEW rocpd_kernels_summary AS
WITH grouped AS (
  SELECT arg(value, 'key1') AS run, arg(value, 'key2') AS named, arg(value, 'sum') AS total, arg(value, 'count') AS count, arg(value, 'mean') AS mean, arg(value, 'median') AS middle,
    arg(value, 'min') AS least, arg(value, 'max') AS most, arg(value, 'stddev') AS deviation
  FROM json_each((SELECT summaries(dur_ns, run, name_id) FROM rocpd_kernel))
)
SELECT
  grouped.run AS run, -- [text] run
  string.text AS name, -- "Name" [text] name of the kernel
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
