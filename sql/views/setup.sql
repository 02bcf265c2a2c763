-- The setup of runs, from what their traces record: facts of each trace, and of a run where sums tell.

-- Facts of the setup of each selected trace; facts that are sums are those of a run.
CREATE VIEW setup_fact AS
WITH stated AS MATERIALIZED (
  -- what is read of the metadata: the whole of it would be held many times
  SELECT trace.id AS trace_id, json_group_object(each.key, iif(each.type IN ('object', 'array'), json(each.value), each.value)) FILTER (WHERE each.key IS NOT NULL) AS metadata
  FROM trace LEFT JOIN json_each(trace.metadata) AS each ON each.key IN ('dialect', 'distributedInfo', 'cupti_version', 'roctracer_version', 'EXPORT_PRODUCT_VERSION', 'schema_version', 'version',
    'NvDriverVersion', 'cuda_driver_version', 'CudaDriverVersion', 'hip_driver_version', 'cuda_runtime_version', 'hip_runtime_version', 'record_shapes', 'with_stack', 'with_modules', 'profile_memory')
  WHERE trace.id IN (SELECT trace_id FROM run_rank)
  GROUP BY trace.id
),
chosen AS MATERIALIZED (
  SELECT rank.run AS run, rank.trace_id AS trace_id, trace.world_size AS world_size, stated.metadata AS metadata, trace.first_event AS first_event, trace.last_event AS last_event,
    trace.format AS format, arg(stated.metadata, 'dialect') AS dialect
  FROM run_rank AS rank JOIN trace ON trace.id = rank.trace_id JOIN stated ON stated.trace_id = trace.id
),
used AS MATERIALIZED (
  SELECT chosen.run AS run, chosen.trace_id AS trace_id, CASE category.role WHEN 'gpu' THEN 'kernel' WHEN 'mark' THEN 'range' ELSE category.role END AS place,
    event.name_id AS name_id, max(event.ts_ns + event.dur_ns) AS last_ns, max(event.op_id) AS op_id
  FROM chosen CROSS JOIN event ON event.id BETWEEN chosen.first_event AND chosen.last_event JOIN category ON category.id = +event.category_id
  GROUP BY chosen.trace_id, event.category_id, event.name_id
),
activity AS MATERIALIZED (
  SELECT chosen.run AS run, chosen.trace_id AS trace_id, gpu_event.device AS device, gpu_event.category_id AS category_id, gpu_event.name_id AS name_id, call.name_id AS call_name_id,
    max(gpu_event.call_id) AS call_id, sum(gpu_event.dur_ns) AS time_ns
  FROM chosen CROSS JOIN gpu_event ON gpu_event.id BETWEEN chosen.first_event AND chosen.last_event
  LEFT JOIN event AS call ON call.id = gpu_event.call_id
  GROUP BY chosen.trace_id, gpu_event.device, gpu_event.category_id, gpu_event.name_id, call.name_id
),
-- Devices with GPU activities. Where the file numbers its devices otherwise, they are known if all are alike.
ran AS (
  SELECT run, trace_id, device FROM activity WHERE device IS NOT NULL GROUP BY trace_id, device
  UNION ALL SELECT chosen.run, chosen.trace_id, memory_device.device FROM chosen JOIN memory_device ON memory_device.trace_id = chosen.trace_id
),
known AS MATERIALIZED (
  SELECT chosen.run AS run, chosen.trace_id AS trace_id, device.ordinal AS ordinal, device.memory_bytes AS memory_bytes, device.cores AS cores,
    coalesce(nullif(device.name, ''), CASE WHEN device.architecture GLOB '*[a-zA-Z]*' THEN device.architecture END, 'device without a name') AS name, count(*) OVER ofs AS devices, min(device.name || device.cores || device.memory_bytes) OVER ofs = max(device.name || device.cores || device.memory_bytes) OVER ofs AS is_alike
  FROM chosen JOIN device ON device.trace_id = chosen.trace_id
  WINDOW ofs AS (PARTITION BY chosen.trace_id)
),
model AS MATERIALIZED (
  SELECT ran.run AS run, ran.trace_id AS trace_id, ran.device AS device, known.name AS name, known.cores AS cores, known.memory_bytes AS memory_bytes
  FROM ran LEFT JOIN known ON known.trace_id = ran.trace_id AND known.ordinal = CASE
    WHEN EXISTS (SELECT 1 FROM known AS same WHERE same.trace_id = ran.trace_id AND same.ordinal = ran.device) THEN ran.device
    ELSE (SELECT min(ordinal) FROM known AS other WHERE other.trace_id = ran.trace_id AND is_alike) END
  UNION ALL SELECT run, trace_id, ordinal, name, cores, memory_bytes FROM known WHERE trace_id NOT IN (SELECT trace_id FROM ran)
),
held AS (
  SELECT use.run AS run, coalesce(use.reserved_most, use.allocated_most) AS bytes, iif(use.reserved_most > 0, 'reserved by the allocator', 'allocated') AS source, coalesce(model.memory_bytes,
    (SELECT CASE WHEN min(memory_bytes) = max(memory_bytes) THEN min(memory_bytes) END FROM model AS other WHERE other.trace_id = use.trace_id)) AS memory_bytes
  FROM (SELECT run, trace_id, device, nullif(reserved_most, 0) AS reserved_most, allocated_most FROM memory_use WHERE device_type <> 0) AS use
  LEFT JOIN model ON model.trace_id = use.trace_id AND model.device = use.device
  UNION ALL SELECT chosen.run, memory_device.peak_allocated_bytes, 'allocated, of a memory snapshot', NULL FROM chosen JOIN memory_device ON memory_device.trace_id = chosen.trace_id
),
-- Process groups, as the file lists them, or as collectives state them.
grouped AS MATERIALIZED (
  SELECT chosen.run AS run, chosen.trace_id AS trace_id, arg(each.value, 'pg_desc') AS name, coalesce(arg(each.value, 'pg_size'), json_array_length(each.value, '$.ranks')) AS size
  FROM chosen JOIN json_each(chosen.metadata, '$.distributedInfo.pg_config') AS each
  UNION SELECT stated.run, stated.trace_id, arg(args.json, 'Process Group Description'), arg(args.json, 'Group size')
  FROM (SELECT DISTINCT chosen.run AS run, chosen.trace_id AS trace_id, gpu_event.args_id AS args_id FROM chosen CROSS JOIN gpu_event ON gpu_event.id BETWEEN chosen.first_event AND chosen.last_event
    WHERE kernel_class('collective', gpu_event.category_id, gpu_event.name_id) IS NOT NULL) AS stated
  JOIN args ON args.id = stated.args_id
),
place_name AS (
  SELECT run, trace_id, place, string.text AS name FROM used JOIN string ON string.id = used.name_id WHERE place IN ('op', 'frame', 'kernel', 'range')
  UNION ALL SELECT run, trace_id, 'group', name FROM grouped
  UNION ALL SELECT run, trace_id, 'format', format FROM chosen
  UNION ALL SELECT chosen.run, chosen.trace_id, 'program', hlo_module.name FROM chosen JOIN hlo_module ON hlo_module.trace_id = chosen.trace_id
),
framework AS (
  SELECT run, trace_id, replace(group_concat(DISTINCT value), ',', ', ') AS value, 'names: ' || replace(group_concat(DISTINCT place), ',', ', ') AS source
  FROM (SELECT place_name.run AS run, place_name.trace_id AS trace_id, pattern.value AS value, place_name.place AS place
    FROM setup_pattern AS pattern JOIN place_name ON instr(pattern.place, place_name.place) AND place_name.name REGEXP pattern.pattern
    WHERE pattern.fact = 'framework' GROUP BY 1, 2, 3, 4 ORDER BY min(pattern.position))
  GROUP BY run, trace_id
),
parallel AS (
  SELECT run, trace_id, group_concat(kind || ' ' || sizes, ' × ') AS value
  FROM (SELECT run, trace_id, pattern.value AS kind, group_concat(DISTINCT grouped.size) AS sizes
    FROM grouped JOIN setup_pattern AS pattern ON pattern.fact = 'parallelism' AND grouped.name REGEXP pattern.pattern WHERE grouped.size IS NOT NULL
    GROUP BY run, trace_id, pattern.value ORDER BY min(pattern.position))
  GROUP BY run, trace_id
),
recorded AS (
  SELECT run, trace_id, metadata, format,
    EXISTS (SELECT 1 FROM used JOIN op ON op.id = used.op_id WHERE used.trace_id = chosen.trace_id AND op.dims_id IS NOT NULL) AS has_shapes,
    EXISTS (SELECT 1 FROM used WHERE used.trace_id = chosen.trace_id AND place = 'frame') OR EXISTS (SELECT 1 FROM memory_stack WHERE memory_stack.trace_id = chosen.trace_id) AS has_frames,
    EXISTS (SELECT 1 FROM used JOIN string ON string.id = used.name_id WHERE used.trace_id = chosen.trace_id AND place = 'frame' AND string.text GLOB 'nn.Module*') AS has_modules,
    EXISTS (SELECT 1 FROM used WHERE used.trace_id = chosen.trace_id AND place = 'op') AS has_ops,
    EXISTS (SELECT 1 FROM memory_event WHERE memory_event.trace_id = chosen.trace_id) OR EXISTS (SELECT 1 FROM memory_device WHERE memory_device.trace_id = chosen.trace_id) AS has_memory
  FROM chosen
),
compiled AS (SELECT run, sum(gpu_ns) AS time_ns FROM compiled_call GROUP BY run),
total AS (
  SELECT run, sum(time_ns) AS time_ns, sum(time_ns) FILTER (WHERE string.text REGEXP (SELECT pattern FROM setup_pattern WHERE value = 'TorchInductor')) AS inductor_ns, sum(time_ns) FILTER (WHERE call_id IS NOT NULL) AS called_ns, sum(time_ns) FILTER (WHERE call_name_id IN (SELECT id FROM graph_call)) AS graph_ns
  FROM activity JOIN string ON string.id = activity.name_id GROUP BY run
),
product AS (
  SELECT work.run AS run, work.time_ns AS time_ns, coalesce(
      (SELECT value FROM setup_pattern AS pattern WHERE fact = 'dtype' AND place = 'kernel' AND position < 10 AND string.text REGEXP pattern.pattern ORDER BY position LIMIT 1),
      (SELECT pattern.value FROM json_each(types.text) AS type JOIN setup_pattern AS pattern ON pattern.fact = 'dtype' AND pattern.place = 'type' AND type.value REGEXP pattern.pattern ORDER BY type.key LIMIT 1) || '*',
      (SELECT value FROM setup_pattern AS pattern WHERE fact = 'dtype' AND place = 'kernel' AND string.text REGEXP pattern.pattern ORDER BY position LIMIT 1)) AS dtype
  FROM (SELECT launched.run AS run, launched.name_id AS name_id, coalesce(launched.parent_op_id, event.op_id) AS op_id, sum(launched.dur_ns) AS time_ns
    FROM launched_work AS launched JOIN event ON event.id = launched.id GROUP BY 1, 2, 3) AS work
  JOIN string ON string.id = work.name_id LEFT JOIN op ON op.id = work.op_id LEFT JOIN string AS types ON types.id = op.types_id
  WHERE (work.run, work.name_id) IN (SELECT run, name_id FROM work_kind WHERE kind IN ('GEMM', 'attention', 'convolution'))
),
multiplied AS MATERIALIZED (
  SELECT run, group_concat(words, ', ') || ' of ' || time_words(all_ns) || ' GEMM, attention, conv' AS value, iif(max(is_type), 'dtypes of ops', 'kernel names') || iif(max(is_type) > min(is_type), ', kernel names', '') AS source, count(*) = max(is_unknown) AS is_unknown
  FROM (SELECT run, format('%s %.0f %%', coalesce(rtrim(dtype, '*'), 'unknown'), sum(time_ns) * 100.0 / all_ns) AS words, all_ns, max(dtype GLOB '*[*]') AS is_type, dtype IS NULL AS is_unknown
    FROM (SELECT run, time_ns, dtype, sum(time_ns) OVER (PARTITION BY run) AS all_ns FROM product) GROUP BY run, rtrim(dtype, '*') HAVING sum(time_ns) * 200 >= all_ns
    ORDER BY sum(time_ns) DESC)
  GROUP BY run
),
-- Sizes of a batch: of attention, else of the inputs of embeddings, else of convolutions.
sized AS MATERIALIZED (
  SELECT run, source, min(batch) AS batch_least, max(batch) AS batch_most, min(sequence) AS least, max(sequence) AS most, row_number() OVER (PARTITION BY run ORDER BY place) AS nth
  FROM (
    SELECT run, iif(category LIKE 'SDPA%', 1, 3) AS place, iif(category LIKE 'SDPA%', 'shapes of attention', 'shapes of convolutions') AS source,
      iif(category LIKE 'SDPA%', arg(params, 'B'), arg(params, 'input_shape') ->> 0) AS batch, arg(params, 'N_Q') AS sequence
    FROM op_call WHERE (category LIKE 'SDPA%' OR category LIKE 'CONV_fwd%') AND status = 'ok'
    UNION ALL SELECT used.run, 2, 'shapes of embeddings', json_extract(string.text, '$[1][0]'), json_extract(string.text, '$[1][1]')
    FROM (SELECT DISTINCT chosen.run AS run, event.op_id AS op_id FROM chosen CROSS JOIN event ON event.id BETWEEN chosen.first_event AND chosen.last_event
      WHERE +event.name_id = (SELECT id FROM string WHERE text = 'aten::embedding')) AS used
    JOIN op ON op.id = used.op_id JOIN string ON string.id = op.dims_id WHERE json_array_length(string.text, '$[1]') = 2
  )
  WHERE batch IS NOT NULL GROUP BY run, place
),
step AS MATERIALIZED (
  SELECT run, step, avg(dur_ns) AS dur_ns, max(iteration) AS iteration, row_number() OVER (PARTITION BY run ORDER BY step) AS nth, max((run, trace_id, step) IN (SELECT run, trace_id, step FROM cut_step)) AS is_cut
  FROM trace_step WHERE kind = 'step' AND step IS NOT NULL GROUP BY run, step
),
stepped AS (
  SELECT run, count(*) AS steps, max(iteration) AS iteration, median(dur_ns) AS each_ns, median(dur_ns) FILTER (WHERE NOT is_cut AND nth > 1) AS median_ns, max(dur_ns) FILTER (WHERE NOT is_cut AND nth = 1) AS first_ns, max(step) FILTER (WHERE nth = 1) AS first
  FROM step GROUP BY run
),
link AS (
  SELECT chosen.run AS run, chosen.trace_id AS trace_id, CASE WHEN counter_track.name REGEXP '(?i)nvlink' THEN 'NVLink' WHEN counter_track.name REGEXP '(?i)xgmi' THEN 'XGMI' ELSE 'PCIe' END AS link, 'counters' AS source
  FROM chosen JOIN counter_track ON counter_track.trace_id = chosen.trace_id AND counter_track.name REGEXP '(?i)nvlink|xgmi|pcie'
  UNION SELECT chosen.run, chosen.trace_id, CASE arg(each.value, 'type') WHEN 11 THEN 'XGMI' ELSE 'PCIe' END, 'links of the devices'
  FROM chosen JOIN device ON device.trace_id = chosen.trace_id JOIN json_each(device.properties, '$.io_links') AS each
  WHERE arg(each.value, 'type') IN (2, 11)
),
linked AS (SELECT run, trace_id, group_concat(link, ', ') AS value, max(source) AS source FROM link GROUP BY run, trace_id)
SELECT
  run AS run, -- name of the run
  NULL AS trace_id, -- id of the trace; NULL for facts of a run
  'devices' AS name, -- name of the fact
  group_concat(words, ', ') AS value, -- value of the fact; NULL when not recorded
  'devices with GPU activities' AS source -- source of the value
