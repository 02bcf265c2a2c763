-- Time of allocating and freeing scratch memory of kernels (the layout of rocpd).
-- set: rocpd
-- question: memory
-- sheet: scratch_memory_summary
-- position: 50
-- unit: run
-- key: name
-- measure: duration, calls
-- columns-when: median not compat
-- empty: lacks_scratch_memory
CREATE VIEW rocpd_scratch_memory_summary AS
WITH grouped AS (
  SELECT run, type AS named, sum(dur_ns) AS total, count(*) AS count, avg(dur_ns) AS mean, median(dur_ns) AS middle, min(dur_ns) AS least,
    max(dur_ns) AS most, stddev_samp(dur_ns) AS deviation
  FROM rocpd_allocation_count
  WHERE category = 'scratch_memory'
  GROUP BY run, type
)
SELECT
  grouped.run AS run, -- [text] run
  grouped.named AS name, -- "Name" [text] what was done: ALLOC, FREE or RECLAIM
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
