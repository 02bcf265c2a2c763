-- Each kernel of kernel_pace with its start, the interval before it, and the difference from the
-- median interval.
-- set: pytorch
-- question: kernels
-- position: 356
-- key: name, number
-- measure: interval_us
-- no-sum: yes
-- when: never
-- not-included: not_included_besides_kernels
-- empty: no_kernels
CREATE VIEW kernel_pace_instances AS
WITH kernel AS MATERIALIZED (
  SELECT run, trace_id, id, name_id, ts_ns, dur_ns, pace_ns
  FROM analysed_work
  WHERE category_id = (SELECT id FROM category WHERE name = 'kernel')
),
sums AS (
  SELECT run, trace_id, name_id, median(pace_ns) AS median_ns
  FROM kernel
  GROUP BY run, trace_id, name_id
  HAVING count(*) >= 3
)
SELECT
  kernel.run AS run, -- [text] name of the run
  kernel.trace_id AS trace_id, -- [integer] id of the trace
  string.text AS name, -- [kernel] name of the kernel
  row_number() OVER (PARTITION BY kernel.run, kernel.trace_id, kernel.name_id ORDER BY kernel.ts_ns, kernel.id) AS number, -- [integer] index among the kernels of the name, from 1
  kernel.ts_ns / 1000000.0 AS start_ms, -- [ms] start of the kernel, from the start of the trace
  pace_ns / 1000.0 AS interval_us, -- [us] (lower) interval since the start of the kernel before it
  kernel.dur_ns / 1000.0 AS duration_us, -- [us] (lower) duration of the kernel
  (pace_ns - median_ns) / 1000.0 AS delta_us -- [us] difference of the interval from the median interval of the name
FROM kernel
JOIN sums ON sums.run = kernel.run AND sums.trace_id = kernel.trace_id AND sums.name_id = kernel.name_id
JOIN string ON string.id = kernel.name_id
ORDER BY kernel.run, kernel.trace_id, string.text, kernel.ts_ns, kernel.id;