FROM (SELECT run, count(*) || ' × ' || coalesce(name, 'device without a name') AS words FROM model GROUP BY run, name ORDER BY count(*) DESC, name)
GROUP BY run
UNION ALL SELECT run, trace_id, 'devices of the machine', max(devices) || ' × ' || group_concat(DISTINCT name), 'device properties' FROM known WHERE devices > (SELECT count(*) FROM ran WHERE ran.trace_id = known.trace_id) GROUP BY run, trace_id
UNION ALL SELECT run, NULL, 'multiprocessors', group_concat(DISTINCT cores), 'device properties' FROM model GROUP BY run
UNION ALL SELECT run, NULL, 'memory', group_concat(DISTINCT format('%.1f GiB', memory_bytes / 1073741824.0)), 'device properties' FROM model WHERE memory_bytes > 0 GROUP BY run
UNION ALL SELECT run, NULL, 'memory peak', iif(bytes < 1073741824, format('%.1f MiB', bytes / 1048576.0), format('%.1f GiB', bytes / 1073741824.0)) || CASE WHEN memory_bytes > 0 THEN format(' of %.1f GiB (%.1f %%)', memory_bytes / 1073741824.0, bytes * 100.0 / memory_bytes) ELSE '' END, source
FROM (SELECT run, bytes, source, memory_bytes, row_number() OVER (PARTITION BY run ORDER BY bytes * 1.0 / memory_bytes DESC, bytes DESC) AS nth FROM held WHERE bytes > 0)
WHERE nth = 1
UNION ALL SELECT run, trace_id, 'links', value, source FROM linked
UNION ALL SELECT run, NULL, 'copies between devices', iif(time_ns > 0, time_words(time_ns) || ' of ', 'none of ') || time_words(all_ns) || ' memcpy', 'kinds of memcpy'
FROM (SELECT activity.run AS run, sum(time_ns) AS all_ns, sum(time_ns) FILTER (WHERE string.text REGEXP '(?i)PtoP|peer') AS time_ns
  FROM activity JOIN string ON string.id = activity.name_id WHERE category_id = (SELECT id FROM category WHERE name = 'gpu_memcpy') GROUP BY activity.run)
