-- Kernel time by name (the layout of rocpd).
-- set: rocpd
-- question: kernels
-- sheet: kernels_summary
-- position: 20
-- unit: run
-- key: name
-- measure: duration, calls
-- columns-when: median not compat
-- empty: no_work, no_kernels
CREATE VIEW rocpd_kernels_summary AS
WITH grouped AS (
  SELECT arg(value, 'key1') AS run, arg(value, 'key2') AS named, arg(value, 'sum') AS total, arg(value, 'count') AS count, arg(value, 'mean') AS mean, arg(value, 'median') AS middle,
    arg(value, 'min') AS least, arg(value, 'max') AS most, arg(value, 'stddev') AS deviation
  FROM json_each((SELECT summaries(dur_ns, run, name_id) FROM rocpd_kernel))
)
SELECT
  grouped.run AS run, -- [text] name of the run
  string.text AS name, -- "Name" [text] name of the kernel
  grouped.count AS calls, -- "Calls" [integer] number of runs of the kernel
  grouped.total AS duration, -- "DURATION (nsec)" [ns] (lower) sum of kernel durations
  grouped.mean AS average, -- "AVERAGE (nsec)" [real] mean kernel duration
  grouped.total * 100.0 / nullif(sum(grouped.total) OVER (PARTITION BY grouped.run), 0) AS percent, -- "PERCENT (INC)" [%] share of the sum of all durations
  grouped.least AS min, -- "MIN (nsec)" [integer] minimum kernel duration
  grouped.most AS max, -- "MAX (nsec)" [integer] maximum kernel duration
  grouped.deviation AS std_dev, -- "STD_DEV" [real] standard deviation of the duration (n - 1); NULL for a single event
  grouped.middle AS median -- "MEDIAN (nsec)" [real] median kernel duration
FROM grouped
JOIN string ON string.id = grouped.named
ORDER BY grouped.run, grouped.total DESC, string.text;
