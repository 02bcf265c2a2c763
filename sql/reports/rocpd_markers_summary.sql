-- Range time by text, marks included (the layout of rocpd).
-- set: rocpd
-- question: steps
-- sheet: markers_summary
-- position: 110
-- unit: run
-- key: name
-- measure: duration, calls
-- columns-when: median not compat
-- empty: no_ranges
CREATE VIEW rocpd_markers_summary AS
WITH listed AS (
  SELECT summaries(dur_ns, run, name) AS list
  FROM marked_range
),
grouped AS (
  SELECT arg(item.value, 'key1') AS run, arg(item.value, 'key2') AS named, arg(item.value, 'sum') AS total, arg(item.value, 'count') AS count, arg(item.value, 'mean') AS mean,
    arg(item.value, 'median') AS middle, arg(item.value, 'min') AS least, arg(item.value, 'max') AS most, arg(item.value, 'stddev') AS deviation
  FROM listed
  CROSS JOIN json_each(listed.list) AS item
)
SELECT
  grouped.run AS run, -- [text] name of the run
  grouped.named AS name, -- "Name" [text] text of the range
  grouped.count AS calls, -- "Calls" [integer] number of ranges
  grouped.total AS duration, -- "DURATION (nsec)" [ns] (lower) sum of range durations
  grouped.mean AS average, -- "AVERAGE (nsec)" [real] mean range duration
  grouped.total * 100.0 / nullif(sum(grouped.total) OVER (PARTITION BY grouped.run), 0) AS percent, -- "PERCENT (INC)" [%] share of the sum of all durations
  grouped.least AS min, -- "MIN (nsec)" [integer] minimum range duration
  grouped.most AS max, -- "MAX (nsec)" [integer] maximum range duration
  grouped.deviation AS std_dev, -- "STD_DEV" [real] standard deviation of the duration (n - 1); NULL for a single event
  grouped.middle AS median -- "MEDIAN (nsec)" [real] median range duration
FROM grouped
ORDER BY grouped.run, grouped.total DESC, grouped.named;
