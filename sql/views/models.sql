-- Accelerator time against what models say.

-- Calls about which a model says less than it should, a row for each reason.
CREATE VIEW model_note AS
SELECT
  op_call.run AS run, -- name of the run
  op_call.trace_id AS trace_id, -- id of the trace
  string.text AS name, -- name of the op
  op_call.model AS model, -- name or pattern of the row that holds
  op_call.status AS status, -- no_bytes, fail or skip
  op_call.reason AS reason, -- parameter or expression that fails, and why
  count(*) AS calls, -- calls concerned
  min(op_call.id) AS event_id -- id of the first of them
FROM op_call
JOIN string ON string.id = op_call.name_id
WHERE op_call.status <> 'ok'
GROUP BY op_call.run, op_call.trace_id, string.text, op_call.model, op_call.status, op_call.reason;

-- Every outermost call that has a model which could be used, with the work below it. What stands
-- inside such a call is not counted again.
-- columns-of: bounded_call
CREATE VIEW modelled_call AS
SELECT
  run, trace_id, id,
  last_id AS last_id, -- id of the last descendant
  op_id,
  metric_id AS metric_id, -- figures of the model for the call, as in op_metric
  kernel_ns, flops, bytes,
  compute_spec AS compute_spec -- kind of peak that bounds it
FROM op_call
WHERE is_outermost AND kernel_ns > 0;

-- Names of accelerators: at an end of a pattern * stands for whole words, so that H100 is not found in
-- H1000, H100X or GH100.
CREATE VIEW device_name AS
WITH core AS (
  SELECT device, kind, name_pattern, trim(upper(name_pattern), '*') AS inner
  FROM device_model
  WHERE kind NOT IN ('core', 'link', 'peer')
)
SELECT
  device AS device, -- name of the model
  kind AS kind, -- peak: stated by the vendor; achievable: best measured
  length(name_pattern) AS length, -- length of the pattern; the longest that matches holds
  CASE WHEN name_pattern NOT GLOB '[*]*' THEN ' ' WHEN inner GLOB '[A-Z0-9]*' THEN '*[^A-Z0-9]' ELSE '*' END
    || inner || CASE WHEN name_pattern NOT GLOB '*[*]' THEN ' ' WHEN inner GLOB '*[A-Z0-9]' THEN '[^A-Z0-9]*' ELSE '*' END AS pattern -- GLOB pattern of a name in upper case, with a space on either side
FROM core;

-- The accelerator of each trace, as far as it is known: what the options gpu-arch (JSON) or
-- gpu-arch-platform say, else what the catalog has under the name that the trace gives it: what was
-- measured where that is known, else what its maker states.
CREATE VIEW trace_device AS
SELECT
  scope.run AS run, -- name of the run
  scope.trace_id AS trace_id, -- id of the trace
  coalesce(arg((SELECT tpq_option('gpu-arch')), 'name'), 'named by file') AS device, -- name of the model
  'given' AS kind, -- given, peak or achievable
  CAST(arg((SELECT tpq_option('gpu-arch')), 'mem_bw_gbps') AS REAL) AS mem_bw_gbps, -- [GB/s] memory bandwidth of the device
  arg((SELECT tpq_option('gpu-arch')), 'max_achievable_tflops') AS peaks, -- JSON object: kind of peak to TFLOP/s
  CAST(arg((SELECT tpq_option('gpu-arch')), 'link_gbps') AS REAL) AS link_gbps -- [GB/s] bandwidth of the link to the host, each way
FROM (SELECT DISTINCT run, trace_id FROM scope) AS scope
WHERE (SELECT tpq_option('gpu-arch')) IS NOT NULL
UNION ALL
SELECT scope.run, scope.trace_id, model.device, model.kind, model.mem_bw_gbps,
  (SELECT '{' || group_concat('"' || peak.spec || '":' || peak.tflops) || '}' FROM device_peak AS peak
   WHERE peak.device = model.device AND peak.kind = model.kind),
  (SELECT link.mem_bw_gbps FROM device_model AS link WHERE link.device = model.device AND link.kind = 'link')
FROM (SELECT DISTINCT run, trace_id FROM scope) AS scope
JOIN device_model AS model ON (model.device, model.kind) = (
  SELECT known.device, known.kind
  FROM device_name AS known
  LEFT JOIN device ON device.trace_id = scope.trace_id
  WHERE CASE WHEN (SELECT tpq_option('gpu-arch-platform')) IS NULL THEN upper(' ' || device.name || ' ') GLOB known.pattern
        ELSE known.device = (SELECT tpq_option('gpu-arch-platform')) END
  ORDER BY device.ordinal, known.length DESC, known.kind
  LIMIT 1)
WHERE (SELECT tpq_option('gpu-arch')) IS NULL;

-- The limits that rooflines are held against: those of the accelerator, with --compat only where an
-- option names it.
-- columns-of: trace_device
CREATE VIEW roofline_limits AS
SELECT
  run, trace_id, device, kind, mem_bw_gbps, peaks
