-- Calls of tt-metal's ops as the formulas see them, one for each signature. What depends on the time
-- that a call took is in tt_op.
CREATE VIEW tt_call AS
WITH called AS (
  SELECT op.id AS op_id, named.text AS name, listed.text AS cells
  FROM op
  JOIN string AS named ON named.id = op.name_id
  JOIN string AS listed ON listed.id = op.concrete_id AND substr(listed.text, 1, 1) = '{'
),
signature AS (
  SELECT DISTINCT op_id, name, -- so that every figure is worked out once, not wherever it is used

    substr(name, 1, instr(name || ' ', ' ') - 1) AS op,
    CASE
      WHEN instr(name, '(torch)') > 0 THEN NULL
      WHEN instr(name, 'Matmul') > 0 THEN 'matmul'
      WHEN instr(name, 'OptimizedConvNew') > 0 OR instr(name, 'Conv2d') > 0 THEN 'convolution'
      WHEN instr(name, 'HaloDeviceOperation') > 0 THEN 'halo'
      WHEN name IN ('ScaledDotProductAttention', 'ScaledDotProductAttentionDeviceOperation', 'SDPAOperation') THEN 'attention'
    END AS analysis,
    coalesce(arg(cells, 'ATTRIBUTES'), '') AS attributes,
    arg(cells, 'MATH FIDELITY') AS fidelity,
    arg(cells, 'PM IDEAL [ns]') AS ideal_ns,
    tt_dimension(arg(cells, 'INPUT_0_W')) AS in0_w, tt_dimension(arg(cells, 'INPUT_0_Z')) AS in0_z,
    tt_dimension(arg(cells, 'INPUT_0_Y')) AS in0_y, tt_dimension(arg(cells, 'INPUT_0_X')) AS in0_x,
    tt_dimension(arg(cells, 'INPUT_1_W')) AS in1_w, tt_dimension(arg(cells, 'INPUT_1_Z')) AS in1_z,
    tt_dimension(arg(cells, 'INPUT_1_Y')) AS in1_y, tt_dimension(arg(cells, 'INPUT_1_X')) AS in1_x,
    tt_dimension(arg(cells, 'INPUT_2_W')) AS in2_w, tt_dimension(arg(cells, 'INPUT_2_Z')) AS in2_z,
    tt_dimension(arg(cells, 'INPUT_2_Y')) AS in2_y, tt_dimension(arg(cells, 'INPUT_2_X')) AS in2_x,
    tt_dimension(arg(cells, 'OUTPUT_0_W')) AS out_w, tt_dimension(arg(cells, 'OUTPUT_0_Z')) AS out_z,
    tt_dimension(arg(cells, 'OUTPUT_0_Y')) AS out_y, tt_dimension(arg(cells, 'OUTPUT_0_X')) AS out_x,
    arg(cells, 'INPUT_0_DATATYPE') AS in0_type, arg(cells, 'INPUT_1_DATATYPE') AS in1_type,
    arg(cells, 'INPUT_2_DATATYPE') AS in2_type, arg(cells, 'OUTPUT_0_DATATYPE') AS out_type,
    arg(cells, 'INPUT_0_MEMORY') AS in0_memory, arg(cells, 'INPUT_1_MEMORY') AS in1_memory,
    arg(cells, 'INPUT_2_MEMORY') AS in2_memory, arg(cells, 'OUTPUT_0_MEMORY') AS out_memory
  FROM called
),
sized AS (
  SELECT DISTINCT op_id, name, op, analysis, attributes, fidelity, ideal_ns, in0_y, in0_x, in1_y, in1_x, out_y, in0_type, in1_type, out_type,
    in0_memory, in0_w * in0_z AS heads,
    CASE WHEN in0_w >= in1_w THEN in0_w ELSE in1_w END * CASE WHEN in0_z >= in1_z THEN in0_z ELSE in1_z END AS batch,
    in0_x * tt_window_area(attributes) AS window_x,
    coalesce(CASE WHEN instr(in0_memory, 'DRAM') THEN tt_tensor_bytes(in0_w, in0_z, in0_y, in0_x, in0_type) END, 0)
      + coalesce(CASE WHEN instr(in1_memory, 'DRAM') THEN tt_tensor_bytes(in1_w, in1_z, in1_y, in1_x, in1_type) END, 0)
      + coalesce(CASE WHEN instr(out_memory, 'DRAM') THEN tt_tensor_bytes(out_w, out_z, out_y, out_x, out_type) END, 0) AS bytes,
    coalesce(CASE WHEN instr(in2_memory, 'DRAM') THEN tt_tensor_bytes(in2_w, in2_z, in2_y, in2_x, in2_type) END, 0) AS more_bytes
  FROM signature
)
SELECT
  op_id AS op_id, -- id of the call signature
  CASE analysis
    WHEN 'matmul' THEN name || coalesce(CASE WHEN batch > 1 THEN ' b={' || batch || '} x ' ELSE ' ' END || in0_y || ' x ' || in0_x || ' x ' || in1_x, '')
    WHEN 'convolution' THEN name || coalesce(' ' || out_y || ' x ' || window_x || ' x ' || in1_x, '') || ' ' || tt_label(name, attributes)
    WHEN 'halo' THEN name || ' ' || tt_label(name, attributes)
    ELSE name
  END AS label, -- name with sizes and flags
  analysis AS analysis, -- analysis of the op: matmul, convolution, halo or attention
  CASE WHEN instr(name, '(torch)') = 1 THEN 'Host' ELSE coalesce(
    (SELECT category FROM tt_category WHERE tt_category.op = sized.op AND NOT (is_newer AND (SELECT tpq_like_reference('tt: categories')))),
    (SELECT category FROM tt_category WHERE sized.op GLOB '*DeviceOperation' AND tt_category.op = substr(sized.op, 1, length(sized.op) - 15) AND NOT (is_newer AND (SELECT tpq_like_reference('tt: categories')))),
    'Other') END AS category, -- category of the op: Compute, DM, TM, Host, Other, or a name of your own
  CASE analysis
    WHEN 'matmul' THEN tt_matmul_flops(in0_y, in0_x, in1_x, batch)
    WHEN 'convolution' THEN tt_matmul_flops(out_y, window_x, in1_x, 1)
    WHEN 'attention' THEN CASE WHEN NOT (SELECT tpq_like_reference('tt: operations of attention')) THEN
      2 * tt_matmul_flops(in0_y, in0_x, in1_y, heads) / CASE WHEN instr(attributes, '''is_causal'': ''true''') OR instr(attributes, '''is_causal'': ''1''') THEN 2 ELSE 1 END END
  END AS flops, -- floating-point operations; for causal attention without the masked ones
  CASE
    WHEN analysis = 'matmul' THEN nullif(bytes, 0)
    WHEN (SELECT tpq_like_reference('tt: use of the memory')) THEN NULL
    WHEN analysis = 'attention' OR EXISTS (SELECT 1 FROM tt_category WHERE moves_all AND tt_category.op IN (sized.op, CASE WHEN sized.op GLOB '*DeviceOperation' THEN substr(sized.op, 1, length(sized.op) - 15) END)) THEN nullif(bytes + more_bytes, 0)
  END AS dram_bytes, -- DRAM traffic, of products and of ops that pass all of their tensors once
  fidelity AS fidelity, -- math fidelity
  tt_fidelity(in0_type, in1_type, out_type, fidelity) AS fidelity_class, -- fit of the math fidelity to the types
  tt_fidelity_advice(in0_type, in1_type, out_type, fidelity) AS fidelity_advice, -- advice about the math fidelity
  in0_type AS in0_type, -- type of the first input
  in1_type AS in1_type, -- type of the second input
  out_type AS out_type, -- type of the output
  coalesce(analysis, '') = 'matmul' AND instr(attributes, 'MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig') > 0 AS is_sharded, -- [boolean] 1 where the op reads weights that are spread over the memory's banks
  in0_memory AS in0_memory, -- memory of the first input
  tt_config(attributes, 'in0_block_w') AS block_w, -- size of the inner dimension's blocks
  tt_config(attributes, 'out_subblock_h') AS subblock_h, -- height of the output's blocks
  tt_config(attributes, 'out_subblock_w') AS subblock_w, -- width of the output's blocks
  op AS op, -- first word of the name
  tt_memory_layout(in0_memory) AS layout, -- memory and layout of the first input
  CASE
    WHEN instr(name, '(torch)') > 0 AND in0_type IS NULL AND out_type IS NULL THEN NULL
    WHEN analysis IN ('matmul', 'convolution') THEN trim(coalesce(fidelity, '') || ' ' || coalesce(tt_type_name(in0_type), '') || ' x ' || coalesce(tt_type_name(in1_type), '') || ' => ' || coalesce(tt_type_name(out_type), ''))
    ELSE trim(coalesce(tt_type_name(in0_type), '') || coalesce(CASE WHEN in0_type IS NULL THEN '' ELSE ', ' END || tt_type_name(in1_type), '') || coalesce(' => ' || tt_type_name(out_type), ''))
  END AS types, -- math fidelity, if it counts, and types
  CASE
    WHEN instr(name, '(torch)') > 0 THEN 'red'
    WHEN instr(name, 'Matmul') > 0 THEN 'magenta'
    WHEN instr(name, 'OptimizedConvNew') > 0 OR instr(name, 'Conv2d') > 0 THEN 'orange'
    WHEN instr(name, 'LayerNorm') > 0 OR instr(name, 'AllGather') > 0 OR instr(name, 'AllReduce') > 0 THEN 'cyan'
    WHEN instr(name, 'ScaledDotProductAttentionDecode') > 0 OR instr(name, 'ScaledDotProductAttentionGQADecode') > 0
      OR instr(name, 'NlpCreateHeadsDeviceOperation') > 0 OR instr(name, 'NLPConcatHeadsDecodeDeviceOperation') > 0
      OR instr(name, 'UpdateCache') > 0 THEN 'blue'
    ELSE 'white'
  END AS op_colour, -- colour of the name on a terminal
  CASE WHEN instr(name, 'Matmul') > 0 OR instr(name, 'OptimizedConvNew') > 0 THEN
    CASE tt_fidelity(in0_type, in1_type, out_type, fidelity) WHEN 'sufficient' THEN 'green' WHEN 'too_high' THEN 'red' WHEN 'too_low' THEN 'cyan' END
  END AS fidelity_colour, -- colour of the types on a terminal
  ideal_ns AS ideal_ns -- time that the profiler's own model expects
