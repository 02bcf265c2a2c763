-- Number of short kernels by duration.
-- set: rocprof
-- question: kernels
-- sheet: short_kernel_histogram
-- position: 60
-- traces: rocprof_trace
-- key: bin_start
-- measure: count
-- when: short-kernel-study
-- keep-empty: yes
-- chart: column bin_start count
-- empty: no_work, no_kernels, no_short_kernels
CREATE VIEW rocprof_short_kernel_histogram AS
WITH RECURSIVE bounds AS MATERIALIZED (
  SELECT run, trace_id, bins,
    CASE WHEN least < most THEN least ELSE least - 0.5 END AS low,
    CASE WHEN least < most THEN most ELSE most + 0.5 END AS high
  FROM (
    SELECT run, trace_id, min(dur_ns / unit.us) AS least, max(dur_ns / unit.us) AS most,
      (SELECT CAST(tpq_option('short-kernel-histogram-bins') AS INTEGER)) AS bins
    FROM rocprof_short_kernel CROSS JOIN rocprof_unit AS unit
    GROUP BY run, trace_id
  )
),
numbers (bin) AS (SELECT 0 UNION ALL SELECT bin + 1 FROM numbers WHERE bin + 1 < (SELECT max(bins) FROM bounds)),
edges AS MATERIALIZED (
  SELECT run, trace_id, bin, bins, low + bin * ((high - low) / bins) AS bin_start,
    CASE WHEN bin + 1 = bins THEN high ELSE low + (bin + 1) * ((high - low) / bins) END AS bin_end
  FROM bounds CROSS JOIN numbers
  WHERE bin < bins
),
placed AS (
  SELECT bounds.run AS run, bounds.trace_id AS trace_id, bounds.bins AS bins, duration, count,
    CAST(min((duration - low) * (bins / (high - low)), bins - 1) AS INTEGER) AS bin
  FROM (SELECT run, trace_id, dur_ns / unit.us AS duration, count(*) AS count FROM rocprof_short_kernel CROSS JOIN rocprof_unit AS unit GROUP BY run, trace_id, dur_ns / unit.us) AS kernel
  JOIN bounds ON bounds.run = kernel.run AND bounds.trace_id = kernel.trace_id
),
counted AS (
  SELECT placed.run AS run, placed.trace_id AS trace_id,
    CASE
      WHEN placed.duration < edges.bin_start THEN placed.bin - 1
      WHEN placed.duration >= edges.bin_end AND placed.bin <> placed.bins - 1 THEN placed.bin + 1
      ELSE placed.bin
    END AS bin, sum(placed.count) AS count
  FROM placed
  JOIN edges ON edges.run = placed.run AND edges.trace_id = placed.trace_id AND edges.bin = placed.bin
  GROUP BY 1, 2, 3
)
SELECT
  edges.run AS run, -- [text] name of the run
  edges.trace_id AS trace_id, -- [integer] id of the trace
  edges.bin_start AS bin_start, -- [us] lower limit of the kernel duration
  edges.bin_end AS bin_end, -- [us] upper limit of the kernel duration, not included
  coalesce(counted.count, 0) AS count -- [integer] number of kernels
FROM edges
LEFT JOIN counted ON counted.run = edges.run AND counted.trace_id = edges.trace_id AND counted.bin = edges.bin
ORDER BY edges.run, edges.trace_id, edges.bin;
