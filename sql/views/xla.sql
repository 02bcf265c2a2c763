-- Basis of the reports about XLA.

-- GPU activities of profiles of XLA, in picoseconds.
-- columns-of: xla_kernel
CREATE VIEW xla_work AS
SELECT
  scope.run, scope.trace_id, gpu_event.id, gpu_event.uid,
  gpu_event.category_id AS category_id, -- kind of event
  gpu_event.name_id AS name_id, -- name of the work
  gpu_event.track_id, gpu_event.call_id,
  CAST(track.process AS INTEGER) AS pid, -- process of the accelerator, as viewers number it
  CAST(track.thread AS INTEGER) AS tid, -- number of the stream, as viewers number it
  track.thread_name AS thread_name, -- name of the stream
  gpu_event.ts_ns * 1000 + coalesce(xla_event.start_ps, 0) AS ts_ps,
  max(gpu_event.dur_ns * 1000 + coalesce(xla_event.duration_ps, 0), (SELECT tpq_like_reference('jax: events without a duration'))) AS dur_ps, -- [ps] duration; with --compat at least 1
  xla_event.instruction_id AS instruction_id, -- instruction that it carries out
  xla_event.execution,
  arg(args.json, 'hlo_op') AS hlo_op -- name of the instruction, as the profile states it
FROM scope
JOIN trace ON trace.id = scope.trace_id AND trace.format = 'xplane'
CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
JOIN track ON track.id = gpu_event.track_id
LEFT JOIN xla_event ON xla_event.id = gpu_event.id
LEFT JOIN args ON args.id = gpu_event.args_id
WHERE NOT (SELECT tpq_like_reference('jax: TPU')) OR track.process_name GLOB '*/device:GPU*';

-- Times of the timeline of each accelerator, in picoseconds. Work without a stream's name counts when
-- its stream has a small number.
CREATE VIEW xla_timeline_sum AS
WITH work AS (
  SELECT run, trace_id, pid, ts_ps, dur_ps,
    CASE WHEN category_id <> (SELECT id FROM category WHERE name = 'kernel') THEN 'memcpy'
      ELSE kernel_class('xla timeline', category_id, name_id) END AS class
  FROM xla_work
  WHERE thread_name GLOB 'Stream #*' OR thread_name = 'XLA Ops' OR (thread_name = '' AND tid < 100)
)
SELECT
  run AS run, -- name of the run
  trace_id AS trace_id, -- id of the trace
  pid AS pid, -- process of the accelerator
  interval_union_ns(ts_ps, dur_ps) FILTER (WHERE class = 'computation') AS computation_ps, -- [ps] time with computation
  interval_difference_ns(ts_ps, dur_ps, class = 'computation') FILTER (WHERE class <> 'memcpy') AS exposed_comm_ps, -- [ps] time with communication and no computation
  interval_difference_ns(ts_ps, dur_ps, class <> 'memcpy') AS exposed_memcpy_ps, -- [ps] exposed memcpy time
  interval_union_ns(ts_ps, dur_ps) AS busy_ps, -- [ps] GPU busy time
  max(ts_ps + dur_ps) - min(ts_ps) AS total_ps, -- [ps] from the first start to the last end
  interval_union_ns(ts_ps, dur_ps) FILTER (WHERE class = 'communication') AS comm_ps, -- [ps] time with communication
  interval_union_ns(ts_ps, dur_ps) FILTER (WHERE class = 'memcpy') AS memcpy_ps -- [ps] time with memcpy
FROM work
GROUP BY run, trace_id, pid;

