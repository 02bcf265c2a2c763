-- GPU time by kind, for each device and the mean, with the overlapped communication.
-- set: pftrace
-- question: time
-- sheet: category_summary
-- position: 10
-- key: gpu, category
-- measure: time_ms, count
-- keep-empty: yes
-- empty: no_work
CREATE VIEW pftrace_category_summary AS
WITH work AS MATERIALIZED (
  SELECT run, trace_id, place, ts_ns, dur_ns, class
  FROM pftrace_activity
  WHERE is_long
),
sums AS MATERIALIZED (
  SELECT run, trace_id, place, class, sum(dur_ns) AS ns, count(*) AS count
  FROM work
  GROUP BY run, trace_id, place, class
),
beside AS (
  SELECT run, trace_id, place,
    CASE WHEN (SELECT tpq_like_reference('pftrace: overlapped communication')) THEN overlap_scan_ns(ts_ns, dur_ns, class = 'rccl') ELSE interval_intersection_ns(ts_ns, dur_ns, class = 'rccl') END AS overlapped_ns,
    coalesce(CASE WHEN (SELECT tpq_like_reference('pftrace: overlapped communication')) THEN sum(dur_ns) FILTER (WHERE class = 'rccl') ELSE interval_union_ns(ts_ns, dur_ns) FILTER (WHERE class = 'rccl') END, 0) AS communication_ns
  FROM work
  GROUP BY run, trace_id, place
),
totals AS MATERIALIZED (
  SELECT sums.run AS run, sums.trace_id AS trace_id, sums.place AS place, sum(ns) FILTER (WHERE class <> 'rccl') AS compute_ns, sum(ns) AS all_ns
  FROM sums
  GROUP BY sums.run, sums.trace_id, sums.place
),
kinds (position, category) AS (
  VALUES (1, 'xla'), (2, 'aiterfwd'), (3, 'aiterbwd'), (4, 'gemm'), (5, 'ckbwd'), (6, 'ckfwd'), (7, 'te'), (8, 'memcpy/memset'), (9, 'fillBuffer'),
    (10, 'rccl'), (11, 'overlapped_comm'), (12, 'non_overlapped_comm'), (13, 'compute_total'), (14, 'total_incl_comm')
),
parts AS MATERIALIZED (
  SELECT totals.run AS run, totals.trace_id AS trace_id, totals.place AS place, kinds.position AS position, kinds.category AS category,
    CASE kinds.position WHEN 11 THEN beside.overlapped_ns WHEN 12 THEN beside.communication_ns - beside.overlapped_ns
      WHEN 13 THEN coalesce(totals.compute_ns, 0) WHEN 14 THEN totals.all_ns ELSE coalesce(sums.ns, 0) END AS ns,
    coalesce(sums.count, 0) AS count, coalesce(totals.compute_ns, 0) AS compute_ns, totals.all_ns AS all_ns
  FROM totals
  CROSS JOIN kinds
  JOIN beside ON beside.run = totals.run AND beside.trace_id = totals.trace_id AND beside.place = totals.place
  LEFT JOIN sums ON sums.run = totals.run AND sums.trace_id = totals.trace_id AND sums.place = totals.place AND sums.class = kinds.category
),
shares AS (
  SELECT run, trace_id, place, position, category, ns / 1000000.0 AS ms, count * 1.0 AS count,
    CASE WHEN compute_ns > 0 THEN ns * 1.0 / compute_ns ELSE 0.0 END AS of_compute, CASE WHEN all_ns > 0 THEN ns * 1.0 / all_ns ELSE 0.0 END AS of_all
  FROM parts
),
listed AS (
  SELECT run, trace_id, CAST(place AS TEXT) AS gpu, place, position, '' AS name, category, ms, count, of_compute, of_all FROM shares
  UNION ALL
  SELECT run, trace_id, 'Avg', 9223372036854775807, 0, category, category, avg(ms), avg(count), avg(of_compute), avg(of_all)
  FROM shares
  GROUP BY run, trace_id, category
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  gpu AS gpu, -- "GPU ID" [text] number of the GPU, from 0; Avg = mean over all GPUs
  category AS category, -- "Category" [text] kind of GPU activity
  ms AS time_ms, -- "Total runtime (ms)" [ms] (lower) sum of durations
  count AS count, -- "Total count" [real] number of GPU activities
  of_compute AS of_compute, -- "Fraction of compute runtime" [real] share of compute_total
  of_all AS of_all -- "Fraction of total runtime" [real] share of total_incl_comm
FROM listed
ORDER BY run, trace_id, place, position, name;