UNION ALL SELECT run, trace_id, 'profiler', CASE
    WHEN dialect IS NOT NULL THEN coalesce((SELECT meaning FROM trace_dialect WHERE name = dialect), dialect)
    WHEN format = 'kineto' THEN 'PyTorch profiler (Kineto)' || coalesce(', CUPTI API ' || arg(metadata, 'cupti_version'), ', roctracer ' || arg(metadata, 'roctracer_version'), '')
    WHEN format = 'nsys' THEN 'Nsight Systems' || coalesce(' ' || arg(metadata, 'EXPORT_PRODUCT_VERSION'), '')
    WHEN format IN ('rocpd', 'rocprof') THEN 'rocprofv3' || coalesce(', schema ' || arg(metadata, 'schema_version'), '')
    WHEN format = 'xplane' THEN 'XLA profiler (xplane)' WHEN format = 'snapshot' THEN 'PyTorch memory snapshot'
    WHEN format = 'ttmetal' THEN 'tt-metal profiler' || coalesce(', columns ' || arg(metadata, 'version'), '') ELSE format END, 'format of the file'
FROM chosen
UNION ALL SELECT run, trace_id, 'framework', value, source FROM framework
UNION ALL SELECT run, trace_id, 'GPU driver', CASE WHEN driver GLOB '*.*' OR driver GLOB '*[^0-9]*' OR length(driver) < 6 THEN driver ELSE substr(driver, 1, 3) || '.' || substr(driver, 4, length(driver) - 5) || '.' || substr(driver, -2) END, 'file metadata'
FROM (SELECT run, trace_id, CAST(arg(metadata, 'NvDriverVersion') AS TEXT) AS driver FROM chosen) WHERE driver IS NOT NULL
UNION ALL SELECT chosen.run, chosen.trace_id, version.name, iif(version.is_hip, format('HIP %d.%d.%d', version.number / 10000000, version.number / 100000 % 100, version.number % 100000), format('CUDA %d.%d', version.number / 1000, version.number % 1000 / 10)), 'file metadata'
FROM chosen
CROSS JOIN (SELECT trace_id AS of_trace, column1 AS name, column3 AS is_hip, CAST(arg(metadata, column2) AS INTEGER) AS number FROM chosen CROSS JOIN (VALUES ('CUDA or HIP driver API', 'cuda_driver_version', 0), ('CUDA or HIP driver API', 'CudaDriverVersion', 0),
  ('CUDA or HIP driver API', 'hip_driver_version', 1), ('CUDA or HIP runtime', 'cuda_runtime_version', 0), ('CUDA or HIP runtime', 'hip_runtime_version', 1))) AS version ON version.of_trace = chosen.trace_id AND version.number > 0