-- Every kernel of XLA with its category: of the report by instruction, then kernel; of the analysis
-- by kernel, then instruction. A text of XLA's program about it is what filters look at.
CREATE VIEW xla_kernel AS
WITH work AS MATERIALIZED (
  SELECT run, trace_id, id, uid, category_id, name_id, track_id, call_id, pid, tid, ts_ps, dur_ps, instruction_id, execution,
    coalesce(hlo_op, '') AS hlo_op
  FROM xla_work
  WHERE category_id = (SELECT id FROM category WHERE name = 'kernel')
),
pair AS (
  SELECT DISTINCT name_id, hlo_op FROM work
),
classed AS MATERIALIZED (
  SELECT pair.name_id AS name_id, pair.hlo_op AS hlo_op,
    (SELECT rule.category FROM kernel_category AS rule
     WHERE rule.purpose IN ('xla', (SELECT CASE WHEN NOT tpq_like_reference('jax: communication') THEN 'xla fixed' END)) AND string.text REGEXP rule.pattern ORDER BY rule.priority LIMIT 1) AS by_name,
    coalesce((SELECT rule.category FROM kernel_category AS rule
     WHERE rule.purpose IN ('xla', (SELECT CASE WHEN NOT tpq_like_reference('jax: communication') THEN 'xla fixed' END)) AND pair.hlo_op REGEXP rule.pattern ORDER BY rule.priority LIMIT 1),
     CASE WHEN pair.hlo_op GLOB '*-conv' AND NOT (SELECT tpq_like_reference('jax: an instruction that is called cudnn-conv')) THEN 'Conv' END) AS by_op
  FROM pair
  JOIN string ON string.id = pair.name_id
)
SELECT
  work.run AS run, -- name of the run
  work.trace_id AS trace_id, -- id of the trace
  work.id AS id, -- id of the event
  work.uid AS uid, -- place in the file
  string.text AS name, -- name of the kernel
  work.track_id AS track_id, -- stream of the kernel
  work.call_id AS call_id, -- id of the runtime call that launched the kernel
  work.pid AS pid, -- process of the accelerator
  work.tid AS tid, -- number of the stream
  work.ts_ps AS ts_ps, -- [ps] start, from the start of the trace
  work.dur_ps AS dur_ps, -- [ps] duration of the kernel
  CASE WHEN classed.by_name IN ('FA BWD', 'FA FWD', 'FA V3') THEN classed.by_name
    ELSE coalesce(classed.by_op, classed.by_name, 'Uncategorized Events/XLA') END AS category, -- category of the kernel
  coalesce(classed.by_name, classed.by_op, 'Uncategorized Events') AS analysis_category, -- category of the kernel in the analysis
  kernel_class('xla timeline', work.category_id, work.name_id) AS class, -- computation or communication
  work.hlo_op AS hlo_op, -- name of the instruction
  CASE WHEN NOT (SELECT tpq_like_reference('jax: instructions of kernels')) OR work.call_id IS NOT NULL AND NOT coalesce(instruction.is_root, 0)
    THEN work.instruction_id END AS instruction_id, -- instruction; with --compat only where the reference finds it
  work.execution AS execution -- number of the execution of the instruction on the stream
FROM work
JOIN string ON string.id = work.name_id
JOIN classed ON classed.name_id = work.name_id AND classed.hlo_op = work.hlo_op
LEFT JOIN hlo_instruction AS instruction ON instruction.id = work.instruction_id;