FROM sized;

-- The machine of each run: what its files say, else the option arch, else wormhole.
CREATE VIEW tt_machine AS
WITH file AS MATERIALIZED (
  SELECT listed.run AS run, listed.trace_id AS trace_id, arg(trace.metadata, 'version') AS version,
    nullif(arg(trace.metadata, 'architectures'), '[]') AS architectures,
    nullif(arg(trace.metadata, 'worker_cores'), '[]') AS cores
  FROM (SELECT DISTINCT run, trace_id FROM scope) AS listed
  JOIN trace ON trace.id = listed.trace_id AND trace.format = 'ttmetal'
),
stated AS (
  SELECT run, max(version) AS version,
    (SELECT substr(named.architectures, 3, instr(substr(named.architectures, 3), '"') - 1) FROM file AS named
     WHERE named.run = file.run AND named.architectures IS NOT NULL ORDER BY named.trace_id LIMIT 1) AS architecture,
    (SELECT CAST(substr(named.cores, 2) AS INTEGER) FROM file AS named
     WHERE named.run = file.run AND named.cores IS NOT NULL ORDER BY named.trace_id LIMIT 1) AS cores
  FROM file
  GROUP BY run
),
named_machine AS (
  SELECT run, version, cores,
    CASE lower(coalesce(CASE WHEN version = 'v2.1' THEN architecture ELSE (SELECT tpq_option('arch')) END, 'wormhole'))
      WHEN 'wormhole_b0' THEN 'wormhole'
      ELSE lower(coalesce(CASE WHEN version = 'v2.1' THEN architecture ELSE (SELECT tpq_option('arch')) END, 'wormhole'))
    END AS architecture
  FROM stated
)
SELECT
  named_machine.run AS run, -- name of the run
  named_machine.architecture AS architecture, -- architecture, as in device_model
  coalesce(named_machine.cores,
    CASE WHEN named_machine.version = 'v2.1' AND (SELECT tpq_like_reference('tt: peak of a convolution')) THEN 64 END,
    device_model.cores, 64) AS cores, -- number of cores for ops
  coalesce(CAST((SELECT tpq_option('dram-gbs')) AS REAL), device_model.mem_bw_gbps) AS dram_gbs -- [GB/s] peak DRAM bandwidth