UNION ALL SELECT chosen.run, chosen.trace_id, 'NCCL or RCCL', iif(arg(metadata, 'hip_runtime_version') IS NULL AND arg(metadata, 'roctracer_version') IS NULL, 'NCCL ', 'RCCL ') || arg(arg(metadata, 'distributedInfo'), 'nccl_version'), 'file metadata' FROM chosen
UNION ALL SELECT run, trace_id, 'world size', world_size, 'file metadata' FROM chosen
UNION ALL SELECT run, NULL, 'ranks in the run', count(*), 'traces' FROM chosen GROUP BY run
UNION ALL SELECT run, trace_id, 'process groups', group_concat(words, ', '), 'process groups' FROM (SELECT run, trace_id, coalesce(name, 'without a name') || ' ' || group_concat(DISTINCT size) AS words FROM grouped WHERE size IS NOT NULL GROUP BY run, trace_id, name) GROUP BY run, trace_id
UNION ALL SELECT run, trace_id, 'parallelism', value, 'names of process groups' FROM parallel
UNION ALL SELECT run, NULL, 'dtype', value, source FROM multiplied WHERE NOT is_unknown
UNION ALL SELECT run, NULL, 'batch', iif(batch_least = batch_most, batch_least, batch_least || '–' || batch_most), source FROM sized WHERE nth = 1
UNION ALL SELECT run, NULL, 'sequence', iif(least = most, least, least || '–' || most), source FROM sized WHERE nth = 1 AND most IS NOT NULL
UNION ALL SELECT run, NULL, 'engine batch', iif(min(batch_size) = max(batch_size), min(batch_size), min(batch_size) || '–' || max(batch_size)) || iif(max(context_tokens + generation_tokens) > 0, ' tokens', ''), 'marks of engine steps' FROM serving_step WHERE batch_size IS NOT NULL GROUP BY run
UNION ALL SELECT total.run, NULL, 'torch.compile', CASE
    WHEN coalesce(compiled.time_ns, total.inductor_ns) > 0 THEN format('%.0f %% of %s GPU time', coalesce(compiled.time_ns, total.inductor_ns) * 100.0 / total.time_ns, time_words(total.time_ns))
    ELSE 'no compiled region' END, CASE WHEN compiled.time_ns > 0 THEN 'below compiled regions' WHEN total.inductor_ns > 0 THEN 'triton_ kernels of TorchInductor' ELSE 'ops and ranges' END
