-- Time of allocating and freeing scratch memory of kernels (the layout of rocpd).
-- set: rocpd
-- question: memory
-- sheet: scratch_memory_summary
-- position: 50
-- unit: run
-- key: name
-- measure: duration, calls
-- columns-when: median not compat
-- columns-of: rocpd_memory_allocations_summary
-- empty: no_scratch_memory
CREATE VIEW rocpd_scratch_memory_summary AS
WITH grouped AS (
  SELECT run, type AS named, sum(dur_ns) AS total, count(*) AS count, avg(dur_ns) AS mean, median(dur_ns) AS middle, min(dur_ns) AS least,
    max(dur_ns) AS most, stddev_samp(dur_ns) AS deviation
  FROM rocpd_allocation_count
  WHERE category = 'scratch_memory'
  GROUP BY run, type
)
SELECT
  grouped.run,
  grouped.named AS name, -- "Name" [text] kind of scratch memory event: ALLOC, FREE or RECLAIM
  grouped.count AS calls, -- "Calls" [integer] number of scratch memory events
  grouped.total AS duration, grouped.mean AS average,
  grouped.total * 100.0 / nullif(sum(grouped.total) OVER (PARTITION BY grouped.run), 0) AS percent, grouped.least AS min, grouped.most AS max,
  grouped.deviation AS std_dev, grouped.middle AS median
FROM grouped
ORDER BY grouped.run, grouped.total DESC, grouped.named;
