-- Gaps of a device, over all of its streams, and what the thread that ended them did meanwhile: from
-- the start of the gap to the call of the work that ends it waiting, another call, an op or nothing;
-- then the launch. Gaps shorter than the option gap_min_us are left out.
-- set: pytorch
-- position: 311
-- key: device, from_ms
-- measure: gap_ms
-- when: never
-- terminal: gap_ms, cause, before, after, from_ms, device, sync_ms, call_ms, op_ms, outside_ms, launch_ms
-- empty: lacks_work, lacks_device_gaps
CREATE VIEW gpu_gaps AS
WITH work AS (
  SELECT run, trace_id, device, id, name_id, ts_ns, call_id, call_track_id, call_ts_ns,
    max(end_ns) OVER (PARTITION BY run, trace_id, device ORDER BY ts_ns, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS until_ns
  FROM analysed_work
),
gap AS MATERIALIZED (
  SELECT run, trace_id, device, id, name_id, until_ns, ts_ns, call_id, call_track_id AS track_id, min(max(call_ts_ns, until_ns), ts_ns) AS stop_ns
  FROM work
  WHERE ts_ns - until_ns >= CAST(round(CAST((SELECT tpq_option('gap_min_us')) AS REAL) * 1000) AS INTEGER) AND ts_ns > until_ns
),
-- the work that ended last before the gap: of several the one that started first
ended AS (
  SELECT gap.id AS gap_id, work.name_id AS name_id, row_number() OVER (PARTITION BY gap.id ORDER BY work.ts_ns, work.id) AS place
  FROM analysed_work AS work
  JOIN gap ON gap.run = work.run AND gap.trace_id = work.trace_id AND gap.device IS work.device AND gap.until_ns = work.end_ns
),
-- where the thread was when the gap began: the last event that had started, of those before the call
opening AS MATERIALIZED (
  SELECT gap.id AS gap_id, gap.until_ns AS from_ns, gap.stop_ns AS stop_ns, gap.track_id AS track_id, gap.call_id AS call_id, trace.first_event AS first_event, (
    SELECT event.id FROM event
    WHERE event.id BETWEEN trace.first_event AND gap.call_id - 1 AND +event.track_id = gap.track_id AND event.ts_ns < gap.until_ns
    ORDER BY event.id DESC LIMIT 1) AS last_id
  FROM gap
  JOIN trace ON trace.id = gap.trace_id
  WHERE gap.call_id IS NOT NULL AND gap.stop_ns > gap.until_ns
),
near AS (
  SELECT gap_id, from_ns, stop_ns, event.id AS id
  FROM opening
  CROSS JOIN event ON event.id BETWEEN coalesce(opening.last_id, opening.first_event) AND opening.call_id AND +event.track_id = opening.track_id
  UNION
  SELECT gap_id, from_ns, stop_ns, above.id
  FROM opening
  CROSS JOIN ancestors(opening.last_id) AS above
),
-- 0: waiting call, 1: other call, 2: op
host AS (
  SELECT near.gap_id AS gap_id, max(event.ts_ns, near.from_ns) AS ts_ns, min(event.ts_ns + event.dur_ns, near.stop_ns) - max(event.ts_ns, near.from_ns) AS dur_ns,
    CASE WHEN category.role = 'op' THEN 2 WHEN event.name_id IN (
      SELECT string.id FROM call_kind JOIN string ON string.text = call_kind.name
      WHERE call_kind.kind IN ('device_sync', 'stream_sync', 'event_sync', 'blocking_copy')) THEN 0 ELSE 1 END AS what
  FROM near
  CROSS JOIN event ON event.id = near.id
  JOIN category ON category.id = event.category_id
  WHERE category.role IN ('op', 'call') AND event.ts_ns < near.stop_ns AND event.ts_ns + event.dur_ns > near.from_ns
),
part AS MATERIALIZED (
  SELECT gap_id, interval_union_ns(ts_ns, dur_ns) AS all_ns, coalesce(interval_union_ns(ts_ns, dur_ns) FILTER (WHERE what < 2), 0) AS calls_ns,
    coalesce(interval_union_ns(ts_ns, dur_ns) FILTER (WHERE what = 0), 0) AS sync_ns
  FROM host
  GROUP BY gap_id
),
parted AS (
  SELECT gap.run AS run, gap.trace_id AS trace_id, gap.device AS device, gap.until_ns AS until_ns, gap.ts_ns AS ts_ns, gap.id AS id, gap.name_id AS name_id,
    CASE WHEN gap.call_id IS NOT NULL THEN coalesce(part.sync_ns, 0) END AS sync_ns,
    CASE WHEN gap.call_id IS NOT NULL THEN coalesce(part.calls_ns - part.sync_ns, 0) END AS call_ns,
    CASE WHEN gap.call_id IS NOT NULL THEN coalesce(part.all_ns - part.calls_ns, 0) END AS op_ns,
    CASE WHEN gap.call_id IS NOT NULL THEN gap.stop_ns - gap.until_ns - coalesce(part.all_ns, 0) END AS outside_ns,
    CASE WHEN gap.call_id IS NOT NULL THEN gap.ts_ns - gap.stop_ns END AS launch_ns
  FROM gap
  LEFT JOIN part ON part.gap_id = gap.id
)
SELECT
  parted.run AS run, -- [text] run
  parted.trace_id AS trace_id, -- [integer] trace
  parted.device AS device, -- [integer] number of the device
  parted.until_ns / 1000000.0 AS from_ms, -- [ms] start of the gap, from the start of the trace
  (parted.ts_ns - parted.until_ns) / 1000000.0 AS gap_ms, -- [ms] (lower) its length
  before.text AS before, -- [kernel] work that ended last before it
  after.text AS after, -- [kernel] work that ended it
  CASE max(sync_ns, call_ns, op_ns, outside_ns, launch_ns)
    WHEN sync_ns THEN 'sync'
    WHEN call_ns THEN 'runtime call'
    WHEN op_ns THEN 'host op'
    WHEN outside_ns THEN 'host outside ops'
    WHEN launch_ns THEN 'launched, waiting'
    ELSE 'unknown' END AS cause, -- [text] the greatest part; unknown where no call is known
  sync_ns / 1000000.0 AS sync_ms, -- [ms] in calls that wait
  call_ns / 1000000.0 AS call_ms, -- [ms] in other calls
  op_ns / 1000000.0 AS op_ms, -- [ms] in ops
  outside_ns / 1000000.0 AS outside_ms, -- [ms] in neither
  launch_ns / 1000000.0 AS launch_ms -- [ms] from the start of the call to that of the work
FROM parted
JOIN string AS after ON after.id = parted.name_id
LEFT JOIN ended ON ended.gap_id = parted.id AND ended.place = 1
LEFT JOIN string AS before ON before.id = ended.name_id
ORDER BY parted.run, parted.trace_id, parted.device, parted.until_ns;
