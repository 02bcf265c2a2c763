-- What to try on Tenstorrent devices, the most promising first: equal ops together, with what was seen
-- and what it may save.
-- set: tt
-- sheet: advice
-- position: 30
-- unit: run
-- when: not no_advice
-- paragraphs: yes
CREATE VIEW tt_advice AS
WITH RECURSIVE op AS MATERIALIZED (
  SELECT run, id, label, bound, device_time_us, gap_us, total_us, dram_percent, flops_percent, fidelity, advice
  FROM tt_op
  WHERE bound = 'HOST' OR gap_us > 6.5 OR advice <> ''
),
alike AS MATERIALIZED (
  SELECT run, label || coalesce(' ' || fidelity, '') AS label, bound, advice, min(id) AS first_id, count(*) AS ops,
    sum(device_time_us) AS device_us, avg(dram_percent) AS dram_percent, avg(flops_percent) AS flops_percent,
    sum(device_time_us * (1 - CASE WHEN dram_percent > flops_percent THEN dram_percent ELSE flops_percent END / 65.0)) AS gain_us
  FROM op
  WHERE advice <> ''
  GROUP BY run, label, fidelity, bound, advice
),
item (run, label, bound, first_id, ops, device_us, dram_percent, flops_percent, gain_us, words, rest) AS (
  SELECT run, label, bound, first_id, ops, device_us, dram_percent, flops_percent, gain_us, NULL, advice || ' • '
  FROM alike
  UNION ALL
  SELECT run, label, bound, first_id, ops, device_us, dram_percent, flops_percent, gain_us,
    substr(rest, 1, instr(rest, ' • ') - 1), substr(rest, instr(rest, ' • ') + 3)
  FROM item
  WHERE rest <> ''
),
found AS (
  SELECT run, 'fallback' AS kind, label, min(id) AS first_id, count(*) AS ops, NULL AS device_us,
    'runs on the host while the device waits' AS seen, 'move it to the device' AS try, NULL AS gain_us
  FROM op
  WHERE bound = 'HOST'
  GROUP BY run, label
  UNION ALL
  SELECT run, 'gap', 'all ops with more than 6.5 us before them', min(id), count(*), sum(device_time_us),
    'the device waited ' || CAST(round(sum(gap_us)) AS INTEGER) || ' us before them, ' || round(100.0 * sum(gap_us) / total_us, 1) || ' % of the total',
    'record a metal trace: about 6 us remain of each gap; else keep the host ahead of the device, and make arguments of kernels compile-time', sum(gap_us - 6)
  FROM op
  WHERE gap_us > 6.5
  GROUP BY run, total_us
  UNION ALL
  SELECT run, 'matmul', label, first_id, ops, device_us,
    CASE bound WHEN 'SLOW' THEN 'neither memory nor cores are used well: ' WHEN 'DRAM' THEN 'bound by memory: ' WHEN 'FLOP' THEN 'bound by its cores: ' ELSE 'bound by memory and cores: ' END
      || 'DRAM ' || round(dram_percent, 1) || ' %, FLOPs ' || round(flops_percent, 1) || ' %',
    words, CASE WHEN bound = 'SLOW' AND instr(words, 'look good') = 0 THEN gain_us END
  FROM item
  WHERE words IS NOT NULL
)
SELECT
  run AS run, -- run
  kind || ': ' || label AS op_code, -- "OP Code" fallback (an op on the host), gap (waiting) or matmul, and the op with sizes and fidelity
  first_id AS first_id, -- "First ID" the first of the ops
  ops AS ops, -- "Ops" how many
  device_us AS device_time_us, -- "Device Time" [us] their time on the device
  seen AS seen, -- "Seen" what was seen, and why it costs
  try AS try, -- "Try" what to try
  gain_us AS gain_us -- "Gain" [us] what it may save at most: gaps down to 6 us each, or 65 % of what memory or cores can do
FROM found
ORDER BY run, coalesce(gain_us, 0) DESC, coalesce(device_us, 0) DESC, kind, first_id, try;