FROM total LEFT JOIN compiled ON compiled.run = total.run
WHERE total.inductor_ns > 0 OR total.run IN (SELECT run FROM recorded WHERE has_ops AND format IN ('kineto', 'nsys'))
UNION ALL SELECT run, NULL, 'graph launches', iif(graph_ns > 0, format('%.0f %% of %s GPU time', graph_ns * 100.0 / time_ns, time_words(time_ns)), 'none'), 'runtime calls' FROM total WHERE called_ns > 0
UNION ALL SELECT run, NULL, 'length', iif(time_words(min(last_ns)) = time_words(max(last_ns)), time_words(max(last_ns)), time_words(min(last_ns)) || ' to ' || time_words(max(last_ns))), 'first to last event'
FROM (SELECT run, trace_id, max(last_ns) AS last_ns FROM used GROUP BY run, trace_id) GROUP BY run
UNION ALL SELECT run, NULL, 'steps', steps || CASE WHEN iteration = 'kernels' THEN ' iterations' WHEN iteration IS NOT NULL THEN ' of range ''' || iteration || '''' ELSE iif(steps = 1, ' profiler step', ' profiler steps') END || iif(steps > 1, ', median ' || time_words(each_ns), ''), iif(iteration = 'kernels', 'recognised from kernels', 'marks of steps') FROM stepped
UNION ALL SELECT run, NULL, 'warm-up', format('step %d takes %.1f × the median of the others', first, first_ns / median_ns) || iif(first_ns > 1.5 * median_ns, ': warm-up', ''), iif(iteration = 'kernels', 'recognised from kernels', 'marks of steps') FROM stepped WHERE steps >= 3 AND median_ns > 0 AND first_ns > 0
UNION ALL SELECT run, trace_id, column1, iif(CASE column1 WHEN 'shapes' THEN has_shapes WHEN 'stacks' THEN has_frames WHEN 'modules' THEN has_modules ELSE has_memory END, 'on', iif(arg(metadata, column2) = 1, 'on, none recorded', 'off')), 'events, file metadata'
FROM recorded CROSS JOIN (VALUES ('shapes', 'record_shapes'), ('stacks', 'with_stack'), ('modules', 'with_modules'), ('memory records', 'profile_memory'));
