-- Range time by text, marks included (the layout of rocpd).
-- set: rocpd
-- question: steps
-- sheet: markers_summary
-- position: 110
-- unit: run
-- key: name
-- measure: duration, calls
-- columns-when: median not compat
-- empty: lacks_ranges
CREATE VIEW rocpd_markers_summary AS
WITH listed AS (
  SELECT summaries(dur_ns, run, name) AS list
  FROM rocpd_marker
),
grouped AS (
  SELECT arg(item.value, 'key1') AS run, arg(item.value, 'key2') AS named, arg(item.value, 'sum') AS total, arg(item.value, 'count') AS count, arg(item.value, 'mean') AS mean,
    arg(item.value, 'median') AS middle, arg(item.value, 'min') AS least, arg(item.value, 'max') AS most, arg(item.value, 'stddev') AS deviation
  FROM listed
  CROSS JOIN json_each(listed.list) AS item
)
SELECT
  grouped.run AS run, -- [text] run
  grouped.named AS name, -- "Name" [text] text of the range
  grouped.count AS calls, -- "Calls" [integer] how often
  grouped.total AS duration, -- "DURATION (nsec)" [ns] (lower) sum of their durations
  grouped.mean AS average, -- "AVERAGE (nsec)" [real] mean duration
  grouped.total * 100.0 / nullif(sum(grouped.total) OVER (PARTITION BY grouped.run), 0) AS percent, -- "PERCENT (INC)" [%] share of the sum of all rows
  grouped.least AS min, -- "MIN (nsec)" [integer] least duration
  grouped.most AS max, -- "MAX (nsec)" [integer] greatest duration
  grouped.deviation AS std_dev, -- "STD_DEV" [real] standard deviation of a sample; NULL for one
  grouped.middle AS median -- "MEDIAN (nsec)" [real] median duration
FROM grouped
ORDER BY grouped.run, grouped.total DESC, grouped.named;
