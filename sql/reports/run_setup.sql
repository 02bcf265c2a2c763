-- Setup of a run: devices, software, parallelism, dtypes, batch, steps and profiler options, each with
-- its source, or with the option that records it.
-- set: pytorch
-- question: raw first
-- words: what is this run, setup, hardware, gpu, framework, version, driver, dtype, batch size, sequence length, parallelism, world size
-- position: 2
-- unit: run
-- key: name
-- no-sum: yes
-- when: never
-- all-rows: yes
-- terminal: name, value, origin
-- wide: value, origin
-- empty: no_events
CREATE VIEW run_setup AS
WITH wanted (position, topic, name, needs, formats) AS (
  -- needs: the fact without which the option tells; formats: those in which a missing fact is told
  VALUES (1, 'device', 'devices', NULL, '*'), (2, 'device', 'devices of the machine', NULL, ''), (3, 'device', 'multiprocessors', NULL, '*'), (4, 'device', 'memory', NULL, '*'),
    (5, 'device', 'memory peak', 'memory records', '*'), (6, 'device', 'links', NULL, '*'), (7, 'device', 'copies between devices', NULL, ''),
    (11, 'software', 'framework', NULL, '*'), (12, 'software', 'framework version', NULL, '*'), (13, 'software', 'profiler', NULL, '*'), (14, 'software', 'GPU driver', NULL, '*'),
    (15, 'software', 'CUDA or HIP driver API', NULL, 'kineto nsys'), (16, 'software', 'CUDA or HIP runtime', NULL, '*'), (17, 'software', 'NCCL or RCCL', NULL, '*'),
    (21, 'job', 'world size', NULL, '*'), (22, 'job', 'ranks in the run', NULL, '*'), (23, 'job', 'parallelism', NULL, '*'), (24, 'job', 'process groups', NULL, ''),
    (25, 'job', 'graph launches', NULL, 'kineto nsys rocpd rocprof'), (26, 'job', 'torch.compile', NULL, 'kineto nsys'),
    (31, 'model', 'dtype', 'shapes', '*'), (32, 'model', 'batch', 'shapes', '*'), (33, 'model', 'sequence', 'shapes', '*'), (34, 'model', 'engine batch', NULL, ''),
    (41, 'recording', 'length', NULL, '*'), (42, 'recording', 'steps', NULL, '*'), (43, 'recording', 'warm-up', NULL, ''),
    (44, 'recording', 'shapes', NULL, '*'), (45, 'recording', 'stacks', NULL, '*'), (46, 'recording', 'modules', NULL, '*'), (47, 'recording', 'memory records', NULL, '*')
),
-- Options of profilers that record a fact.
setup_option (name, format, how) AS (
  VALUES
    ('shapes', 'kineto', 'record_shapes=True'), ('dtype', 'kineto', 'record_shapes=True'), ('batch', 'kineto', 'record_shapes=True'), ('sequence', 'kineto', 'record_shapes=True'),
    ('stacks', 'kineto', 'with_stack=True'), ('modules', 'kineto', 'with_stack=True'), ('memory records', 'kineto', 'profile_memory=True'),
    ('memory peak', 'kineto', 'profile_memory=True'), ('steps', 'kineto', 'schedule=..., prof.step()'), ('parallelism', 'kineto', 'mesh_dim_names, group_desc'),
    ('torch.compile', 'kineto', 'activities=[ProfilerActivity.CPU, ...]'), ('graph launches', 'kineto', 'activities=[ProfilerActivity.CPU, ...]'),
    ('shapes', 'nsys', 'emit_nvtx(record_shapes=True)'), ('dtype', 'nsys', 'emit_nvtx(record_shapes=True)'), ('batch', 'nsys', 'emit_nvtx(record_shapes=True)'), ('sequence', 'nsys', 'emit_nvtx(record_shapes=True)'), ('stacks', 'nsys', '--python-backtrace=cuda'),
    ('memory records', 'nsys', '--cuda-memory-usage=true'), ('memory peak', 'nsys', '--cuda-memory-usage=true'), ('links', 'nsys', '--gpu-metrics-devices=all'),
    ('steps', 'nsys', 'NVTX ranges of steps'), ('graph launches', 'nsys', '--trace=cuda'), ('devices', 'nsys', '--trace=cuda'), ('torch.compile', 'nsys', 'emit_nvtx()'),
    ('memory records', 'rocpd', '--memory-allocation-trace'), ('memory peak', 'rocpd', '--memory-allocation-trace'), ('graph launches', 'rocpd', '--hip-trace'), ('steps', 'rocpd', 'roctx ranges, --marker-trace'),
    ('memory records', 'rocprof', '--memory-allocation-trace'), ('memory peak', 'rocprof', '--memory-allocation-trace'), ('graph launches', 'rocprof', '--hip-trace'), ('steps', 'rocprof', 'roctx ranges, --marker-trace'),
    ('stacks', 'xplane', 'ProfileOptions.python_tracer_level=1'), ('steps', 'xplane', 'jax.profiler.StepTraceAnnotation'),
    ('stacks', 'snapshot', 'stacks=''all''')
),
-- Names of profilers, in the sentence of what no option of them records.
profiler (format, name) AS (
  VALUES ('kineto', 'the PyTorch profiler'), ('nsys', 'Nsight Systems'), ('rocpd', 'rocprofv3'), ('rocprof', 'rocprofv3'), ('xplane', 'the JAX profiler'), ('snapshot', 'memory snapshots'), ('ttmetal', 'the tt-metal profiler')
),
ranked AS MATERIALIZED (
  SELECT rank.run AS run, rank.trace_id AS trace_id, rank.label AS label, rank.place AS place, coalesce(replace(arg(trace.metadata, 'dialect'), 'ascend', 'kineto'), trace.format) AS format
  FROM run_rank AS rank
  JOIN trace ON trace.id = rank.trace_id
),
fact AS MATERIALIZED (SELECT run, trace_id, name, CAST(value AS TEXT) AS value, source FROM setup_fact),
-- Values of ranks: once where all agree, else with their ranks.
said AS (
  SELECT run, name, group_concat(iif(values_there = 1, value, value || ' (' || ranks || ')'), '; ') AS value, max(source) AS source
  FROM (SELECT fact.run AS run, fact.name AS name, coalesce(fact.value, 'not recorded') AS value, max(fact.source) AS source,
      iif(count(*) > 4, count(*) || ' ranks', 'rank ' || group_concat(ranked.label, ', ')) AS ranks, count(*) OVER (PARTITION BY fact.run, fact.name) AS values_there, max(fact.value IS NOT NULL) OVER (PARTITION BY fact.run, fact.name) AS is_there
    FROM fact
    LEFT JOIN ranked ON ranked.trace_id = fact.trace_id
    GROUP BY fact.run, fact.name, coalesce(fact.value, 'not recorded')
    ORDER BY count(*) DESC, min(ranked.place))
  WHERE is_there
  GROUP BY run, name
)
SELECT
  run AS run, -- [text] name of the run
  topic AS topic, -- [text] topic: device, software, job, model or recording
  name AS name, -- [text] name of the fact
  value AS value, -- [text] value of the fact; where ranks differ with its ranks; NULL when not recorded
  source AS source, -- [text] source of the value
  how AS how, -- [text] option of the profiler that records what is not recorded
  coalesce(how, source) AS origin -- [text] source, or how where there is no value
FROM (
  SELECT chosen.run AS run, wanted.topic AS topic, wanted.name AS name, said.value AS value, said.source AS source, wanted.position AS position, chosen.format AS format,
    CASE WHEN said.value <> 'off' THEN NULL
      WHEN needed.value LIKE 'on%' THEN 'not recorded: nothing in the trace tells'
      ELSE coalesce('not recorded: ' || option.how, 'not recorded by ' || coalesce(profiler.name, 'the profiler')) END AS how
  FROM (SELECT run, max(format) AS format FROM ranked GROUP BY run) AS chosen
  CROSS JOIN wanted
  LEFT JOIN said ON said.run = chosen.run AND said.name = wanted.name
  LEFT JOIN said AS needed ON needed.run = chosen.run AND needed.name = wanted.needs
  LEFT JOIN setup_option AS option ON option.name = wanted.name AND option.format = chosen.format
  LEFT JOIN profiler ON profiler.format = chosen.format
  WHERE said.value IS NOT NULL OR wanted.formats = '*' OR instr(wanted.formats, chosen.format)
)
ORDER BY run, position;
