-- Bins of equal width with the number of short kernels by duration, of all traces and once more of
-- those from rocprof.
CREATE VIEW short_kernel_bin AS
WITH RECURSIVE kernel AS MATERIALIZED (
  SELECT 0 AS is_rocprof, run, trace_id, dur_ns / 1000.0 AS duration, count(*) AS count FROM kernel_work
  WHERE dur_ns < (SELECT CAST(tpq_option('short-kernel-threshold-us') AS REAL) * 1000)
  GROUP BY run, trace_id, dur_ns
  UNION ALL
  SELECT 1, run, trace_id, dur_ns / unit.us, count(*) FROM rocprof_kernel CROSS JOIN rocprof_unit AS unit
  WHERE dur_ns < (SELECT CAST(tpq_option('short-kernel-threshold-us') AS REAL)) * unit.us
  GROUP BY run, trace_id, dur_ns / unit.us
),
bounds AS MATERIALIZED (
  SELECT is_rocprof, run, trace_id, bins,
    CASE WHEN least < most THEN least ELSE least - 0.5 END AS low,
    CASE WHEN least < most THEN most ELSE most + 0.5 END AS high
  FROM (
    SELECT is_rocprof, run, trace_id, min(duration) AS least, max(duration) AS most,
      (SELECT CAST(tpq_option('short-kernel-histogram-bins') AS INTEGER)) AS bins
    FROM kernel
    GROUP BY is_rocprof, run, trace_id
  )
),
numbers (bin) AS (SELECT 0 UNION ALL SELECT bin + 1 FROM numbers WHERE bin + 1 < (SELECT max(bins) FROM bounds)),
edges AS MATERIALIZED (
  SELECT is_rocprof, run, trace_id, bin, bins, low + bin * ((high - low) / bins) AS bin_start,
    CASE WHEN bin + 1 = bins THEN high ELSE low + (bin + 1) * ((high - low) / bins) END AS bin_end
  FROM bounds CROSS JOIN numbers
  WHERE bin < bins
),
placed AS (
  SELECT bounds.is_rocprof AS is_rocprof, bounds.run AS run, bounds.trace_id AS trace_id, bounds.bins AS bins, duration, count,
    CAST(min((duration - low) * (bins / (high - low)), bins - 1) AS INTEGER) AS bin
  FROM kernel
  JOIN bounds ON bounds.is_rocprof = kernel.is_rocprof AND bounds.run = kernel.run AND bounds.trace_id = kernel.trace_id
),
counted AS (
  SELECT placed.is_rocprof AS is_rocprof, placed.run AS run, placed.trace_id AS trace_id,
    CASE
      WHEN placed.duration < edges.bin_start THEN placed.bin - 1
      WHEN placed.duration >= edges.bin_end AND placed.bin <> placed.bins - 1 THEN placed.bin + 1
      ELSE placed.bin
    END AS bin, sum(placed.count) AS count
  FROM placed
  JOIN edges ON edges.is_rocprof = placed.is_rocprof AND edges.run = placed.run AND edges.trace_id = placed.trace_id AND edges.bin = placed.bin
  GROUP BY 1, 2, 3, 4
)
SELECT
  edges.run AS run, -- [text] name of the run
  edges.trace_id AS trace_id, -- [integer] id of the trace
  edges.is_rocprof AS is_rocprof, -- [boolean] whether the bin is made of rocprof_kernel, else of kernel_work
  edges.bin_start AS bin_start, -- [us] lower limit of the kernel duration
  edges.bin_end AS bin_end, -- [us] upper limit of the kernel duration, not included
  coalesce(counted.count, 0) AS count -- [integer] number of kernels
FROM edges
LEFT JOIN counted ON counted.is_rocprof = edges.is_rocprof AND counted.run = edges.run AND counted.trace_id = edges.trace_id AND counted.bin = edges.bin;
