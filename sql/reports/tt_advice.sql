-- Advice for Tenstorrent devices, the most promising first.
-- set: tt
-- question: advice first
-- format: ttmetal op tables of tt-metal
-- sheet: advice
-- position: 30
-- first: 3
-- key: rule, op_code
-- within: first_id
-- measure: gain_us, ops
-- unit: run
-- when: not no-advice
-- paragraphs: yes
-- terminal: op_code, first_id, ops, device_time_us, gain_us, seen, try
-- empty: no_tt_ops, no_advice
CREATE VIEW tt_advice AS
WITH RECURSIVE op AS MATERIALIZED (
  SELECT run, id, label, bound, device_time_us, gap_us, total_us, dram_percent, flops_percent, fidelity, advice
  FROM tt_op
  WHERE bound = 'HOST' OR gap_us > 6.5 OR advice <> ''
),
alike AS MATERIALIZED (
  SELECT run, label || coalesce(' ' || fidelity, '') AS label, bound, advice, min(id) AS first_id, count(*) AS ops,
    sum(device_time_us) AS device_us, avg(dram_percent) AS dram_percent, avg(flops_percent) AS flops_percent, max(total_us) AS total_us,
    sum(device_time_us * (1 - CASE WHEN dram_percent > flops_percent THEN dram_percent ELSE flops_percent END / 65.0)) AS gain_us
  FROM op
  WHERE advice <> ''
  GROUP BY run, label, fidelity, bound, advice
),
item (run, label, bound, first_id, ops, device_us, dram_percent, flops_percent, gain_us, total_us, words, rest) AS (
  SELECT run, label, bound, first_id, ops, device_us, dram_percent, flops_percent, gain_us, total_us, NULL, advice || ' • '
  FROM alike
  UNION ALL
  SELECT run, label, bound, first_id, ops, device_us, dram_percent, flops_percent, gain_us, total_us,
    substr(rest, 1, instr(rest, ' • ') - 1), substr(rest, instr(rest, ' • ') + 3)
  FROM item
  WHERE rest <> ''
),
found AS (
  SELECT run, 'fallback' AS kind, 'fallback' AS rule, label, min(id) AS first_id, count(*) AS ops, NULL AS device_us,
    'runs on the host while the device waits' AS seen, 'move it to the device' AS try, NULL AS gain_us, NULL AS total_us
  FROM op
  WHERE bound = 'HOST'
  GROUP BY run, label
  UNION ALL
  SELECT run, 'gap', 'gap', 'all ops with more than 6.5 us before them', min(id), count(*), sum(device_time_us),
    'the device waited ' || CASE WHEN sum(gap_us) < 1e4 THEN format('%.1f us', sum(gap_us)) ELSE format('%,d ms', CAST(round(sum(gap_us) / 1000) AS INTEGER)) END || ' before them, ' || round(100.0 * sum(gap_us) / total_us, 1) || ' % of the total',
    'record a metal trace: about 6 us remain of each gap; else keep the host ahead of the device, and make arguments of kernels compile-time', sum(gap_us - 6), total_us
  FROM op
  WHERE gap_us > 6.5
  GROUP BY run, total_us
  UNION ALL
  SELECT run, 'matmul',
    CASE
      WHEN words GLOB 'shard the weights*' THEN 'dram_sharding'
      WHEN words GLOB 'use more cores*' THEN 'grid'
      WHEN words GLOB 'keep input 0*' THEN 'input_in_dram'
      WHEN words GLOB 'give it a program*' THEN 'no_program_config'
      WHEN words GLOB '*in0_block_w of*' OR words GLOB 'state in0_block_w' THEN 'in0_block_w'
      WHEN words GLOB '*subblocks of 2*' OR words GLOB 'state out_subblock*' THEN 'subblocks'
      WHEN words GLOB '*look good' THEN 'blocks_fine'
      ELSE 'fidelity'
    END,
    label, first_id, ops, device_us,
    CASE bound WHEN 'SLOW' THEN 'neither memory nor cores are used well: ' WHEN 'DRAM' THEN 'bound by memory: ' WHEN 'FLOP' THEN 'bound by its cores: ' ELSE 'bound by memory and cores: ' END
      || 'DRAM ' || round(dram_percent, 1) || ' %, FLOPs ' || round(flops_percent, 1) || ' %',
    words, CASE WHEN bound = 'SLOW' THEN gain_us END, total_us
  FROM item
  WHERE words IS NOT NULL
)
SELECT
  run AS run, -- [text] name of the run
  kind || ': ' || label AS op_code, -- "OP Code" [text] fallback (an op on the host), gap (wait) or matmul, and the op with sizes and fidelity
  rule AS rule, -- "Rule" [text] subject of the advice, in a word
  CASE
    WHEN kind = 'fallback' THEN 'high'
    WHEN rule = 'blocks_fine' OR gain_us IS NULL THEN 'low'
    WHEN gain_us >= 0.05 * total_us THEN 'high'
    WHEN gain_us >= 0.01 * total_us THEN 'medium'
    ELSE 'low'
  END AS severity, -- "Severity" [text] severity: high (estimated saving of 5 % of the total, or an op on the host), medium (1 %) or low
  first_id AS first_id, -- "First ID" [name] id of the first op
  ops AS ops, -- "Ops" [integer] number of ops
  device_us AS device_time_us, -- "Device Time" [us] device time of the ops
  seen AS seen, -- "Seen" [text] observation, and its cost
  try AS try, -- "Try" [text] advice to try
  CASE WHEN rule <> 'blocks_fine' THEN gain_us END AS gain_us -- "Gain" [us] (lower) estimated saving of all advice about these ops (upper bound): gaps down to 6 us each, or 65 % of the peak of memory or cores
FROM found
ORDER BY run, coalesce(gain_us, 0) DESC, coalesce(device_us, 0) DESC, kind, first_id, rule, try;
