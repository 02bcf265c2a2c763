-- What the table of ops sums up to.
-- set: tt
-- sheet: totals
-- position: 20
-- unit: run
CREATE VIEW tt_totals AS
SELECT
  shown.run AS run, -- run
  status.device_ops AS device_ops, -- "Device Ops" ops on devices, before ids and host ops are left out
  status.host_ops AS host_ops, -- "Host Ops" ops on the host, likewise
  status.signposts AS signposts, -- "Signposts" signposts, likewise
  status.devices AS devices, -- "Devices" devices
  shown.device_us AS device_time_us, -- "Device Time" [us] (lower) time on the device, of the ops that are shown
  shown.gap_us AS gap_us, -- "Op-to-Op Gap" [us] (lower) time between them
  100.0 * shown.gap_us / nullif(shown.device_us + shown.gap_us, 0) AS gap_percent -- "Gap %" [%] (lower) share of the gaps
FROM (
  SELECT run, coalesce(sum(device_time_us), 0) AS device_us, coalesce(sum(gap_us), 0) AS gap_us
  FROM tt_op
  GROUP BY run
) AS shown
JOIN tt_status AS status ON status.run = shown.run
ORDER BY shown.run;
