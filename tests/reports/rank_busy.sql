-- How long the ranks of a run were busy, side by side.
-- set: pytorch
-- when: never
-- unit: run
-- spread: busy_us, kernels over rank
CREATE VIEW rank_busy AS
SELECT
  work.run AS run, -- run
  work.class AS class, -- computation, communication or memcpy
  trace.rank AS rank, -- rank
  interval_union_ns(work.ts_ns, work.dur_ns) / 1000.0 AS busy_us, -- "busy" [us] time with such work
  count(*) AS kernels -- GPU events
FROM timeline_work AS work
JOIN trace ON trace.id = work.trace_id
GROUP BY work.run, work.class, trace.rank
ORDER BY work.run, work.class, trace.rank;