-- Instructions that kernels carry out, as reports show them.
CREATE VIEW xla_instruction AS
WITH used AS (
  SELECT DISTINCT scope.run AS run, scope.trace_id AS trace_id, xla_event.instruction_id AS id
  FROM scope
  CROSS JOIN xla_event ON xla_event.id BETWEEN scope.first_event AND scope.last_event
  WHERE xla_event.instruction_id IS NOT NULL
),
said AS (
  SELECT used.run AS run, used.trace_id AS trace_id, instruction.id AS id, instruction.name AS name, instruction.opcode AS opcode, instruction.op_id AS op_id,
    instruction.shape AS shape, instruction.operands AS operands,
    coalesce(instruction.custom_call_target, '') AS target,
    instruction.custom_call_target LIKE '%te\_fused\_attn\_%' ESCAPE '\' AS is_attention,
    CASE WHEN coalesce(instruction.op_type, instruction.op_name, instruction.source_file, instruction.source_line) IS NOT NULL THEN
    'metadata={' || coalesce('op_type="' || instruction.op_type || '" ', '') || coalesce('op_name="' || instruction.op_name || '"', '')
    || coalesce(' source_file="' || instruction.source_file || '"', '') || coalesce(' source_line=' || instruction.source_line, '') END AS metadata
  FROM used
  JOIN hlo_instruction AS instruction ON instruction.id = used.id
)
SELECT
  said.run AS run, -- name of the run
  said.trace_id AS trace_id, -- id of the trace
  said.id AS id, -- id of the instruction
  said.name AS name, -- name of the instruction
  said.opcode AS opcode, -- opcode of the instruction
  said.op_id AS op_id, -- call signature
  said.shape AS shape, -- output shape of the instruction
  said.operands AS operands, -- operands of the instruction, JSON list
  said.target AS target, -- target of a custom call; else empty
  CASE WHEN said.target = '' THEN 'NA' WHEN NOT (SELECT tpq_like_reference('jax: texts of instructions')) THEN said.target
    ELSE leading('custom_call_target="' || said.target || '"', 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_="()/ @.0123456789-$') END AS target_words, -- target of a custom call, as reports show it
  CASE WHEN NOT (SELECT tpq_like_reference('jax: texts of instructions')) THEN said.metadata || '}'
    ELSE leading(said.metadata, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_="()/ @.0123456789-{') END AS metadata, -- source of the instruction in the program
  CASE WHEN NOT (SELECT tpq_like_reference('jax: operands')) THEN dims.text
    ELSE hlo_inputs(said.operands, 'dims', 0, CASE WHEN said.is_attention THEN 3 ELSE 1000000 END) END AS input_dims, -- input shapes of the instruction, JSON
  CASE WHEN NOT (SELECT tpq_like_reference('jax: operands')) THEN types.text
    ELSE hlo_inputs(said.operands, 'types', 0, CASE WHEN said.is_attention THEN 3 ELSE 1000000 END) END AS input_types, -- input dtypes of the instruction, JSON
  CASE WHEN said.is_attention AND (SELECT tpq_like_reference('jax: concrete inputs')) THEN hlo_inputs(said.operands, 'dims', 3, 1) ELSE '[]' END AS concrete_inputs -- bias of attention, with --compat
FROM said
LEFT JOIN op ON op.id = said.op_id
LEFT JOIN string AS dims ON dims.id = op.dims_id
LEFT JOIN string AS types ON types.id = op.types_id;

-- Kernels that reports list, after --kernel-metadata-keyword-filters.
-- columns-of: xla_kernel
CREATE VIEW xla_listed_kernel AS
SELECT
  kernel.run, kernel.trace_id, kernel.id, kernel.uid, kernel.name, kernel.category, kernel.track_id, kernel.call_id, kernel.pid, kernel.tid,
  kernel.ts_ps, kernel.dur_ps,
  coalesce(instruction.input_dims, '[]') AS input_dims, -- extents of the operands, JSON
  coalesce(instruction.input_types, '[]') AS input_types, -- input dtypes of the instruction, JSON
  coalesce(instruction.concrete_inputs, '[]') AS concrete_inputs, -- bias of attention, with --compat
  coalesce(instruction.target_words, 'NA') AS target, -- target of a custom call
  instruction.operands AS operands, -- operands of the instruction, JSON list
  CASE WHEN NOT (SELECT tpq_like_reference('jax: outputs of kernels')) THEN instruction.shape END AS output, -- output shape of the instruction
  coalesce(hlo_bytes(instruction.operands, (SELECT tpq_like_reference('jax: bytes of operands'))), 0) AS input_bytes, -- bytes of the operands
  coalesce(instruction.metadata, 'NA') AS metadata -- source of the instruction in the program
FROM xla_kernel AS kernel
LEFT JOIN xla_instruction AS instruction ON instruction.run = kernel.run AND instruction.trace_id = kernel.trace_id AND instruction.id = kernel.instruction_id
WHERE (SELECT tpq_option('kernel-metadata-keyword-filters')) IS NULL
OR has_keyword(instruction.metadata, (SELECT tpq_option('kernel-metadata-keyword-filters')));

-- Custom calls that are matrix products, with their parameters, of all programs of the selected
-- traces, or of the programs that --hlo-module names; with --compat, of jit_train_step.
CREATE VIEW xla_gemm AS
WITH instruction AS MATERIALIZED (
  SELECT scope.run AS run, scope.trace_id AS trace_id, hlo_instruction.id AS id, hlo_instruction.name AS name,
    hlo_instruction.op_id AS op_id, hlo_instruction.custom_call_target AS target
  FROM (SELECT DISTINCT run, trace_id FROM scope) AS scope
  JOIN hlo_module ON hlo_module.trace_id = scope.trace_id
  JOIN hlo_instruction ON hlo_instruction.module_id = hlo_module.id
  WHERE hlo_instruction.op_id IS NOT NULL
  AND (instr(hlo_instruction.custom_call_target, 'matmul') OR instr(hlo_instruction.custom_call_target, 'cublas'))
  AND hlo_module.name = coalesce((SELECT tpq_option('hlo-module')),
    CASE WHEN NOT (SELECT tpq_like_reference('jax: matrix products of the analysis')) THEN hlo_module.name ELSE 'jit_train_step' END)
)
SELECT
  instruction.run AS run, -- name of the run
  instruction.trace_id AS trace_id, -- id of the trace
  instruction.id AS id, -- id of the instruction
  instruction.name AS name, -- name of the instruction
  metric.flops AS flops, -- floating-point operations
  metric.bytes AS bytes, -- bytes read and written
  metric.params AS params, -- parameters of the model, JSON object
  CASE WHEN (SELECT tpq_like_reference('jax: types of eight-bit products')) AND instr(instruction.target, 'f8') THEN 'fp8'
    ELSE arg('{"type":' || substr(types.text, 2, instr(replace(types.text, ']', ','), ',') - 2) || '}', 'type') END AS type -- type of the first operand
FROM instruction
CROSS JOIN op_metric AS metric ON metric.op_id = instruction.op_id
JOIN op ON op.id = instruction.op_id
LEFT JOIN string AS types ON types.id = op.types_id
WHERE metric.status IN ('ok', 'no_bytes');

-- Kernels of collectives, numbered as they come on each accelerator. A run has a host for each
-- trace; accelerators are counted over the hosts.
CREATE VIEW xla_collective AS
WITH host AS (
  SELECT trace.id AS trace_id, scope.run AS run, coalesce(trace.rank, 0) AS node, count(device.id) AS devices
  FROM (SELECT DISTINCT run, trace_id FROM scope) AS scope
  JOIN trace ON trace.id = scope.trace_id
  LEFT JOIN device ON device.trace_id = trace.id
  GROUP BY trace.id, scope.run, trace.rank
),
placed AS MATERIALIZED (
  SELECT run, trace_id, node,
    coalesce(sum(devices) OVER (PARTITION BY run ORDER BY node, trace_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS first_rank,
    sum(devices) OVER (PARTITION BY run) AS ranks
  FROM host
),
work AS MATERIALIZED (
  SELECT work.run AS run, work.trace_id AS trace_id, work.id AS id, work.pid AS pid, work.ts_ps AS ts_ps, work.dur_ps AS dur_ps,
    coalesce(work.hlo_op, 'unknown') AS collective_name, work.instruction_id AS instruction_id, work.track_id AS track_id
  FROM xla_work AS work
  WHERE kernel_class('xla timeline', work.category_id, work.name_id) = 'communication'
  AND work.category_id = (SELECT id FROM category WHERE name = 'kernel')
),
numbered AS (
  SELECT run, trace_id, id, pid, ts_ps, dur_ps, collective_name, instruction_id, track_id,
    row_number() OVER (PARTITION BY run, trace_id, pid, collective_name ORDER BY ts_ps, id) - 1 AS index_in_group
  FROM work
),
grouped AS (
  SELECT numbered.run AS run, numbered.trace_id AS trace_id, numbered.id AS id, numbered.pid AS pid, numbered.ts_ps AS ts_ps,
    numbered.dur_ps AS dur_ps, numbered.collective_name AS collective_name, numbered.track_id AS track_id,
    numbered.index_in_group AS index_in_group, instruction.shape AS shape, instruction.opcode AS opcode, instruction.module_id AS module_id,
    arg(instruction.attributes, 'dimensions') AS dimensions, instruction.replica_groups AS replica_groups,
    placed.node AS node, placed.first_rank AS first_rank, placed.ranks AS ranks
  FROM numbered
  JOIN placed ON placed.run = numbered.run AND placed.trace_id = numbered.trace_id
  LEFT JOIN hlo_instruction AS instruction ON instruction.id = numbered.instruction_id
)
SELECT
  grouped.run AS run, -- name of the run
  grouped.trace_id AS trace_id, -- id of the trace
  grouped.id AS id, -- id of the event
  grouped.node AS node, -- number of the host
  CASE WHEN NOT (SELECT tpq_like_reference('jax: ranks of collectives')) THEN grouped.first_rank + gpu_event.device ELSE grouped.node * 8 + grouped.pid - 1 END AS gpu_rank, -- rank of the accelerator over all hosts
  grouped.pid AS pid, -- process of the accelerator
  grouped.ts_ps AS ts_ps, -- [ps] start of the kernel, from the start of the trace
  grouped.dur_ps AS dur_ps, -- [ps] duration of the kernel
  grouped.collective_name AS collective_name, -- name of the instruction
  module.name AS hlo_module, -- name of the program
  gpu_event.correlation AS correlation_id, -- correlation id
  grouped.replica_groups AS replica_groups, -- groups of ranks, JSON list
  coalesce(hlo_group_size(grouped.replica_groups, 0), grouped.ranks) AS group_size, -- ranks of a group
  hlo_moved(grouped.shape, grouped.opcode, grouped.dimensions, coalesce(hlo_group_size(grouped.replica_groups, 0), grouped.ranks)) AS moved_bytes, -- bytes that the rank sends
  track.process_name AS process_name, -- name of the process
  grouped.index_in_group AS index_in_group, -- number among the collectives of the name, from 0
  grouped.collective_name || '_' || grouped.index_in_group AS collective_id -- name and index
FROM grouped
JOIN gpu_event ON gpu_event.id = grouped.id
JOIN track ON track.id = grouped.track_id
LEFT JOIN hlo_module AS module ON module.id = grouped.module_id;