FROM named_machine
LEFT JOIN device_model ON device_model.device = named_machine.architecture AND kind = 'core';

-- Ops of tt-metal with all that their reports show. The subject is a run: its files are hosts of
-- one machine. What the formulas need to know about a call is looked up once for each signature.
CREATE VIEW tt_op AS
WITH sequence AS (
  SELECT run, trace_id, host, position, event_id, id, kind, name, signpost, label, analysis, device, merged, least_ns, most_ns,
    device_time_us, gap_us, total_percent, device_percent, total_us, cores, available_cores, sub_device, bound, dram_gbs,
    dram_percent, tflops, flops_percent, fidelity, fidelity_class, fidelity_advice, in0_type, in1_type, out_type,
    is_sharded, in0_memory, block_w, subblock_h, subblock_w, ideal_us, call_count, category, op, layout, types, op_colour, fidelity_colour,
    CASE WHEN NOT (SELECT tpq_like_reference('tt: cores that an op could run on')) THEN coalesce(available_cores, 64) ELSE 64 END AS grid_cores
  FROM tt_sequence
)
SELECT
  run AS run, -- name of the run
  trace_id AS trace_id, -- id of the trace
  host AS host, -- number of the host: the rank of the file, else its place in the run, from 0
  position AS position, -- place in the sequence, from 1
  event_id AS event_id, -- id of the event of the op; of merged devices the one that counts
  id AS id, -- line in the file, counted on over the files of the run
  kind AS kind, -- device, host or signpost
  name AS name, -- name of the op
  signpost AS signpost, -- last signpost before the op
  coalesce(label, name || ' (signpost)') AS label, -- name with sizes and flags
  analysis AS analysis, -- analysis of the op: matmul, convolution, halo or attention
  device AS device, -- number of the device, counted on over the files of the run
  merged AS merged, -- number of devices whose ops are merged in the row
  least_ns AS least_ns, -- minimum duration over the merged devices
  most_ns AS most_ns, -- maximum duration over the merged devices
  device_time_us AS device_time_us, -- time on the device; NULL for host ops and signposts
  gap_us AS gap_us, -- gap between the previous op and the op
  total_percent AS total_percent, -- [%] share of the device time and gaps of all ops
  device_percent AS device_percent, -- [%] share of the device time of all ops
  total_us AS total_us, -- device time and gaps of all ops
  cores AS cores, -- cores that the op ran on
  available_cores AS available_cores, -- cores that the op could have run on
  sub_device AS sub_device, -- part of the device
  bound AS bound, -- bound of the op: DRAM, FLOP, BOTH, SLOW (nothing is used well) or HOST
  dram_gbs AS dram_gbs, -- [GB/s] achieved DRAM bandwidth
  dram_percent AS dram_percent, -- [%] share of the peak DRAM bandwidth
  tflops AS tflops, -- [TFLOPS] achieved TFLOP/s
  flops_percent AS flops_percent, -- [%] share of the peak TFLOP/s of the op's cores
  fidelity AS fidelity, -- math fidelity
  fidelity_class AS fidelity_class, -- fit of the math fidelity to the types
  in0_type AS in0_type, -- type of the first input
  in1_type AS in1_type, -- type of the second input
  out_type AS out_type, -- type of the output
  coalesce(is_sharded, 0) AS is_sharded, -- [boolean] 1 where the op reads weights that are spread over the memory's banks
  in0_memory AS in0_memory, -- memory of the first input
  block_w AS block_w, -- size of the inner dimension's blocks
  subblock_h AS subblock_h, -- height of the output's blocks
  subblock_w AS subblock_w, -- width of the output's blocks
  call_count AS call_count, -- number of the call over all devices
  ideal_us AS ideal_us, -- time that the profiler's own model expects
  op AS op, -- first word of the name
  layout AS layout, -- memory and layout of the first input
  types AS types, -- math fidelity, if it counts, and types
  op_colour AS op_colour, -- colour of the name on a terminal
  fidelity_colour AS fidelity_colour, -- colour of the types on a terminal
  grid_cores AS grid_cores, -- cores that are held to be all
  coalesce(category, 'Other') AS category, -- category of the op: Compute, DM, TM, Host, Other, or a name of your own
  CASE WHEN analysis = 'matmul' THEN substr(
    CASE WHEN bound IN ('DRAM', 'BOTH') AND NOT is_sharded THEN ' • shard the weights over the DRAM banks: a DRAM-sharded program configuration reads them faster' ELSE '' END
    || CASE WHEN bound = 'FLOP' AND cores < grid_cores THEN ' • use more cores: it runs on ' || cores || ' of ' || grid_cores ELSE '' END
    || CASE WHEN bound = 'SLOW' AND instr(in0_memory, 'L1') = 0 THEN ' • keep input 0 in L1; it lies in ' || in0_memory ELSE '' END
    || CASE WHEN bound = 'SLOW' AND coalesce(block_w, subblock_h, subblock_w) IS NULL THEN ' • give it a program configuration: then in0_block_w, out_subblock_h and out_subblock_w can be chosen' ELSE '' END
    || CASE WHEN bound = 'SLOW' AND block_w < 2 THEN ' • try in0_block_w of 2 or more, now ' || block_w ELSE '' END
    || CASE WHEN bound = 'SLOW' AND block_w IS NULL AND coalesce(subblock_h, subblock_w) IS NOT NULL THEN ' • state in0_block_w' ELSE '' END
    || CASE WHEN bound = 'SLOW' AND subblock_h * subblock_w < 2 THEN ' • try output subblocks of 2 tiles or more, now ' || subblock_h || 'x' || subblock_w ELSE '' END
    || CASE WHEN bound = 'SLOW' AND subblock_h * subblock_w IS NULL AND coalesce(block_w, subblock_h, subblock_w) IS NOT NULL THEN ' • state out_subblock_h and out_subblock_w' ELSE '' END
    || CASE WHEN bound = 'SLOW' AND block_w >= 2 AND subblock_h * subblock_w >= 2 THEN ' • in0_block_w ' || block_w || ' and subblocks of ' || subblock_h || 'x' || subblock_w || ' look good' ELSE '' END
    || CASE
      WHEN bound IN ('DRAM', 'BOTH') AND ((fidelity_class = 'too_low' AND flops_percent < 40) OR fidelity_class = 'too_high') THEN ' • ' || fidelity_advice
      WHEN bound = 'FLOP' AND fidelity_class = 'too_high' THEN ' • ' || fidelity_advice
      WHEN bound = 'SLOW' AND coalesce(block_w, subblock_h, subblock_w) IS NOT NULL THEN coalesce(' • ' || fidelity_advice, '')
      ELSE ''
    END, 4) END AS advice -- advice for the op, parted by dots; empty when nothing is to be done, NULL for ops without advice
