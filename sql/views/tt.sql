-- Ops of tt-metal with all that their reports show. The subject is a run: its files are hosts of
-- one machine. What the formulas need to know about a call is looked up once for each signature.
CREATE VIEW tt_op AS
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
  SELECT run, cores,
    CASE lower(coalesce(CASE WHEN version = 'v2.1' THEN architecture ELSE (SELECT tpq_option('arch')) END, 'wormhole'))
      WHEN 'wormhole_b0' THEN 'wormhole'
      ELSE lower(coalesce(CASE WHEN version = 'v2.1' THEN architecture ELSE (SELECT tpq_option('arch')) END, 'wormhole'))
    END AS architecture
  FROM stated
),
machine AS MATERIALIZED (
  SELECT named_machine.run AS run, named_machine.architecture AS architecture,
    coalesce(named_machine.cores, device_model.cores, 64) AS cores,
    coalesce((SELECT tpq_option('dram_gbs')), device_model.mem_bw_gbps) AS dram_gbs
  FROM named_machine
  LEFT JOIN device_model ON device_model.device = named_machine.architecture AND kind = 'core'
),
cells AS MATERIALIZED (
  SELECT used.op_id AS op_id, string.text AS cells
  FROM (
    SELECT DISTINCT event.op_id AS op_id FROM scope
    CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
    WHERE event.op_id IS NOT NULL
  ) AS used
  JOIN op ON op.id = used.op_id
  JOIN string ON string.id = op.concrete_id
),
signature AS MATERIALIZED (
  SELECT op_id,
    coalesce(arg(cells, 'ATTRIBUTES'), '') AS attributes,
    arg(cells, 'MATH FIDELITY') AS fidelity,
    tt_dimension(arg(cells, 'INPUT_0_W')) AS in0_w, tt_dimension(arg(cells, 'INPUT_0_Z')) AS in0_z,
    tt_dimension(arg(cells, 'INPUT_0_Y')) AS in0_y, tt_dimension(arg(cells, 'INPUT_0_X')) AS in0_x,
    tt_dimension(arg(cells, 'INPUT_1_W')) AS in1_w, tt_dimension(arg(cells, 'INPUT_1_Z')) AS in1_z,
    tt_dimension(arg(cells, 'INPUT_1_Y')) AS in1_y, tt_dimension(arg(cells, 'INPUT_1_X')) AS in1_x,
    tt_dimension(arg(cells, 'OUTPUT_0_W')) AS out_w, tt_dimension(arg(cells, 'OUTPUT_0_Z')) AS out_z,
    tt_dimension(arg(cells, 'OUTPUT_0_Y')) AS out_y, tt_dimension(arg(cells, 'OUTPUT_0_X')) AS out_x,
    arg(cells, 'INPUT_0_DATATYPE') AS in0_type, arg(cells, 'INPUT_1_DATATYPE') AS in1_type, arg(cells, 'OUTPUT_0_DATATYPE') AS out_type,
    arg(cells, 'INPUT_0_MEMORY') AS in0_memory, arg(cells, 'INPUT_1_MEMORY') AS in1_memory, arg(cells, 'OUTPUT_0_MEMORY') AS out_memory
  FROM cells
),
sized AS MATERIALIZED (
  SELECT op_id, attributes, fidelity, in0_w, in0_z, in0_y, in0_x, in1_w, in1_z, in1_y, in1_x, out_w, out_z, out_y,
    out_x, in0_type, in1_type, out_type, in0_memory, in1_memory, out_memory,
    instr(attributes, 'MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig') > 0 AS is_sharded,
    tt_config(attributes, 'in0_block_w') AS block_w,
    tt_config(attributes, 'out_subblock_h') AS subblock_h,
    tt_config(attributes, 'out_subblock_w') AS subblock_w,
    CASE WHEN in0_w >= in1_w THEN in0_w ELSE in1_w END * CASE WHEN in0_z >= in1_z THEN in0_z ELSE in1_z END AS batch,
    in0_x * tt_window_area(attributes) AS window_x,
    coalesce(CASE WHEN instr(in0_memory, 'DRAM') THEN tt_tensor_bytes(in0_w, in0_z, in0_y, in0_x, in0_type) END, 0)
      + coalesce(CASE WHEN instr(in1_memory, 'DRAM') THEN tt_tensor_bytes(in1_w, in1_z, in1_y, in1_x, in1_type) END, 0)
      + coalesce(CASE WHEN instr(out_memory, 'DRAM') THEN tt_tensor_bytes(out_w, out_z, out_y, out_x, out_type) END, 0) AS dram_bytes,
    tt_fidelity(in0_type, in1_type, out_type, fidelity) AS fidelity_class,
    tt_fidelity_advice(in0_type, in1_type, out_type, fidelity) AS fidelity_advice
  FROM signature
),
analysed AS (
  SELECT sequence.run AS run, sequence.trace_id AS trace_id, sequence.position AS position, sequence.event_id AS event_id,
    sequence.id AS id, sequence.kind AS kind, sequence.device AS device, sequence.merged AS merged,
    sequence.least_ns AS least_ns, sequence.most_ns AS most_ns, string.text AS name,
    instr(string.text, '(torch)') > 0 AS is_host_op,
    CASE
      WHEN sequence.kind = 'signpost' OR instr(string.text, '(torch)') > 0 THEN NULL
      WHEN instr(string.text, 'Matmul') > 0 THEN 'matmul'
      WHEN instr(string.text, 'OptimizedConvNew') > 0 OR instr(string.text, 'Conv2d') > 0 THEN 'convolution'
      WHEN instr(string.text, 'HaloDeviceOperation') > 0 THEN 'halo'
    END AS analysis,
    sequence.duration_ns AS duration_ns,
    CASE WHEN sequence.kind <> 'signpost' AND instr(string.text, '(torch)') = 0 THEN coalesce(sequence.duration_ns, 0) / 1000.0 END AS device_time_us,
    sequence.gap_ns / 1000.0 AS gap_us, (sequence.all_device_ns + sequence.all_gap_ns) / 1000.0 AS total_us,
    sequence.all_device_ns / 1000.0 AS total_device_us,
    device_op.cores AS own_cores, device_op.available_cores AS available_cores, device_op.sub_device AS sub_device,
    device_op.call_count AS call_count, event.op_id AS op_id
  FROM tt_sequence AS sequence
  JOIN event ON event.id = sequence.event_id
  JOIN string ON string.id = event.name_id
  LEFT JOIN device_op ON device_op.id = sequence.event_id
),
worked AS (
  SELECT analysed.run AS run, analysed.trace_id AS trace_id, analysed.position AS position,
    analysed.event_id AS event_id, analysed.id AS id, analysed.kind AS kind, analysed.device AS device,
    analysed.merged AS merged, analysed.least_ns AS least_ns, analysed.most_ns AS most_ns, analysed.name AS name,
    analysed.is_host_op AS is_host_op, analysed.analysis AS analysis, analysed.duration_ns AS duration_ns,
    analysed.device_time_us AS device_time_us, analysed.gap_us AS gap_us, analysed.total_us AS total_us, analysed.total_device_us AS total_device_us, analysed.own_cores AS own_cores,
    analysed.available_cores AS available_cores, analysed.sub_device AS sub_device,
    analysed.call_count AS call_count, analysed.op_id AS op_id, sized.attributes AS attributes, sized.fidelity AS fidelity, sized.fidelity_class AS fidelity_class,
    sized.fidelity_advice AS fidelity_advice, sized.in0_type AS in0_type, sized.in1_type AS in1_type,
    sized.out_type AS out_type, sized.in0_memory AS in0_memory, sized.block_w AS block_w,
    sized.subblock_h AS subblock_h, sized.subblock_w AS subblock_w, sized.in0_y AS in0_y, sized.in0_x AS in0_x,
    sized.in1_x AS in1_x, sized.out_y AS out_y, sized.batch AS batch, sized.window_x AS window_x,
    sized.dram_bytes AS dram_bytes, machine.dram_gbs AS peak_gbs,
    coalesce(sized.is_sharded, 0) AND coalesce(analysis = 'matmul', 0) AS is_sharded,
    CASE WHEN sized.is_sharded AND analysis = 'matmul' THEN 12 ELSE analysed.own_cores END AS cores,
    CASE analysis
      WHEN 'matmul' THEN tt_matmul_flops(sized.in0_y, sized.in0_x, sized.in1_x, sized.batch)
      WHEN 'convolution' THEN tt_matmul_flops(sized.out_y, sized.window_x, sized.in1_x, 1)
    END AS flops,
    CASE
      WHEN analysis = 'convolution' AND (SELECT tpq_option('compat')) IS NULL THEN coalesce(analysed.available_cores, machine.cores)
      WHEN analysis = 'convolution' THEN machine.cores
      WHEN sized.is_sharded THEN 12
      ELSE analysed.own_cores
    END AS peak_cores,
    (SELECT tflops FROM device_peak WHERE device = machine.architecture AND kind = 'core' AND spec = sized.fidelity) AS peak_tflops
  FROM analysed
  LEFT JOIN sized ON sized.op_id = analysed.op_id
  LEFT JOIN machine ON machine.run = analysed.run
),
measured AS (
  SELECT run, trace_id, position, event_id, id, kind, device, merged, least_ns, most_ns, name, is_host_op, analysis,
    duration_ns, device_time_us, gap_us, total_us, total_device_us, own_cores, available_cores, sub_device, call_count, op_id, attributes,
    fidelity, fidelity_class, fidelity_advice, in0_type, in1_type, out_type, in0_memory, block_w, subblock_h,
    subblock_w, in0_y, in0_x, in1_x, out_y, batch, window_x, dram_bytes, peak_gbs, is_sharded, cores, flops,
    peak_cores, peak_tflops,
    CASE WHEN analysis = 'matmul' THEN nullif(dram_bytes, 0) / nullif(duration_ns, 0) END AS dram_gbs,
    CASE WHEN analysis = 'matmul' THEN 100.0 * nullif(dram_bytes, 0) / nullif(duration_ns, 0) / peak_gbs END AS dram_percent,
    flops / nullif(duration_ns, 0) / 1000.0 AS tflops,
    100.0 * flops / nullif(duration_ns, 0) / 1000.0 / (peak_tflops * nullif(peak_cores, 0)) AS flops_percent
  FROM worked
),
judged AS (
  SELECT run, trace_id, position, event_id, id, kind, device, merged, least_ns, most_ns, name, is_host_op, analysis,
    duration_ns, device_time_us, gap_us, own_cores, available_cores, sub_device, call_count, op_id, attributes,
    fidelity, fidelity_class, fidelity_advice, in0_type, in1_type, out_type, in0_memory, block_w, subblock_h,
    subblock_w, in0_y, in0_x, in1_x, out_y, batch, window_x, dram_bytes, peak_gbs, is_sharded, cores, flops,
    peak_cores, peak_tflops, dram_gbs, dram_percent, tflops, flops_percent, total_us, total_device_us,
    CASE
      WHEN is_host_op THEN 'HOST'
      WHEN analysis IS NULL OR analysis <> 'matmul' THEN NULL
      WHEN duration_ns IS NULL AND dram_bytes > 0 AND (SELECT tpq_option('compat')) IS NOT NULL THEN 'SLOW'
      WHEN coalesce(dram_percent, 0) = 0 OR coalesce(flops_percent, 0) = 0 THEN NULL
      WHEN dram_percent >= 65 AND flops_percent >= 65 THEN 'BOTH'
      WHEN dram_percent >= 65 THEN 'DRAM'
      WHEN flops_percent >= 65 THEN 'FLOP'
      ELSE 'SLOW'
    END AS bound,
    CASE WHEN (SELECT tpq_option('compat')) IS NULL THEN coalesce(available_cores, 64) ELSE 64 END AS grid_cores,
    CASE WHEN device_time_us IS NOT NULL OR gap_us IS NOT NULL
      THEN 100.0 * (coalesce(device_time_us, 0) + coalesce(gap_us, 0)) / nullif(total_us, 0) END AS total_percent
  FROM measured
)
SELECT
  run AS run, -- run
  trace_id AS trace_id, -- trace
  position AS position, -- place in the sequence, from 1
  event_id AS event_id, -- event that it is; of merged devices the one that counts
  id AS id, -- line in the file, counted on over the files of the run
  kind AS kind, -- device, host or signpost
  name AS name, -- name of the op
  CASE
    WHEN kind = 'signpost' THEN name || ' (signpost)'
    WHEN analysis = 'matmul' THEN name || coalesce(CASE WHEN batch > 1 THEN ' b={' || batch || '} x ' ELSE ' ' END || in0_y || ' x ' || in0_x || ' x ' || in1_x, '')
    WHEN analysis = 'convolution' THEN name || coalesce(' ' || out_y || ' x ' || window_x || ' x ' || in1_x, '') || ' ' || tt_label(name, attributes)
    WHEN analysis = 'halo' THEN name || ' ' || tt_label(name, attributes)
    ELSE name
  END AS label, -- name with sizes and flags
  analysis AS analysis, -- what is computed for it: matmul, convolution or halo
  device AS device, -- number of the device, counted on over the files of the run
  merged AS merged, -- how many devices' ops it stands for
  least_ns AS least_ns, -- least duration of them
  most_ns AS most_ns, -- greatest duration of them
  device_time_us AS device_time_us, -- time on the device; NULL for host ops and signposts
  gap_us AS gap_us, -- time between the op before and this one
  total_percent AS total_percent, -- [%] share of device time and gaps of all
  100.0 * device_time_us / nullif(total_device_us, 0) AS device_percent, -- [%] share of the device time of all
  total_us AS total_us, -- device time and gaps of all
  cores AS cores, -- cores that it ran on
  available_cores AS available_cores, -- cores that it could have run on
  sub_device AS sub_device, -- part of the device
  bound AS bound, -- what bounds it: DRAM, FLOP, BOTH, SLOW (nothing is used well) or HOST
  dram_gbs AS dram_gbs, -- [GB/s] traffic with the memory
  dram_percent AS dram_percent, -- [%] of what the memory can do
  tflops AS tflops, -- [TFLOPS] operations
  flops_percent AS flops_percent, -- [%] of what its cores can do
  fidelity AS fidelity, -- math fidelity
  fidelity_class AS fidelity_class, -- whether it fits the types
  in0_type AS in0_type, -- type of the first input
  in1_type AS in1_type, -- type of the second input
  out_type AS out_type, -- type of the output
  is_sharded AS is_sharded, -- [boolean] whether it reads weights that are spread over the memory's banks
  in0_memory AS in0_memory, -- where the first input lies
  block_w AS block_w, -- size of the inner dimension's blocks
  subblock_h AS subblock_h, -- height of the output's blocks
  subblock_w AS subblock_w, -- width of the output's blocks
  call_count AS call_count, -- number of the call over all devices
  CASE WHEN instr(name, '(torch)') = 1 THEN 'Host' ELSE coalesce(
    (SELECT category FROM tt_category WHERE tt_category.op = substr(name, 1, instr(name || ' ', ' ') - 1) AND NOT (is_newer AND (SELECT tpq_option('compat')) IS NOT NULL)),
    (SELECT category FROM tt_category WHERE name GLOB '*DeviceOperation' AND tt_category.op = substr(name, 1, length(name) - 15) AND NOT (is_newer AND (SELECT tpq_option('compat')) IS NOT NULL)),
    'Other') END AS category, -- what it does: Compute, DM, TM, Host or Other
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
    END, 4) END AS advice -- what to try, parted by dots; empty when nothing is to be done, NULL for ops without advice
FROM judged;