FROM trace_device
WHERE NOT (SELECT tpq_like_reference('rooflines: accelerator')) OR (SELECT coalesce(tpq_option('gpu-arch'), tpq_option('gpu-arch-platform'))) IS NOT NULL;

-- Calls whose argument allow_tf32 says whether products in fp32 may run as TF32: op_schema says which
-- argument it is.
CREATE VIEW tf32_call AS
SELECT
  event.id AS id, -- id of the event
  CASE lower(argument.value) WHEN 'true' THEN 1 WHEN 'false' THEN 0 END AS is_allowed -- 1 or 0; NULL = its value was not recorded
FROM event
CROSS JOIN op ON op.id = event.op_id
CROSS JOIN string AS name ON name.id = op.name_id
CROSS JOIN string AS concrete ON concrete.id = op.concrete_id
CROSS JOIN (
  SELECT op, substr(declaration, 1, instr(declaration, 'bool allow_tf32')) AS before
  FROM op_schema
  WHERE instr(declaration, 'bool allow_tf32') > 0) AS schema ON schema.op = name.text
CROSS JOIN json_each(concrete.text) AS argument ON argument.key = length(schema.before) - length(replace(schema.before, ',', ''));

-- Peaks in place of one that an accelerator has not: by the names of kernels, and for products in fp32
-- whose kernels do not say by the argument allow_tf32 of the call or of one below it, else by what the
-- trace says beside its events, allow_tf32 or float32_matmul_precision. With --compat there are none.
CREATE VIEW peak_rule AS
WITH said AS (
  SELECT trace.id AS trace_id, word.key AS name, lower(word.value) AS value
  FROM (SELECT DISTINCT trace_id FROM scope) AS scope
  CROSS JOIN trace ON trace.id = scope.trace_id
  CROSS JOIN json_each(trace.metadata) AS word
  WHERE word.key IN ('allow_tf32', 'torch.backends.cuda.matmul.allow_tf32', 'float32_matmul_precision')
)
SELECT
  NULL AS trace_id, -- trace for which it holds; NULL = all
  NULL AS is_allowed, -- required least is_allowed of tf32_call below a call; NULL = any
  substr(purpose, 6) AS compute_spec, -- kind of peak that a model asks for
  priority AS priority, -- the first pattern that matches decides, the lowest number first
  pattern AS pattern, -- regular expression that a kernel's name matches somewhere
  category AS peak_spec, -- kind of peak that holds
  CASE WHEN pattern <> '' THEN 'the kernel''s name' END AS reason -- source of the kind of peak; NULL = the device has no other
FROM kernel_category
WHERE purpose GLOB 'peak *' AND NOT (SELECT tpq_like_reference('rooflines: peaks that an accelerator has not'))
UNION ALL
SELECT NULL, argument.column1, 'matrix_fp32', 1000000 + argument.column1, '', argument.column2, 'the argument allow_tf32'
FROM (VALUES (0, 'vector_fp32'), (1, 'matrix_tf32')) AS argument
WHERE NOT (SELECT tpq_like_reference('rooflines: peaks that an accelerator has not'))
UNION ALL
SELECT trace_id, NULL, 'matrix_fp32', 1000002, '', CASE WHEN min(value IN ('1', 'true', 'high', 'medium')) THEN 'matrix_tf32' ELSE 'vector_fp32' END, min(name)
FROM said
WHERE value IN ('0', '1', 'false', 'true', 'highest', 'high', 'medium') AND NOT (SELECT tpq_like_reference('rooflines: peaks that an accelerator has not'))
GROUP BY trace_id;

-- Names of copies that pass the link to the host, which no bandwidth of a memory bounds. With
-- --compat there are none.
CREATE VIEW link_rule AS
SELECT
  pattern AS pattern -- regular expression that a copy's name matches somewhere
FROM kernel_category
WHERE purpose = 'link' AND NOT (SELECT tpq_like_reference('rooflines: copies between host and accelerator'));