FROM sequence;

-- Findings of Tenstorrent runs, one for each rule: all advice on an op belongs to its first rule, because one
-- estimated saving stands for all of it. A change of the fidelity alone has no estimate.
CREATE VIEW tt_finding AS
WITH subject AS MATERIALIZED (
  SELECT run, op_code, first_id, seen, coalesce(min(rule) FILTER (WHERE rule <> 'fidelity'), 'fidelity') AS rule, group_concat(upper(substr(try, 1, 1)) || substr(try, 2), '. ') AS try, max(ops) AS ops,
    max(device_time_us) AS device_us, max(gain_us) FILTER (WHERE rule <> 'fidelity') AS gain_us
  FROM (SELECT run, op_code, first_id, seen, rule, try, ops, device_time_us, gain_us FROM tt_advice WHERE rule <> 'blocks_fine' ORDER BY rule = 'fidelity', rule, try)
  GROUP BY run, op_code, first_id, seen
),
ranked AS MATERIALIZED (
  SELECT run, rule, substr(op_code, instr(op_code, ': ') + 2) AS label, first_id, try, ops, device_us, substr(seen, 1, instr(seen || ': ', ': ') - 1) AS problem, substr(seen, instr(seen || ': ', ': ') + 2) AS figures,
    sum(ops) OVER whole AS all_ops, sum(device_us) OVER whole AS all_us, sum(gain_us) OVER whole AS gain_us, count(*) OVER whole AS labels,
    row_number() OVER (PARTITION BY run, rule ORDER BY coalesce(gain_us, device_us) DESC, first_id) AS nth
  FROM subject
  WINDOW whole AS (PARTITION BY run, rule)
),
worded AS (
  SELECT ranked.run AS run, ranked.rule AS rule, ranked.first_id AS first_id, ranked.gain_us AS gain_us, ranked.all_us AS all_us, totals.device_time_us + totals.gap_us AS total_us, iif(rule = 'gap', 0, totals.gap_us) AS other_us, ranked.try AS try,
    CASE WHEN rule = 'gap' THEN replace(problem, 'before them', format('before %,d op%s', all_ops, iif(all_ops > 1, 's', '')))
      ELSE problem || ': ' || iif(labels > 1, format('%,d ops%s. %s: ', all_ops, coalesce(', ' || time_words(all_us * 1000), ''), iif(device_us IS NULL, 'First', 'Largest part')), '')
        || label || iif(ops > 1, format(', %,d times', ops), '') || coalesce(', ' || time_words(device_us * 1000), '') || iif(figures = '', '', ' (' || figures || ')') END AS words
  FROM ranked
  JOIN tt_totals AS totals ON totals.run = ranked.run
  WHERE nth = 1
)
SELECT
  run AS run, -- name of the run
  NULL AS trace_id, -- NULL: a finding is about the whole run
  rule AS rule, -- rule of the finding, as in tt_advice
  upper(substr(words, 1, 1)) || substr(words, 2) AS title, -- problem, the ops with it, and the op with the largest part
  try AS action, -- advice to try on that op
  CAST(gain_us * 1000 AS INTEGER) AS saving_ns, -- estimated saving of all advice on the ops (upper bound); NULL where there is no estimate
  CAST(total_us * 1000 AS INTEGER) AS span_ns, -- device time and gaps of all ops
  CAST(coalesce(all_us, 0) * 1000 AS INTEGER) AS time_ns, -- device time of the ops
  (SELECT event_id FROM tt_op WHERE tt_op.run = worded.run AND tt_op.id = worded.first_id) AS example_id, -- event of the first op
  row_number() OVER (PARTITION BY run ORDER BY gain_us IS NULL, gain_us DESC, all_us DESC, rule) AS place -- place in the list, from 1
FROM worded
WHERE coalesce(gain_us, all_us, total_us) * 100 >= (total_us - other_us) * (SELECT tpq_option('advice-min-percent'));
