-- Overview of Tenstorrent devices: device time by kind of op, and the longest ops.
-- set: tt
-- question: time first
-- position: 5
-- key: section, subject, name, words
-- measure: value
-- no-sum: yes
-- unit: run
-- when: never
-- tab: overview
-- terminal: section, subject, name, value, unit, percent, words
-- columns-of: overview
-- format: ttmetal op tables of tt-metal
-- empty: no_tt_ops
CREATE VIEW tt_overview AS
WITH status AS MATERIALIZED (
  SELECT run, device_ops, host_ops, devices, device_time_us, gap_us, gap_percent FROM tt_totals
),
stacked AS MATERIALIZED (
  SELECT run, op_code, device, device_time_sum, op_count, op_category, total_percent FROM tt_stacked
),
time_part AS (
  SELECT run, 'Time of the devices' AS section, 'bar' AS form, 'all devices' AS subject, op_category AS name,
    CASE op_category WHEN 'Compute' THEN 'compute' WHEN 'DM' THEN 'copy' WHEN 'TM' THEN 'comm' ELSE 'other' END AS kind,
    sum(device_time_sum) / 1000.0 AS value, 'ms' AS unit, sum(total_percent) AS percent, NULL AS words, 'stacked' AS report, sum(device_time_sum) AS position
  FROM stacked
  GROUP BY run, op_category
),
gap_part AS (
  SELECT run, 'Time on devices and between ops' AS section, 'bar' AS form, 'ops and gaps' AS subject, 'on the device' AS name, 'compute' AS kind,
    device_time_us / 1000.0 AS value, 'ms' AS unit, 100 - gap_percent AS percent, NULL AS words, 'totals' AS report, 2 AS position
  FROM status
  UNION ALL
  SELECT run, 'Time on devices and between ops', 'bar', 'ops and gaps', 'between ops', 'idle', gap_us / 1000.0, 'ms', gap_percent, NULL, 'totals', 1
  FROM status
),
card_part AS (
  SELECT run, 'Figures' AS section, 'card' AS form, '' AS subject, 'ops on devices' AS name, NULL AS kind, CAST(device_ops AS REAL) AS value, NULL AS unit, NULL AS percent,
    host_ops || ' ops on the host, devices: ' || devices AS words, 'totals' AS report, 1 AS position
  FROM status
),
op_part AS (
  SELECT run, 'Ops that take the most time' AS section, 'list' AS form, '' AS subject, op_code AS name, NULL AS kind, device_time_sum / 1000.0 AS value, 'ms' AS unit,
    total_percent AS percent, printf('%,d op', op_count) || CASE op_count WHEN 1 THEN '' ELSE 's' END || coalesce(' on device ' || device, '') AS words, 'stacked' AS report, device_time_sum AS position,
    row_number() OVER (PARTITION BY run ORDER BY device_time_sum DESC, op_code) AS place
  FROM stacked
),
try_part AS (
  SELECT run, 'Estimated savings' AS section, 'list' AS form, '' AS subject, op_code AS name, NULL AS kind, gain_us / 1000.0 AS value, 'ms' AS unit,
    NULL AS percent, seen || '. ' || try AS words, 'advice' AS report, -row_number() OVER (ORDER BY gain_us DESC) AS position
  FROM (SELECT run, op_code, seen, try, sum(gain_us) AS gain_us FROM tt_advice GROUP BY run, op_code, seen, try)
),
part AS (
  SELECT 0 AS part, run, section, form, subject, name, kind, value, unit, percent, words, report, position FROM try_part
  UNION ALL SELECT 1, run, section, form, subject, name, kind, value, unit, percent, words, report, position FROM time_part
  UNION ALL SELECT 2, run, section, form, subject, name, kind, value, unit, percent, words, report, position FROM gap_part
  UNION ALL SELECT 3, run, section, form, subject, name, kind, value, unit, percent, words, report, position FROM card_part
  UNION ALL SELECT 4, run, section, form, subject, name, kind, value, unit, percent, words, report, position FROM op_part WHERE place <= 8
)
SELECT run, section, form, subject, name, kind, value, unit, percent, words, report
FROM part
ORDER BY run, part.part, part.position DESC, part.name;
