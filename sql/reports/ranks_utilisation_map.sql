-- How busy each rank was over the time of the run, on a common clock as far as the files allow. The
-- time is cut into parts (--heat-bins, at most 100,000); each part has the share of busy time,
-- in all and by kind.
-- set: multirank
-- question: ranks
-- position: 179
-- unit: run
-- tab: ranks
-- key: bin, rank
-- measure: any_percent
-- when: never
-- chart: heat bin rank any_percent
-- empty: no_work
CREATE VIEW ranks_utilisation_map AS
WITH RECURSIVE work AS (
  SELECT work.run AS run, rank.label AS label, rank.place AS place, work.kind AS kind, work.ts_ns + rank.start_ns - run_start.start_ns AS ts_ns, work.dur_ns AS dur_ns
  FROM window_work AS work
  JOIN run_rank AS rank ON rank.run = work.run AND rank.trace_id = work.trace_id
  JOIN run_start ON run_start.run = work.run
),
span AS MATERIALIZED (
  SELECT run, min(ts_ns) AS from_ns, max(ts_ns + dur_ns) - min(ts_ns) AS length_ns, min(100000, CAST((SELECT tpq_option('heat-bins')) AS INTEGER)) AS bins
  FROM work
  GROUP BY run
),
place (bin) AS (
  SELECT 0
  UNION ALL
  SELECT bin + 1 FROM place WHERE bin + 1 < min(100000, CAST((SELECT tpq_option('heat-bins')) AS INTEGER))
),
part AS (
  SELECT span.run AS run, place.bin AS bin, span.length_ns / span.bins * place.bin + span.length_ns % span.bins * place.bin / span.bins AS from_ns,
    span.length_ns / span.bins * (place.bin + 1) + span.length_ns % span.bins * (place.bin + 1) / span.bins AS to_ns
  FROM span
  CROSS JOIN place
),
busy AS MATERIALIZED (
  SELECT work.run AS run, work.label AS label, work.place AS place,
    interval_parts(work.ts_ns, work.dur_ns, span.from_ns, span.length_ns, span.bins) AS any_ns,
    interval_parts(work.ts_ns, work.dur_ns, span.from_ns, span.length_ns, span.bins) FILTER (WHERE work.kind = 'computation') AS computation_ns,
    interval_parts(work.ts_ns, work.dur_ns, span.from_ns, span.length_ns, span.bins) FILTER (WHERE work.kind = 'communication') AS communication_ns,
    interval_parts(work.ts_ns, work.dur_ns, span.from_ns, span.length_ns, span.bins) FILTER (WHERE work.kind = 'memory') AS memory_ns
  FROM work
  JOIN span ON span.run = work.run
  GROUP BY work.run, work.label, work.place
),
kinds (place) AS (
  VALUES (0), (1), (2), (3)
),
covered AS (
  SELECT busy.run AS run, busy.label AS label, busy.place AS place, each.key AS bin, sum(each.value) FILTER (WHERE kinds.place = 0) AS any_ns,
    sum(each.value) FILTER (WHERE kinds.place = 1) AS computation_ns, sum(each.value) FILTER (WHERE kinds.place = 2) AS communication_ns,
    sum(each.value) FILTER (WHERE kinds.place = 3) AS memory_ns
  FROM busy
  CROSS JOIN kinds
  CROSS JOIN json_each(CASE kinds.place WHEN 0 THEN busy.any_ns WHEN 1 THEN busy.computation_ns WHEN 2 THEN busy.communication_ns ELSE busy.memory_ns END) AS each
  GROUP BY busy.run, busy.label, busy.place, each.key
)
SELECT
  covered.run AS run, -- [text] name of the run
  covered.label AS rank, -- [label] number of the rank
  covered.bin AS bin, -- [integer] number of the time bin, from 0
  part.from_ns / 1000000.0 AS from_ms, -- [ms] start of the time bin, from the first GPU activity of any rank
  part.to_ns / 1000000.0 AS to_ms, -- [ms] end of the time bin, from the first GPU activity of any rank
  covered.any_ns * 100.0 / (part.to_ns - part.from_ns) AS any_percent, -- [%] (higher) busy time as a share of the time bin
  coalesce(covered.computation_ns, 0) * 100.0 / (part.to_ns - part.from_ns) AS computation_percent, -- [%] computation time as a share of the time bin
  coalesce(covered.communication_ns, 0) * 100.0 / (part.to_ns - part.from_ns) AS communication_percent, -- [%] communication time as a share of the time bin
  coalesce(covered.memory_ns, 0) * 100.0 / (part.to_ns - part.from_ns) AS memory_percent -- [%] memcpy and memset time as a share of the time bin
FROM covered
JOIN part ON part.run = covered.run AND part.bin = covered.bin AND part.to_ns > part.from_ns
ORDER BY covered.run, covered.place, covered.bin;
