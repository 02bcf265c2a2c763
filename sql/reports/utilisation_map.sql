-- How busy each device was over time. The time is cut into parts (--heat-bins, at most
-- 100,000); each part has the share of busy time, in all and by kind. One block on one
-- multiprocessor counts as much as a full device.
-- set: pytorch
-- question: time
-- position: 360
-- key: device, kind, bin
-- measure: busy_ms
-- when: never
-- empty: no_work
CREATE VIEW utilisation_map AS
WITH RECURSIVE span AS MATERIALIZED (
  SELECT work.run AS run, work.trace_id AS trace_id, coalesce(base.from_ns, min(work.ts_ns)) AS from_ns, coalesce(base.until_ns, max(work.end_ns)) - coalesce(base.from_ns, min(work.ts_ns)) AS length_ns,
    min(100000, CAST((SELECT tpq_option('heat-bins')) AS INTEGER)) AS bins
  FROM window_work AS work
  LEFT JOIN time_base AS base ON base.run = work.run AND base.trace_id = work.trace_id AND base.device IS NULL AND base.trace_id IN (SELECT trace_id FROM scope_time)
  GROUP BY work.run, work.trace_id
),
place (bin) AS (
  SELECT 0
  UNION ALL
  SELECT bin + 1 FROM place WHERE bin + 1 < min(100000, CAST((SELECT tpq_option('heat-bins')) AS INTEGER))
),
-- the integer product could be too great for long times and many parts
part AS MATERIALIZED (
  SELECT span.run AS run, span.trace_id AS trace_id, place.bin AS bin,
    span.from_ns + span.length_ns / span.bins * place.bin + span.length_ns % span.bins * place.bin / span.bins AS from_ns,
    span.from_ns + span.length_ns / span.bins * (place.bin + 1) + span.length_ns % span.bins * (place.bin + 1) / span.bins AS to_ns
  FROM span
  CROSS JOIN place
),
kind (place, kind) AS (
  VALUES (0, 'any'), (1, 'computation'), (2, 'communication'), (3, 'memory')
),
busy AS MATERIALIZED (
  SELECT work.run AS run, work.trace_id AS trace_id, work.device AS device,
    interval_parts(work.ts_ns, work.dur_ns, span.from_ns, span.length_ns, span.bins) AS any_ns,
    interval_parts(work.ts_ns, work.dur_ns, span.from_ns, span.length_ns, span.bins) FILTER (WHERE work.kind = 'computation') AS computation_ns,
    interval_parts(work.ts_ns, work.dur_ns, span.from_ns, span.length_ns, span.bins) FILTER (WHERE work.kind = 'communication') AS communication_ns,
    interval_parts(work.ts_ns, work.dur_ns, span.from_ns, span.length_ns, span.bins) FILTER (WHERE work.kind = 'memory') AS memory_ns
  FROM window_work AS work
  CROSS JOIN span ON span.run = work.run AND span.trace_id = work.trace_id -- work stays grouped
  GROUP BY work.run, work.trace_id, work.device
),
covered AS MATERIALIZED (
  SELECT busy.run AS run, busy.trace_id AS trace_id, busy.device AS device, kind.place AS place, each.key AS bin, each.value AS busy_ns
  FROM busy
  CROSS JOIN kind
  CROSS JOIN json_each(CASE kind.place WHEN 0 THEN busy.any_ns WHEN 1 THEN busy.computation_ns WHEN 2 THEN busy.communication_ns ELSE busy.memory_ns END) AS each
)
SELECT
  device.run AS run, -- [text] name of the run
  device.trace_id AS trace_id, -- [integer] id of the trace
  device.device AS device, -- [integer] number of the device
  kind.kind AS kind, -- [text] kind of GPU activity: any, computation, communication or memory
  part.bin AS bin, -- [integer] number of the time bin, from 0
  (part.from_ns - span.from_ns) / 1000000.0 AS from_ms, -- [ms] start of the time bin, from the first GPU activity or the start of the selected window
  (part.to_ns - span.from_ns) / 1000000.0 AS to_ms, -- [ms] end of the time bin, from the first GPU activity or the start of the selected window
  coalesce(covered.busy_ns, 0) / 1000000.0 AS busy_ms, -- [ms] busy time of the kind
  coalesce(covered.busy_ns, 0) * 100.0 / (part.to_ns - part.from_ns) AS percent -- [%] busy time of the kind as a share of the time bin
FROM busy AS device
JOIN span ON span.run = device.run AND span.trace_id = device.trace_id
JOIN part ON part.run = device.run AND part.trace_id = device.trace_id AND part.to_ns > part.from_ns
CROSS JOIN kind
LEFT JOIN covered ON covered.run = device.run AND covered.trace_id = device.trace_id AND covered.device IS device.device AND covered.place = kind.place AND covered.bin = part.bin
ORDER BY device.run, device.trace_id, device.device, kind.place, part.bin;