-- The calls of modelled_call, each with the peak that it is held against and what of it passed the
-- link to the host.
CREATE VIEW bounded_call AS
WITH device AS MATERIALIZED (
  SELECT run, trace_id, device, kind, mem_bw_gbps, link_gbps, peaks IS NOT NULL AS has_peaks FROM trace_device
),
peak AS MATERIALIZED (
  SELECT device.run AS run, device.trace_id AS trace_id, stated.key AS spec, max(CAST(arg(device.peaks, stated.key) AS REAL)) AS tflops
  FROM trace_device AS device
  CROSS JOIN json_each(device.peaks) AS stated
  WHERE stated.value IS NOT NULL
  GROUP BY device.run, device.trace_id, stated.key
),
call AS MATERIALIZED (
  SELECT call.run AS run, call.trace_id AS trace_id, call.id AS id, call.last_id AS last_id, call.op_id AS op_id, call.kernel_ns AS kernel_ns,
    call.flops AS flops, call.bytes AS bytes, call.compute_spec AS compute_spec,
    coalesce(device.has_peaks, 0) AND call.compute_spec IS NOT NULL AND peak.spec IS NULL AS is_asked
  FROM modelled_call AS call
  LEFT JOIN device ON device.run = call.run AND device.trace_id = call.trace_id
  LEFT JOIN peak ON peak.run = call.run AND peak.trace_id = call.trace_id AND peak.spec = call.compute_spec
),
-- copies are few: who has none is not asked for them
copied AS MATERIALIZED (
  SELECT call.id AS id, sum(gpu_event.bytes) AS link_bytes, sum(gpu_event.dur_ns) AS link_ns
  FROM call
  CROSS JOIN gpu_event ON gpu_event.id BETWEEN call.id AND call.last_id
  WHERE kernel_class('link', gpu_event.category_id, gpu_event.name_id) = 'host'
  GROUP BY call.id
),
pair AS (
  SELECT DISTINCT call.compute_spec AS compute_spec, gpu_event.name_id AS name_id
  FROM call
  CROSS JOIN gpu_event ON gpu_event.id BETWEEN call.id AND call.last_id
  WHERE call.is_asked
),
ruled AS MATERIALIZED (
  SELECT pair.compute_spec AS compute_spec, pair.name_id AS name_id, (
    SELECT min(rule.priority) FROM peak_rule AS rule
    WHERE rule.trace_id IS NULL AND rule.is_allowed IS NULL AND rule.compute_spec = pair.compute_spec AND string.text REGEXP rule.pattern) AS priority
  FROM pair
  CROSS JOIN string ON string.id = pair.name_id
),
chosen AS MATERIALIZED (
  SELECT run, trace_id, id, op_id, kernel_ns, flops, bytes, compute_spec,
    CASE WHEN is_asked THEN coalesce((
      SELECT min(ruled.priority) FROM gpu_event
      CROSS JOIN ruled ON ruled.compute_spec = call.compute_spec AND ruled.name_id = gpu_event.name_id
      WHERE gpu_event.id BETWEEN call.id AND call.last_id), (
      SELECT argument.priority FROM peak_rule AS argument
      WHERE argument.compute_spec = call.compute_spec
      AND argument.is_allowed = (SELECT min(below.is_allowed) FROM tf32_call AS below WHERE below.id BETWEEN call.id AND call.last_id)), (
      SELECT said.priority FROM peak_rule AS said
      WHERE said.trace_id = call.trace_id AND said.compute_spec = call.compute_spec)) END AS priority, is_asked
  FROM call
),
held AS (
  SELECT chosen.run AS run, chosen.trace_id AS trace_id, chosen.id AS id, chosen.op_id AS op_id, chosen.kernel_ns AS kernel_ns, chosen.flops AS flops,
    chosen.bytes AS bytes, chosen.compute_spec AS compute_spec, CASE WHEN chosen.is_asked THEN rule.peak_spec ELSE chosen.compute_spec END AS peak_spec,
    rule.reason AS peak_reason
  FROM chosen
  LEFT JOIN peak_rule AS rule ON rule.compute_spec = chosen.compute_spec AND rule.priority = chosen.priority
    AND (rule.trace_id IS NULL OR rule.trace_id = chosen.trace_id)
)
SELECT
  held.run AS run, -- name of the run
  held.trace_id AS trace_id, -- id of the trace
  held.id AS id, -- id of the event
  held.op_id AS op_id, -- call signature
  held.kernel_ns AS kernel_ns, -- GPU busy time below the call
  held.flops AS flops, -- floating-point operations
  held.bytes AS bytes, -- bytes read and written
  held.compute_spec AS compute_spec, -- kind of peak that the model asks for
  held.peak_spec AS peak_spec, -- kind of peak that the roofline uses
  held.peak_reason AS peak_reason, -- source of peak_spec, where the device has no peak of compute_spec
  peak.tflops AS peak_tflops, -- [TFLOP/s] peak of the device; NULL = not known
  device.device AS device, -- device whose peaks were taken; NULL = not known
  device.kind AS kind, -- given, peak or achievable
  device.mem_bw_gbps AS mem_bw_gbps, -- [GB/s] memory bandwidth of the device
  device.link_gbps AS link_gbps, -- [GB/s] bandwidth of the link to the host, each way
  copied.link_bytes AS link_bytes, -- bytes copied over the link to the host
  copied.link_ns AS link_ns -- time of memcpys over the link to the host; NULL = no memcpys
FROM held
LEFT JOIN device ON device.run = held.run AND device.trace_id = held.trace_id
LEFT JOIN peak ON peak.run = held.run AND peak.trace_id = held.trace_id AND peak.spec = held.peak_spec
LEFT JOIN copied ON copied.id = held.id;
