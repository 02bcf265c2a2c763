-- Totals of the table of Tenstorrent ops.
-- set: tt
-- question: ops
-- format: ttmetal op tables of tt-metal
-- sheet: totals
-- position: 20
-- level: timeline
-- key: devices
-- measure: device_time_us
-- unit: run
-- when: never
-- empty: no_tt_ops
CREATE VIEW tt_totals AS
WITH shown AS (
  SELECT run, sum(instr(name, '(torch)') = 0 AND kind <> 'signpost' AND instr(name, 'signpost') = 0) AS device_ops,
    sum(instr(name, '(torch)') > 0) AS host_ops, sum(instr(name, '(torch)') = 0 AND (kind = 'signpost' OR instr(name, 'signpost') > 0)) AS signposts
  FROM tt_op
  WHERE NOT (SELECT tpq_like_reference('tt: ops counted below the table'))
  GROUP BY run
), counted AS (
  SELECT status.run AS run, devices, device_ns, gap_ns,
    CASE WHEN like_reference THEN status.device_ops ELSE coalesce(shown.device_ops, 0) END AS device_ops,
    CASE WHEN like_reference THEN status.host_ops ELSE coalesce(shown.host_ops, 0) END AS host_ops,
    CASE WHEN like_reference THEN status.signposts ELSE coalesce(shown.signposts, 0) END AS signposts
  FROM (SELECT tpq_like_reference('tt: ops counted below the table') AS like_reference) AS asked
  CROSS JOIN tt_status AS status
  LEFT JOIN shown ON shown.run = status.run
)
SELECT
  run AS run, -- [text] name of the run
  device_ops || ' device ops, ' || host_ops || ' host ops, ' || signposts || ' signposts' AS op_code, -- "OP Code" [text] counts by kind of op
  device_ops AS device_ops, -- "Device Ops" [integer] number of shown device ops; with --compat without ops before ids and host ops
  host_ops AS host_ops, -- "Host Ops" [integer] number of shown host ops; with --compat without ops before ids and host ops
  signposts AS signposts, -- "Signposts" [integer] number of shown signposts; with --compat without ops before ids and host ops
  devices AS devices, -- "Devices" [integer] number of devices
  100.0 AS total_percent, -- "Total %" [%] share of the device time and gaps
  100.0 AS device_percent, -- "Device %" [%] share of the device time
  device_ns / 1000.0 AS device_time_us, -- "Device Time" [us] (lower) device time of the shown ops
  gap_ns / 1000.0 AS gap_us, -- "Op-to-Op Gap" [us] (lower) gaps between the shown ops
  100.0 * gap_ns / nullif(device_ns + gap_ns, 0) AS gap_percent -- "Gap %" [%] (lower) share of the gaps
FROM counted
ORDER BY run;
