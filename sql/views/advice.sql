-- Rules of advice, held against what was found.

-- Outermost calls of products and convolutions in fp32 that run without matrix units, and what a faster
-- type that the GPU has would save of them.
CREATE VIEW fp32_product AS
WITH trace AS MATERIALIZED (
  SELECT trace.run AS run, trace.trace_id AS trace_id, trace.busy_ns AS busy_ns,
    coalesce(max(arg(limits.peaks, 'matrix_tf32'), arg(limits.peaks, 'matrix_bf16')), arg(limits.peaks, 'matrix_tf32'), arg(limits.peaks, 'matrix_bf16')) AS bf16, arg(limits.peaks, 'matrix_fp16') AS fp16,
    coalesce(arg(limits.peaks, 'matrix_fp32'), arg(limits.peaks, 'vector_fp32')) AS fp32,
    (SELECT max(CAST(device.architecture AS REAL)) FROM device WHERE device.trace_id = trace.trace_id AND CAST(device.architecture AS REAL) >= 1) AS capability
  FROM advice_trace AS trace
  LEFT JOIN roofline_limits AS limits ON limits.run = trace.run AND limits.trace_id = trace.trace_id
  WHERE trace.busy_ns > 0
)
SELECT
  trace.run AS run, -- name of the run
  trace.trace_id AS trace_id, -- id of the trace
  trace.busy_ns AS busy_ns, -- GPU busy time of the trace
  call.id AS id, -- id of the call
  call.last_id AS last_id, -- last id below it
  call.kernel_ns AS kernel_ns, -- GPU time of the call
  CASE WHEN bf16 IS NOT NULL OR (fp16 IS NULL AND coalesce(capability, 8) >= 8) THEN 'bf16' ELSE 'fp16' END AS faster, -- faster type that the GPU has: bf16 (and TF32), or before Ampere fp16
  coalesce(1 - fp32 / max(fp32, coalesce(bf16, fp16)), 0.5) AS part -- part of the GPU time of the call that the faster type saves; half where the peaks are not known
FROM trace
CROSS JOIN op_call AS call ON call.run = trace.run AND call.trace_id = trace.trace_id
WHERE coalesce(capability, 8) >= 7 AND call.compute_spec = 'matrix_fp32' AND coalesce((SELECT size.value FROM json_each(call.params, '$.filter_shape') AS size WHERE size.key = 1), 2) <> 1 AND call.is_nested = 0 AND call.kernel_ns > 0 AND NOT EXISTS (
  SELECT 1 FROM gpu_event WHERE gpu_event.id BETWEEN call.id AND call.last_id AND kernel_class('product', gpu_event.category_id, gpu_event.name_id) = 'matrix unit');

-- Calls of regions that torch.compile made, without those inside others, and what the thread launched up
-- to the next one.
CREATE VIEW compiled_call AS
WITH called AS MATERIALIZED (
  SELECT scope.run AS run, scope.trace_id AS trace_id, event.id AS id, event.last_id AS last_id, event.ts_ns AS ts_ns, event.dur_ns AS dur_ns, event.track_id AS track_id,
    ltrim(substr(string.text, 23)) AS region, max(event.last_id) OVER (PARTITION BY scope.run, scope.trace_id ORDER BY event.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS covered_id
  FROM scope
  CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
  JOIN string ON string.id = event.name_id
  WHERE EXISTS (SELECT 1 FROM string WHERE text GLOB 'Torch-Compiled Region: *') AND event.name_id IN (SELECT id FROM string WHERE text GLOB 'Torch-Compiled Region: *')
),
outer_call AS MATERIALIZED (
  SELECT run, trace_id, id, last_id, ts_ns, dur_ns, region, CAST(region AS INTEGER) AS code, lead(id) OVER thread AS next_id, lead(ts_ns) OVER thread - ts_ns - dur_ns AS between_ns,
    lead(CAST(region AS INTEGER)) OVER thread AS next_code
  FROM called
  WHERE coalesce(covered_id, 0) < id
  WINDOW thread AS (PARTITION BY run, trace_id, track_id ORDER BY id)
),
launched AS MATERIALIZED (
  SELECT call.run AS run, call.trace_id AS trace_id, call.id AS id, sum(work.id <= call.last_id) AS works, sum(iif(work.id <= call.last_id, work.dur_ns, 0)) AS gpu_ns,
    sum(work.id > call.last_id) AS between_works, sum(iif(work.id > call.last_id, work.dur_ns, 0)) AS between_gpu_ns,
    value_at_least(iif(work.id > call.last_id, work.launcher_name_id, NULL), iif(work.id > call.last_id, -work.dur_ns, 0)) AS between_name_id
  FROM outer_call AS call
  CROSS JOIN gpu_event AS work ON work.id BETWEEN call.id AND coalesce(call.next_id, call.last_id)
  GROUP BY call.run, call.trace_id, call.id
)
SELECT
  call.run AS run, -- name of the run
  call.trace_id AS trace_id, -- id of the trace
  call.id AS id, -- id of the call
  call.region AS region, -- number of the code, and of its recompilation
  call.dur_ns AS dur_ns, -- host time of the call
  coalesce(launched.works, 0) AS works, -- number of GPU activities launched in the call
  coalesce(launched.gpu_ns, 0) AS gpu_ns, -- summed duration of the GPU activities
  call.between_ns AS between_ns, -- host time up to the next call of the thread
  coalesce(launched.between_gpu_ns, 0) AS between_gpu_ns, -- summed duration of GPU activities launched there
  launched.between_name_id AS between_name_id, -- launcher of the longest one
  coalesce(call.next_code > call.code AND launched.between_works > 0, 0) AS broken -- whether a region of a later number follows, with GPU activities of eager ops between
FROM outer_call AS call
LEFT JOIN launched ON launched.run = call.run AND launched.trace_id = call.trace_id AND launched.id = call.id;

-- Every rule for every selected trace, or run, with what it found and what that says.
CREATE VIEW advice_verdict AS
WITH several AS (
  SELECT run FROM (SELECT DISTINCT run, trace_id FROM scope) GROUP BY run HAVING count(*) > 1
),
arrival AS MATERIALIZED (
  SELECT id, wait_ns FROM rank_arrival WHERE run IN (SELECT run FROM several)
),
-- Exposed communication of each rank of a run of several, and what is left of it without the time in
-- which the rank waited for others.
rank_exposed AS (
  SELECT work.run AS run, work.trace_id AS trace_id, interval_difference_ns(work.ts_ns, work.dur_ns, work.kind = 'computation') AS exposed_ns,
    interval_difference_ns(work.ts_ns + min(coalesce(arrival.wait_ns, 0), work.dur_ns), work.dur_ns - min(coalesce(arrival.wait_ns, 0), work.dur_ns),
      work.kind = 'computation') AS transfer_ns
  FROM analysed_work AS work
  LEFT JOIN arrival ON arrival.id = work.id
  WHERE work.kind <> 'memory' AND work.run IN (SELECT run FROM several)
  GROUP BY work.run, work.trace_id
),
measured AS MATERIALIZED (
  SELECT run, trace_id, works, span_ns, is_recording, has_launches, has_calls, has_ops, has_ranges, has_optimizer, has_steps, has_blocks, has_shapes, has_frames
  FROM advice_trace
  WHERE trace_id NOT IN (SELECT id FROM trace WHERE format = 'ttmetal')
),
subject AS (
  SELECT rule.rule AS rule, measured.run AS run, measured.trace_id AS trace_id, measured.span_ns AS span_ns,
    CASE WHEN rule.measure IS NOT NULL AND (SELECT tpq_option('advice-depth')) = 'scan' THEN 0
      WHEN measured.is_recording THEN 0
      WHEN rule.needs = 'memory' THEN EXISTS (SELECT 1 FROM memory_event WHERE memory_event.trace_id = measured.trace_id)
      WHEN rule.needs = 'memory snapshot' THEN EXISTS (SELECT 1 FROM memory_device WHERE memory_device.trace_id = measured.trace_id)
      WHEN measured.works = 0 THEN 0
      ELSE CASE rule.needs
        WHEN 'work' THEN 1
        WHEN 'launches' THEN has_launches
        WHEN 'calls' THEN has_calls
        WHEN 'ops' THEN has_ops
        WHEN 'ranges' THEN has_ranges
        WHEN 'ops or ranges' THEN has_ops OR has_ranges
        WHEN 'optimizer steps' THEN has_optimizer
        WHEN 'steps' THEN has_steps
        WHEN 'blocks' THEN has_blocks
        WHEN 'shapes' THEN has_shapes
        WHEN 'frames' THEN has_frames
        WHEN 'peaks' THEN has_shapes AND EXISTS (SELECT 1 FROM roofline_limits AS limits WHERE limits.run = measured.run AND limits.trace_id = measured.trace_id)
        WHEN 'recompute' THEN EXISTS (SELECT 1 FROM scope WHERE scope.run = measured.run AND scope.trace_id = measured.trace_id AND scope.is_recompute IS NOT NULL)
        ELSE rule.needs IS NULL END
    END AS is_measured
  FROM advice_rule AS rule
  CROSS JOIN measured
  WHERE rule.level = 'trace'
  UNION ALL
  SELECT rule.rule, measured.run, NULL, max(measured.span_ns), CASE WHEN rule.measure IS NOT NULL AND (SELECT tpq_option('advice-depth')) = 'scan' THEN 0 WHEN rule.needs = 'ranks' THEN count(*) > 1 ELSE rule.needs IS NULL END
  FROM advice_rule AS rule
  CROSS JOIN measured
  WHERE rule.level = 'run'
  GROUP BY rule.rule, rule.needs, rule.measure, measured.run
),
doubt AS MATERIALIZED (
  SELECT rule, run, trace_id, finding FROM health_doubts WHERE (SELECT tpq_option('force-figures')) IS NULL
  UNION ALL
  SELECT rule, run, NULL, min(finding) FROM health_doubts WHERE (SELECT tpq_option('force-figures')) IS NULL GROUP BY rule, run
),
-- traces whose path is mostly of what was not recorded: no replay tells what they save
untold AS MATERIALIZED (
  SELECT run, trace_id
  FROM path_kind
  WHERE (SELECT tpq_option('advice-depth')) = 'path'
  GROUP BY run, trace_id
  HAVING sum(CASE kind WHEN 'unknown' THEN time_ns ELSE 0 END) * 2 > sum(time_ns)
),
fact AS MATERIALIZED (
  SELECT run, trace_id, rule, value, count, time_ns, saving_ns, replay_ns, example_id, cause_name_id, cause_is_work, cause_count, cause_ns, NULL AS words, NULL AS lever
  FROM advice_measure
  WHERE rule NOT IN (SELECT rule FROM advice_rule WHERE measure IS NOT NULL)
  UNION ALL
  SELECT run, trace_id, rule, value, count, time_ns, saving_ns, replay_ns, example_id, NULL, NULL, NULL, NULL, cause, lever
  FROM advice_question
),
found AS (
  SELECT subject.run AS run, subject.trace_id AS trace_id, subject.rule AS rule, subject.span_ns AS span_ns, subject.is_measured AND doubt.rule IS NULL AS is_measured, doubt.finding AS doubt,
    rule.position AS position, rule.threshold AS threshold, rule.unit AS unit, rule.needs AS needs, rule.title AS title,
    CASE WHEN fact.lever IS NOT NULL THEN fact.lever WHEN rule.action <> '' AND coalesce(tie.lever_first, 0) = 0 THEN rule.action
      ELSE coalesce(CASE WHEN fact.cause_ns * 10 >= fact.time_ns THEN (SELECT lever FROM host_lever WHERE cause.text REGEXP pattern ORDER BY position LIMIT 1) END, nullif(rule.action, '')) END AS action,
    tie.path_kind AS path_kind, tie.headline AS headline, rule.report AS report, rule.doc AS doc, rule.is_symptom AS is_symptom, fact.value AS value, fact.count AS count, fact.time_ns AS time_ns, min(fact.time_ns, coalesce(fact.saving_ns, fact.time_ns)) AS measured_ns, fact.example_id AS example_id,
    CASE WHEN fact.words IS NOT NULL THEN fact.words WHEN fact.cause_ns * 10 >= fact.time_ns THEN CASE WHEN fact.cause_ns * 2 >= fact.time_ns THEN 'Most of it: ' ELSE 'Largest part: ' END || format('%s, %s%s', CASE WHEN fact.cause_is_work THEN kernel_short_name(cause.text) WHEN length(cause.text) > 60 THEN substr(cause.text, 1, 59) || '…' ELSE cause.text END, CASE WHEN fact.cause_count > 1 THEN format('%,d times, ', fact.cause_count) ELSE '' END, time_words(fact.cause_ns) || CASE WHEN tie.headline IN ('start-up', 'note') THEN format(' of %s', time_words(fact.time_ns * 100.0 / fact.value)) ELSE '' END)
      || CASE WHEN tie.headline = 'start-up' THEN ' from the first call of the host to the last GPU activity' ELSE '' END END AS cause,
    CASE WHEN rule.saving_kind = 'none' THEN fact.saving_ns END AS weight_ns,
    CASE WHEN fact.value IS NULL OR rule.saving_kind = 'none' THEN NULL ELSE coalesce(iif(replay.rule IS NULL AND untold.run IS NULL, fact.replay_ns, NULL), min(fact.saving_ns, subject.span_ns)) END AS saving_ns,
    iif(untold.run IS NULL, fact.replay_ns, NULL) AS replay_ns,
    CASE WHEN fact.value IS NULL OR rule.saving_kind = 'none' THEN NULL WHEN fact.replay_ns IS NOT NULL AND replay.rule IS NULL AND untold.run IS NULL THEN 'replay' ELSE rule.saving_kind END AS saving_kind
  FROM subject
  JOIN advice_rule AS rule ON rule.rule = subject.rule
  LEFT JOIN advice_tie AS tie ON tie.rule = subject.rule
  LEFT JOIN fact ON fact.run = subject.run AND fact.rule = subject.rule AND fact.trace_id IS subject.trace_id
  LEFT JOIN string AS cause ON cause.id = fact.cause_name_id
  LEFT JOIN doubt ON doubt.rule = subject.rule AND doubt.run = subject.run AND doubt.trace_id IS subject.trace_id
  LEFT JOIN untold ON untold.run = subject.run AND untold.trace_id = subject.trace_id
  LEFT JOIN doubt AS replay ON replay.rule = 'replay' AND replay.run = subject.run AND replay.trace_id IS subject.trace_id
)
SELECT
  run AS run, -- name of the run
  trace_id AS trace_id, -- trace; NULL when it is about the run
  rule AS rule, -- rule of advice
  CASE WHEN doubt IS NOT NULL THEN 'no basis'
    WHEN NOT is_measured THEN 'not measured'
    WHEN value IS NULL THEN 'nothing found'
    WHEN value < threshold THEN 'below threshold'
    WHEN min(saving_ns, coalesce(replay_ns, saving_ns)) < span_ns * (SELECT tpq_option('advice-min-percent')) / 100.0 THEN iif(time_ns * 20 >= span_ns, 'hidden', 'saves little')
    WHEN path_kind = 'communication' AND run IN (SELECT run FROM rank_exposed GROUP BY run HAVING sum(transfer_ns) * 2 < sum(exposed_ns)) THEN 'waits for ranks'
    ELSE 'fires' END AS verdict, -- fires, hidden (5 % of the span and more, which saves less than --advice-min-percent before others are faster), waits for ranks (most exposed communication of the run is waiting for a rank that is late), saves little (less than --advice-min-percent), below threshold, nothing found, not measured, or no basis (a check of trace_health is broken)
  span_ns AS span_ns, -- from the first start to the last end of GPU activities; of a run the longest
  is_symptom AS is_symptom, -- 1 when other rules may say why
  headline AS headline, -- part of the headline that comes from the rule (advice_tie)
  coalesce(saving_ns, weight_ns) AS weight_ns, -- weight of the finding: the estimated saving, or the time of a finding that saves nothing
  position AS position, -- place among rules with equal savings
  title AS title, -- problem that the rule finds
  CASE WHEN is_measured THEN value END AS value, -- measured value
  unit AS unit, -- unit of the measured value
  threshold AS threshold, -- smallest value with which the rule fires
  CASE WHEN is_measured THEN count END AS count, -- number of cases found
  CASE WHEN is_measured THEN time_ns END AS time_ns, -- time of the cases found
  CASE WHEN is_measured THEN measured_ns END AS measured_ns, -- idle or exposed part of the time
  CASE WHEN is_measured THEN saving_ns END AS saving_ns, -- estimated saving
  CASE WHEN is_measured THEN saving_kind END AS saving_kind, -- replay, upper bound or guess
  CASE WHEN is_measured THEN cause END AS cause, -- name with most of the time of the cases found
  CASE WHEN is_measured THEN example_id END AS example_id, -- id of an event of the cases found
  report AS report, -- report that tells more
  action AS action, -- recommended action; where the rule has none, the lever of the cause (host_lever)
  doc AS doc, -- definition of the measured value, and its limits
  CASE WHEN NOT is_measured THEN coalesce(doubt, needs, 'question asked') END AS lacks -- data that were not recorded, or the broken check of trace_health, for rules without a measured value
FROM found;

-- Means over the devices of each trace that has several, in the time that first lines are about.
CREATE VIEW several_devices AS
SELECT
  run AS run, -- name of the run
  trace_id AS trace_id, -- id of the trace
  count(*) AS devices, -- devices with GPU activities
  CAST(round(avg(busy_ns)) AS INTEGER) AS busy_ns, -- mean busy time of a device
  CAST(round(avg(exposed_comm_ns)) AS INTEGER) AS exposed_comm_ns, -- mean exposed communication of a device
  CAST(round(avg(exposed_memcpy_ns)) AS INTEGER) AS exposed_memcpy_ns, -- mean exposed memcpy of a device
  CASE WHEN count(*) <= 4 THEN group_concat(format('GPU %s %s', device, time_words(busy_ns)), ', ')
    ELSE time_words(min(busy_ns)) || ' to ' || time_words(max(busy_ns)) END AS words -- busy time of each device; of more than four the least and the most
FROM (SELECT run, trace_id, device, busy_ns, exposed_comm_ns, exposed_memcpy_ns FROM time_base WHERE device IS NOT NULL ORDER BY run, trace_id, device)
GROUP BY run, trace_id
HAVING count(*) > 1;

-- Pipelines of each selected run over all steps: where their time goes. Of several pipelines, which run
-- side by side, the longest.
CREATE VIEW pipeline_share AS
WITH whole AS (
  SELECT run, pipeline, sum(window_ms) AS window_ms, sum(schedule_ms) AS schedule_ms, sum(imbalance_ms) AS imbalance_ms, sum(delay_ms) AS delay_ms, sum(work_ms) AS work_ms, sum(bubble_ms) AS bubble_ms,
    sum(stages * microbatches) AS slots, max(ranks) AS ranks, max(microbatches) AS microbatches, CASE WHEN min(schedule) = max(schedule) THEN max(schedule) ELSE 'unknown' END AS schedule,
    row_number() OVER (PARTITION BY run ORDER BY sum(window_ms) DESC, pipeline) AS nth, count(*) OVER (PARTITION BY run) AS pipelines
  FROM pipeline_summary
  GROUP BY run, pipeline
)
SELECT
  run AS run, -- name of the run
  pipeline AS pipeline, -- lowest rank of the pipeline
  pipelines AS pipelines, -- number of pipelines of the run
  schedule AS schedule, -- name of the schedule
  ranks AS ranks, -- number of ranks of the pipeline
  microbatches AS microbatches, -- number of microbatches of a step
  slots AS slots, -- number of stages by microbatches, over all steps
  window_ms AS window_ms, -- [ms] time from the first slot to the last of each step
  schedule_ms AS schedule_ms, -- [ms] part of it that the schedule costs
  imbalance_ms AS imbalance_ms, -- [ms] part of it that unequal slots cost
  delay_ms AS delay_ms, -- [ms] part of it beyond the replay of the slots
  work_ms AS work_ms, -- [ms] mean computation of a rank
  bubble_ms AS bubble_ms -- [ms] mean time of a rank without computation, transfers and other GPU activities
FROM whole
WHERE nth = 1;

-- GPU time by kind of op: the kind of the op that launched it where that is one, else of its name.
CREATE VIEW work_kind AS
SELECT
  kernel.run AS run, -- name of the run
  kernel.trace_id AS trace_id, -- id of the trace
  kernel.name_id AS name_id, -- name of the GPU activities
  kernel.time_ns AS time_ns, -- GPU time: summed durations
  CASE WHEN kernel.class IN ('communication', 'memcpy') THEN kernel.class
    ELSE (SELECT op_group FROM op_group WHERE purpose = 'kind' AND op = coalesce(
      (SELECT op FROM op_group WHERE purpose = 'kind' AND op = kernel.launcher_category),
      kernel_class('kind', kernel.category_id, kernel.name_id), kernel_class('op', kernel.category_id, kernel.name_id))) END AS kind -- kind of op; NULL: no rule tells
FROM (SELECT run, trace_id, category_id, name_id, launcher_category, time_ns, kernel_class('timeline', category_id, name_id) AS class FROM advice_kernel) AS kernel;

-- GPU time of each selected run in words: kinds of op with 5 % and more, then the three largest kernels.
CREATE VIEW work_kind_words AS
WITH work AS MATERIALIZED (
  SELECT work_kind.run AS run, kernel_short_name(name.text) AS kernel, kind, time_ns, sum(time_ns) OVER (PARTITION BY work_kind.run) AS all_ns
  FROM work_kind
  JOIN string AS name ON name.id = work_kind.name_id
),
kinds AS (
  SELECT run, group_concat(format('%s %.0f %% (%s)', kind, time_ns * 100.0 / all_ns, time_words(time_ns)), ', ') AS words, sum(time_ns) * 2 >= max(all_ns) AS is_most
  FROM (SELECT run, kind, sum(time_ns) AS time_ns, max(all_ns) AS all_ns, row_number() OVER (PARTITION BY run ORDER BY sum(time_ns) DESC, kind) AS nth
    FROM work WHERE kind IS NOT NULL GROUP BY run, kind HAVING sum(time_ns) * 20 >= max(all_ns) ORDER BY run, nth)
  WHERE nth <= 4
  GROUP BY run
),
kernels AS (
  SELECT run, all_ns, sum(time_ns) * 2 >= all_ns AS is_most, group_concat(format('%s %s (%.0f %%)', kernel, time_words(time_ns), time_ns * 100.0 / all_ns), ', ') AS words
  FROM (SELECT run, kernel, sum(time_ns) AS time_ns, max(all_ns) AS all_ns, row_number() OVER (PARTITION BY run ORDER BY sum(time_ns) DESC, kernel) AS nth
    FROM work GROUP BY run, kernel HAVING sum(time_ns) > 0 ORDER BY run, nth)
  WHERE nth <= 3
  GROUP BY run, all_ns
)
SELECT
  kernels.run AS run, -- name of the run
  format('%s of %s GPU time: ', iif(kernels.is_most OR kinds.is_most, 'Most', 'Largest parts'), time_words(kernels.all_ns)) || coalesce(kinds.words || '. Largest: ', '') || kernels.words || '.' AS words -- text of the sentences
FROM kernels
LEFT JOIN kinds ON kinds.run = kernels.run AND kinds.is_most;

-- Host time of each selected trace in words: self time of the ops of the thread with most of it, by kind.
CREATE VIEW host_kind_words AS
WITH named AS MATERIALIZED (
  SELECT scope.run AS run, scope.trace_id AS trace_id, event.track_id AS track_id, event.category_id AS category_id, event.name_id AS name_id, sum(event.self_ns) AS time_ns
  FROM scope
  CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
  WHERE event.category_id IN (SELECT id FROM category WHERE role = 'op')
  GROUP BY scope.run, scope.trace_id, event.track_id, event.category_id, event.name_id
),
thread AS (
  SELECT run, trace_id, track_id, sum(time_ns) AS all_ns, row_number() OVER (PARTITION BY run, trace_id ORDER BY sum(time_ns) DESC, track_id) AS nth
  FROM named
  GROUP BY run, trace_id, track_id
),
kinds AS (
  SELECT named.run AS run, named.trace_id AS trace_id, thread.all_ns AS all_ns, coalesce((SELECT op_group FROM op_group WHERE purpose = 'kind' AND op = coalesce(kernel_class('kind', named.category_id, named.name_id),
      kernel_class('op name', named.category_id, named.name_id), kernel_class('op', named.category_id, named.name_id))), name.text) AS kind, named.time_ns AS time_ns
  FROM thread
  JOIN named ON named.run = thread.run AND named.trace_id = thread.trace_id AND named.track_id = thread.track_id
  JOIN string AS name ON name.id = named.name_id
  WHERE thread.nth = 1
)
SELECT
  run AS run, -- name of the run
  trace_id AS trace_id, -- id of the trace
  'CPU profile (no GPU activities): ' || group_concat(format('%s %s (%.0f %%)', kind, time_words(time_ns), time_ns * 100.0 / all_ns), ', ') || format(' of %s in ops.', time_words(all_ns)) AS words -- text of the sentence
FROM (SELECT run, trace_id, kind, all_ns, sum(time_ns) AS time_ns, row_number() OVER (PARTITION BY run, trace_id ORDER BY sum(time_ns) DESC, kind) AS nth
  FROM kinds GROUP BY run, trace_id, kind, all_ns HAVING all_ns > 0 ORDER BY run, trace_id, nth)
WHERE nth <= 3
GROUP BY run, trace_id, all_ns;

-- Outermost calls with the shortest time that the peaks of the device allow. Memcpy over the link to the
-- host is not included.
CREATE VIEW roofline_call AS
SELECT
  run AS run, -- name of the run
  trace_id AS trace_id, -- id of the trace
  id AS id, -- id of the event
  op_id AS op_id, -- call signature
  device AS device, -- device whose peaks were taken
  kernel_ns AS kernel_ns, -- GPU busy time below the call
  max(coalesce(flops / (peak_tflops * 1e3), 0), coalesce(bytes / mem_bw_gbps, 0)) AS least_ns, -- roofline minimum
  coalesce(bytes / mem_bw_gbps, 0) >= coalesce(flops / (peak_tflops * 1e3), 0) AS is_memory -- whether memory bandwidth bounds the call
FROM bounded_call
WHERE mem_bw_gbps > 0 AND coalesce(link_ns, 0) * 2 < kernel_ns AND (bytes > 0 OR flops > 0);

-- Traces with models for half of their GPU time and more: whether memory or compute bounds these ops.
CREATE VIEW roofline_share AS
WITH share AS (
  SELECT call.run AS run, call.trace_id AS trace_id, sum(call.kernel_ns) AS modelled_ns, coalesce(sum(call.kernel_ns) FILTER (WHERE call.is_memory), 0) AS memory_ns, sum(call.least_ns) AS least_ns,
    (SELECT sum(kernel.time_ns) FROM advice_kernel AS kernel WHERE kernel.run = call.run AND kernel.trace_id = call.trace_id) AS all_ns
  FROM roofline_call AS call
  GROUP BY call.run, call.trace_id
)
SELECT
  run AS run, -- name of the run
  trace_id AS trace_id, -- id of the trace
  CASE WHEN least_ns * 10 >= modelled_ns THEN iif(memory_ns * 2 >= modelled_ns, 'Memory-bound', 'Compute-bound') END AS word, -- bound of half of the GPU time and more; NULL below 10 % of the roofline, where neither binds
  format(' %.0f %% of GPU time is in ops bound by %s, at %.0f %% of the roofline.', max(memory_ns, modelled_ns - memory_ns) * 100.0 / all_ns, iif(memory_ns * 2 >= modelled_ns, 'memory bandwidth', 'compute'),
    least_ns * 100.0 / modelled_ns) AS words -- share in words
FROM share
WHERE max(memory_ns, modelled_ns - memory_ns) * 2 >= all_ns;

-- Calls of each trace that take twice their roofline minimum and more, and what to do about the signature
-- with most time above it.
CREATE VIEW roofline_worst AS
WITH slow AS MATERIALIZED (
  SELECT run, trace_id, id, op_id, device, kernel_ns, least_ns, is_memory
  FROM roofline_call
  WHERE kernel_ns >= 20000 AND least_ns > 0 AND least_ns * 2 < kernel_ns
),
whole AS (
  SELECT slow.run AS run, slow.trace_id AS trace_id, CAST(sum(slow.kernel_ns - slow.least_ns) AS INTEGER) AS above_ns, count(*) AS calls, sum(slow.kernel_ns) AS time_ns,
    value_at_least(slow.id, slow.least_ns - slow.kernel_ns) AS example_id, group_concat(format('%d %d %f', slow.id, event.last_id, 1 - slow.least_ns / slow.kernel_ns)) AS works
  FROM slow
  JOIN event ON event.id = slow.id
  GROUP BY slow.run, slow.trace_id
),
signature AS (
  SELECT run, trace_id, op_id, device, min(id) AS id, count(*) AS calls, sum(kernel_ns) AS time_ns, sum(least_ns) AS least_ns, max(is_memory) AS is_memory,
    row_number() OVER (PARTITION BY run, trace_id ORDER BY sum(kernel_ns - least_ns) DESC, op_id) AS nth
  FROM slow
  GROUP BY run, trace_id, op_id, device
),
worst AS (
  SELECT signature.run AS run, signature.trace_id AS trace_id, signature.calls AS calls, signature.time_ns AS time_ns, signature.least_ns AS least_ns, signature.is_memory AS is_memory, name.text AS name, dims.text AS dims,
    call.sheet AS sheet, call.params AS params, coalesce((SELECT max(device.cores) FROM device WHERE device.trace_id = signature.trace_id),
      108 /* of an A100, where it is not recorded */) AS cores
  FROM signature
  CROSS JOIN op_call AS call ON call.run = signature.run AND call.trace_id = signature.trace_id AND call.id = signature.id AND call.op_id = signature.op_id
  JOIN string AS name ON name.id = call.name_id
  LEFT JOIN op ON op.id = call.op_id
  LEFT JOIN string AS dims ON dims.id = op.dims_id
  WHERE signature.nth = 1
)
SELECT
  whole.run AS run, -- name of the run
  whole.trace_id AS trace_id, -- id of the trace
  whole.above_ns AS above_ns, -- time above the roofline minimum
  whole.calls AS calls, -- number of calls
  whole.time_ns AS time_ns, -- GPU busy time below the calls
  whole.example_id AS example_id, -- id of the call with most time above the minimum
  whole.works AS works, -- calls as advice_rule lists works
  format('Worst: %s%s, %s%s at %.0f %% of its %s roofline', worst.name, coalesce(' ' || CASE WHEN length(worst.dims) > 60 THEN substr(worst.dims, 1, 59) || '…' ELSE worst.dims END, ''),
    iif(worst.calls > 1, format('%,d times, ', worst.calls), ''), time_words(worst.time_ns), worst.least_ns * 100.0 / worst.time_ns, iif(worst.is_memory, 'memory', 'compute')) AS words, -- op, shapes, time and roofline % in words
  (SELECT lever.lever FROM roofline_lever AS lever
    WHERE worst.sheet GLOB lever.sheet AND CASE lever.feature WHEN 'any' THEN 0
      WHEN 'tiles' THEN ceil(arg(params, 'M') / 128.0) * ceil(arg(params, 'N') / 128.0) * max(arg(params, 'B'), 1) / cores
      WHEN 'odd' THEN (arg(params, 'N') % 8 <> 0) + (arg(params, 'K') % 8 <> 0)
      WHEN 'side' THEN min(arg(params, 'M'), arg(params, 'N'))
      WHEN 'channels' THEN (SELECT size.value FROM json_each(params, '$.filter_shape') AS size WHERE size.key = 1)
      WHEN 'filter' THEN (SELECT max(size.value) FROM json_each(params, '$.filter_shape') AS size WHERE size.key >= 2)
      WHEN 'sequence' THEN arg(params, 'N_Q')
      WHEN 'head' THEN arg(params, 'd_h_qk') % 32
      WHEN 'tokens' THEN arg(params, 'num_tokens') * 1.0 * coalesce(arg(params, 'topk'), 1) / arg(params, 'num_experts') END BETWEEN lever.least AND lever.most
    ORDER BY lever.position LIMIT 1) AS lever -- recommended action, by roofline_lever
FROM whole
JOIN worst ON worst.run = whole.run AND worst.trace_id = whole.trace_id;

-- The bound of each selected run, in a sentence or a few.
CREATE VIEW run_headline AS
WITH chosen AS MATERIALIZED (
  SELECT step.run AS run, step.trace_id AS trace_id, step.step AS step, step.ts_ns AS ts_ns, step.ts_ns + step.dur_ns - 1 AS last_ns, part.first_ns AS from_ns, part.last_ns AS until_ns
  FROM scope_time AS part
  CROSS JOIN trace_step AS step ON step.trace_id = part.trace_id AND step.kind = 'step' AND step.ts_ns >= part.first_ns AND step.ts_ns + step.dur_ns - 1 <= part.last_ns
),
-- windows of time that begin and end with steps are steps that were chosen
steps AS MATERIALIZED (
  SELECT run, trace_id, CASE WHEN min(step) = max(step) THEN 'step ' || min(step) ELSE format('steps %d-%d', min(step), max(step)) END AS words
  FROM chosen
  GROUP BY run, trace_id
  HAVING max(ts_ns = from_ns) AND max(last_ns = until_ns) AND count(step) = count(*)
    AND (SELECT count(*) FROM scope_time WHERE scope_time.trace_id = chosen.trace_id) = count(DISTINCT CASE WHEN ts_ns = from_ns THEN from_ns END)
    AND count(DISTINCT CASE WHEN ts_ns = from_ns THEN from_ns END) = count(DISTINCT CASE WHEN last_ns = until_ns THEN from_ns END)
),
-- on what the shares rest, the surest last
base AS (
  SELECT base.run AS run, base.trace_id AS trace_id, CASE WHEN steps.words IS NULL THEN 0 ELSE 2 END AS sure, works, length_ns AS all_ns, busy_ns, exposed_comm_ns AS communication_ns, exposed_memcpy_ns AS copies_ns,
    NULL AS devices, steps.words AS words
  FROM time_base AS base
  LEFT JOIN steps ON steps.run = base.run AND steps.trace_id = base.trace_id
  WHERE device IS NULL
  UNION ALL
  SELECT device.run, device.trace_id, 1, base.works, base.length_ns, device.busy_ns, device.exposed_comm_ns, device.exposed_memcpy_ns, device.devices, device.words
  FROM several_devices AS device
  JOIN time_base AS base ON base.run = device.run AND base.trace_id = device.trace_id AND base.device IS NULL
),
surest AS MATERIALIZED (
  SELECT run, trace_id, max(sure) AS sure, works, all_ns, busy_ns, communication_ns, copies_ns, devices, words FROM base GROUP BY run, trace_id
),
part AS (
  SELECT trace.run AS run, trace.trace_id AS trace_id, coalesce(surest.works, 0) AS works, trace.works AS all_works, EXISTS (SELECT 1 FROM scope_time AS chosen WHERE chosen.trace_id = trace.trace_id) AS has_window, surest.sure AS sure, surest.all_ns AS all_ns, surest.busy_ns AS busy_ns, surest.devices AS devices, surest.words AS words,
    trace.captured AS captured, trace.launches AS launches, trace.is_recording AS is_recording, trace.wait_ns AS wait_ns, trace.wait_name_id AS wait_name_id, trace.has_shapes AS has_shapes,
    surest.busy_ns * 100.0 / nullif(surest.all_ns, 0) AS busy, surest.communication_ns * 100.0 / nullif(surest.all_ns, 0) AS communication, surest.copies_ns * 100.0 / nullif(surest.all_ns, 0) AS copies,
    min(coalesce(max(fact.saving_ns) FILTER (WHERE tie.headline = 'start-up'), 0), surest.all_ns - surest.busy_ns) * 100.0 / nullif(surest.all_ns, 0) AS start_up,
    max(CASE WHEN tie.headline = 'idle time' AND fact.value >= 20 AND fact.cause_ns * 2 >= fact.time_ns
      THEN format('%s %s of %s%s', CASE WHEN length(cause.text) > 60 THEN substr(cause.text, 1, 59) || '…' ELSE cause.text END, time_words(min(fact.cause_ns, fact.time_ns)), time_words(fact.time_ns),
        CASE WHEN surest.sure = 1 THEN ' in which no GPU is busy' WHEN surest.all_ns = trace.span_ns THEN '' ELSE ' between GPU activities' END) END) AS idle_cause
  FROM advice_trace AS trace
  LEFT JOIN surest ON surest.run = trace.run AND surest.trace_id = trace.trace_id
  LEFT JOIN advice_measure AS fact ON fact.run = trace.run AND fact.trace_id = trace.trace_id
  LEFT JOIN advice_tie AS tie ON tie.rule = fact.rule
  LEFT JOIN string AS cause ON cause.id = fact.cause_name_id
  GROUP BY trace.run, trace.trace_id
),
-- time of rules that have a word for a GPU that waits for its host; of two words the first by letters holds
host_bound AS MATERIALIZED (
  SELECT fact.run AS run, fact.trace_id AS trace_id, tie.headline AS word, sum(fact.time_ns) AS time_ns
  FROM advice_measure AS fact
  JOIN advice_tie AS tie ON tie.rule = fact.rule AND tie.headline GLOB '*-bound'
  GROUP BY fact.run, fact.trace_id, tie.headline
),
trace_leading AS (
  SELECT run, trace_id, works, all_works, has_window, sure, all_ns, busy_ns, busy, devices, words, communication, copies, start_up, idle_cause, captured, launches, is_recording, wait_ns, wait_name_id, has_shapes,
    100 - busy AS idle, busy - communication - copies AS work, max(100 - busy, communication, copies, busy - communication - copies) AS most
  FROM part
),
before AS (
  SELECT run, trace_id, format('%s (%.0f %%) before the first GPU activity', time_words(before_ns), percent) || coalesce(': ' || CASE WHEN length(name) > 60 THEN substr(name, 1, 59) || '…' ELSE name END || ' ' || time_words(name_ns), '') AS words,
    (SELECT lever FROM host_lever WHERE full_name REGEXP pattern ORDER BY position LIMIT 1) AS lever
  FROM time_before
),
-- The bottleneck of each selected trace, in a sentence. Its shares are of the time of time_base: of several
-- devices the mean.
advice_headline AS (
  SELECT leading.run AS run,
    CASE WHEN works = 0 AND has_window THEN format('No GPU activity runs in this window (%s); the trace has %,d.', time_words(all_ns),
        (SELECT count(*) FROM trace JOIN gpu_event ON gpu_event.id BETWEEN trace.first_event AND trace.last_event WHERE trace.id = leading.trace_id))
      WHEN works = 0 AND all_works = 0 THEN coalesce(
      -- of several failed allocations the last one, which ended the run
      (SELECT format('Out of memory on GPU %d: %s requested%s%s.', device, size_words(bytes), iif(device_free >= 0, format(', %s free on the device', size_words(device_free)), ''),
          iif(reserved >= active AND reserved > 0, format('; %s reserved, %s of it unused%s', size_words(reserved), size_words(reserved - active), iif(reserved - active >= bytes, ' but fragmented', '')), ''))
        FROM snapshot_failure AS failed WHERE failed.trace_id = leading.trace_id ORDER BY number DESC, device LIMIT 1),
      (SELECT format('Memory peak on GPU %d: %s allocated, %s reserved; at the end %s allocated.', device, size_words(peak_allocated_bytes),
          size_words(reserved_at_peak_bytes), size_words(end_allocated_bytes))
        FROM memory_device WHERE memory_device.trace_id = leading.trace_id ORDER BY peak_allocated_bytes DESC, device LIMIT 1),
      (SELECT 'An export of Nsight Systems without CUDA and NVTX events: nothing was recorded.' FROM trace WHERE trace.id = leading.trace_id AND format = 'nsys' AND last_event < first_event),
      (SELECT host_kind_words.words FROM host_kind_words WHERE host_kind_words.run = leading.run AND host_kind_words.trace_id = leading.trace_id),
      'The trace has no GPU activities: nothing ran on a GPU, or only the host was recorded.')
    WHEN coalesce(busy_ns, 0) = 0 THEN format('All %,d GPU activities have a duration of zero: GPU busy and idle time are not recorded.', all_works)
    WHEN is_recording THEN format('Graph capture: %,d of %,d launches are recorded into a CUDA or HIP graph and do not run here. GPU busy and idle time say nothing.', captured, launches)
    ELSE
      CASE WHEN start_up >= 50 THEN 'Mostly start-up'
        WHEN busy_ns < 100000 OR (works < 20 AND busy_ns < 1000000 AND roof.word IS NULL) THEN format('Too short to judge (%,d GPU %s, %s)', works, iif(works = 1, 'activity', 'activities'), time_words(busy_ns))
        WHEN most < 57.5 THEN 'No single bottleneck'
        WHEN most = idle THEN coalesce((SELECT min(word) FROM host_bound WHERE host_bound.run = leading.run AND host_bound.trace_id = leading.trace_id AND host_bound.time_ns * 2 >= all_ns - busy_ns), 'Host-bound')
        WHEN most = communication THEN 'Communication-bound'
        WHEN most = copies THEN 'Bound by memory copies'
        WHEN idle >= 20 THEN 'No single bottleneck'
        ELSE coalesce(roof.word, 'GPU-bound') END
      || CASE WHEN sure = 2 THEN ' in ' || leading.words ELSE '' END || format(': GPU busy %.1f %%%s, idle %.1f %% of %s%s', busy, CASE WHEN sure = 1 THEN ' (' || leading.words || ')' ELSE '' END, idle, time_words(all_ns),
        CASE WHEN sure = 1 THEN format(' on each of %d GPUs', devices) ELSE '' END)
      || CASE WHEN communication >= 0.1 THEN format('; exposed communication %.1f %%', communication) ELSE '' END
      || CASE WHEN copies >= 5 THEN format('; exposed memcpy %.1f %%', copies) ELSE '' END
      || CASE WHEN start_up >= 5 THEN format('; start-up %.1f %%', start_up) ELSE '' END 
      || '.'
      || coalesce(' ' || before.words || '.', '')
      || coalesce(' ' || before.lever || '.', '')
      || coalesce(roof.words, '')
      || coalesce(' ' || kinds.words, '')
      || CASE WHEN wait_ns * 20 >= all_ns THEN format(' Not counted as busy: %s %s, in which the device waits.', wait.text, time_words(wait_ns)) ELSE '' END
      || CASE WHEN start_up < 50 THEN coalesce(' Most idle time: ' || idle_cause || '.', '') ELSE '' END
      || CASE WHEN work >= 50 AND has_shapes AND NOT EXISTS (SELECT 1 FROM roofline_limits AS limits WHERE limits.run = leading.run AND limits.trace_id = leading.trace_id)
        THEN ' The device is not recorded: --gpu-arch-platform NAME gives rooflines.' ELSE '' END
    END AS words
  FROM trace_leading AS leading
  LEFT JOIN before ON before.run = leading.run AND before.trace_id = leading.trace_id
  LEFT JOIN work_kind_words AS kinds ON kinds.run = leading.run AND busy >= 30
  LEFT JOIN roofline_share AS roof ON roof.run = leading.run AND roof.trace_id = leading.trace_id AND busy >= 30
  LEFT JOIN string AS wait ON wait.id = leading.wait_name_id
),
whole AS MATERIALIZED (
  SELECT run, path_ns, ranks, joined, refused FROM rank_path_graph WHERE ranks > 1 AND path_ns > 0
),
path_part AS (
  SELECT run,
    sum(CASE kind WHEN 'computation' THEN time_ns ELSE 0 END) AS computation_ns,
    sum(CASE kind WHEN 'copy' THEN time_ns ELSE 0 END) AS memcpy_ns,
    sum(CASE WHEN kind IN ('communication', 'transfer', 'arrival') THEN time_ns ELSE 0 END) AS communication_ns
  FROM rank_path_kind
  GROUP BY run
),
late AS (
  SELECT run, trace_id, sum(lead_ns > 0) AS times_last, sum(lead_ns) AS lead_ns, sum(computation_ns) AS computation_ns, sum(memcpy_ns) AS memcpy_ns,
    sum(communication_ns) AS communication_ns, sum(loading_ns) AS loading_ns, sum(host_ns) AS host_ns,
    row_number() OVER (PARTITION BY run ORDER BY sum(lead_ns) DESC, trace_id) AS nth, sum(sum(lead_ns)) OVER (PARTITION BY run) AS all_ns
  FROM rank_hop
  GROUP BY run, trace_id
),
-- The bound of each selected run of several ranks: their critical path together, and the rank that
-- comes last to collectives, by what it takes longer with than the rank before it.
run_bound AS (
  SELECT whole.run AS run, whole.ranks AS ranks, whole.path_ns AS path_ns, path_part.computation_ns AS computation_ns, path_part.memcpy_ns AS memcpy_ns,
    path_part.communication_ns AS communication_ns,
    whole.path_ns - path_part.computation_ns - path_part.memcpy_ns - path_part.communication_ns AS host_ns, whole.joined AS joined,
    whole.refused AS refused, run_rank.label AS straggler, late.times_last AS times_last, late.lead_ns AS lead_ns, late.all_ns AS all_leads_ns,
    late.lead_ns >= 0.02 * whole.path_ns AND late.lead_ns * 2 >= late.all_ns AS is_straggler, late.computation_ns AS late_computation_ns,
    late.memcpy_ns AS late_memcpy_ns, late.communication_ns AS late_communication_ns, late.loading_ns AS late_loading_ns, late.host_ns AS late_host_ns
  FROM whole
  JOIN path_part ON path_part.run = whole.run
  LEFT JOIN late ON late.run = whole.run AND late.nth = 1
  LEFT JOIN run_rank ON run_rank.run = late.run AND run_rank.trace_id = late.trace_id
),
traces AS MATERIALIZED (
  SELECT run, count(*) AS traces, max(is_tt) AS is_tt FROM (SELECT DISTINCT run, trace_id, (SELECT format = 'ttmetal' FROM trace WHERE trace.id = scope.trace_id) AS is_tt FROM scope) GROUP BY run
),
-- Tenstorrent: the device and the gaps before its ops, what bounds ops, and the ops with most device time.
device AS (
  SELECT totals.run AS run, CASE WHEN coalesce(totals.device_time_us, 0) = 0 THEN 'No device time.'
      ELSE CASE WHEN totals.gap_percent >= 50 THEN 'Host-bound' ELSE 'Device-bound' END
        || format(': device time %s, op-to-op gaps %s (host share %.1f %% of %s).', time_words(totals.device_time_us * 1000), time_words(totals.gap_us * 1000), totals.gap_percent, time_words((totals.device_time_us + totals.gap_us) * 1000))
        || CASE WHEN totals.host_ops THEN format(' Ops on the host: %,d.', totals.host_ops) ELSE '' END
        || (SELECT CASE WHEN count(bound) = 0 THEN ' No matmul is rated as DRAM- or FLOP-bound.' ELSE format(' Of the device time: DRAM-bound ops %.1f %%, FLOP-bound ops %.1f %%%s, neither (SLOW) %.1f %%, not rated %.1f %%.', total(device_percent) FILTER (WHERE bound = 'DRAM'), total(device_percent) FILTER (WHERE bound = 'FLOP'),
            iif(max(bound = 'BOTH'), format(', both %.1f %%', total(device_percent) FILTER (WHERE bound = 'BOTH')), ''), total(device_percent) FILTER (WHERE bound = 'SLOW'), total(device_percent) FILTER (WHERE bound IS NULL)) END FROM tt_op WHERE tt_op.run = totals.run AND bound IS NOT 'HOST')
        || coalesce((SELECT ' Largest: ' || group_concat(format('%s %.0f %% (%s)', replace(op, 'DeviceOperation', ''), time_us * 100.0 / totals.device_time_us, time_words(time_us * 1000)), ', ') || '.'
          FROM (SELECT op, sum(device_time_us) AS time_us FROM tt_op WHERE tt_op.run = totals.run GROUP BY op HAVING sum(device_time_us) * 100 >= totals.device_time_us ORDER BY 2 DESC LIMIT 3)), '') END
      || coalesce(' Only ops after the last signpost (''' || status.last_signpost || ''') count; --ignore-signposts takes all.', '') AS words
  FROM tt_totals AS totals
  JOIN tt_status AS status ON status.run = totals.run
  WHERE totals.run IN (SELECT run FROM traces WHERE is_tt)
),
-- Busy time of ranks: each of up to four, else the least, the median and the most.
rank_share AS (
  SELECT trace.run AS run, run_rank.label AS label, run_rank.place AS place, trace.busy_ns * 100.0 / trace.span_ns AS busy, trace.span_ns AS span_ns, count(*) OVER whole AS ranks,
    row_number() OVER (PARTITION BY trace.run ORDER BY trace.busy_ns * 1.0 / trace.span_ns, run_rank.place) AS nth
  FROM advice_trace AS trace
  JOIN run_rank ON run_rank.run = trace.run AND run_rank.trace_id = trace.trace_id
  WHERE trace.span_ns > 0 AND trace.works > 0
  WINDOW whole AS (PARTITION BY trace.run)
),
rank_words AS (
  SELECT run, CASE WHEN ranks <= 4 THEN 'GPU busy: ' ELSE format('GPU busy of %d ranks: ', ranks) END
      || group_concat(format('rank %s %.1f %%, idle %.1f %% of %s', label, busy, 100 - busy, time_words(span_ns)), '; ') || '. ' AS words
  FROM (SELECT run, label, busy, span_ns, ranks, nth FROM rank_share WHERE ranks <= 4 OR nth IN (1, (ranks + 1) / 2, ranks) ORDER BY run, CASE WHEN ranks <= 4 THEN place ELSE nth END)
  GROUP BY run, ranks
),
-- an engine's trace says more in reports that are not shown by default
served AS MATERIALIZED (
  SELECT run, format(' Engine steps: %,d', steps) || CASE WHEN count IS NULL THEN ' (reports serving_ledger, serving_steps).' ELSE format('. Over %s: inter-token latency p50 %s, p99 %s; %s decode tokens/s (reports serving_latency, serving_ledger).',
      time_words(window_ns), time_words(p50_ns), time_words(p99_ns), with_commas(decode_tokens * 1e9 / window_ns)) END AS words
  FROM serving_pace
),
-- the log also tells of requests beyond the trace
requested AS MATERIALIZED (
  SELECT run, format(' Requests: %,d. Over %s: TTFT p50 %s, p99 %s', count(*), time_words(max(end_ns) - min(arrival_ns)), time_words(percentile(first_token_ns - arrival_ns, 50)), time_words(percentile(first_token_ns - arrival_ns, 99)))
    || coalesce('; ' || with_commas(count(*) * 1e9 / nullif(max(end_ns) - min(arrival_ns), 0)) || ' requests/s', '') || ' (report serving_latency).' AS words
  FROM known_request
  WHERE arrival_ns <= first_token_ns AND first_token_ns <= end_ns
  GROUP BY run, trace_id
),
lone AS (
  SELECT traces.run AS run, advice_headline.words || coalesce(served.words, '') || coalesce(requested.words, '') AS words
  FROM traces
  JOIN advice_headline ON advice_headline.run = traces.run
  LEFT JOIN served ON served.run = traces.run
  LEFT JOIN requested ON requested.run = traces.run
  WHERE traces.traces = 1 AND NOT traces.is_tt
),
share AS (
  SELECT run, ranks, path_ns, computation_ns * 100.0 / path_ns AS computation, memcpy_ns * 100.0 / path_ns AS memcpy,
    communication_ns * 100.0 / path_ns AS communication, host_ns * 100.0 / path_ns AS host
  FROM run_bound
),
leading AS (
  SELECT run, max(computation, memcpy, communication, host) AS most FROM share
),
bound AS (
  SELECT share.run AS run,
    CASE WHEN most < 50 THEN 'No single bottleneck' WHEN most = computation THEN 'GPU-bound' WHEN most = communication THEN 'Communication-bound'
      WHEN most = memcpy THEN 'Bound by memory copies'
      WHEN (SELECT min(busy) FROM rank_share WHERE rank_share.run = share.run) >= 80 THEN 'GPU-bound' ELSE 'Host-bound' END
      || format(': computation %.1f %%, communication %.1f %%', computation, communication) || CASE WHEN memcpy >= 0.05 THEN format(', memcpy %.1f %%', memcpy) ELSE '' END
      || format(', host and launches %.1f %% of the critical path of %d ranks (%s).', host, ranks, time_words(path_ns)) AS words
  FROM share
  JOIN leading ON leading.run = share.run
),
cause AS (
  SELECT run, max(late_computation_ns, late_memcpy_ns, late_communication_ns, late_loading_ns, late_host_ns) AS most_ns,
    late_computation_ns + late_memcpy_ns + late_communication_ns + late_loading_ns + late_host_ns AS known_ns
  FROM run_bound
),
straggler AS (
  SELECT run_bound.run AS run,
    CASE WHEN joined = 0 THEN ' No collective joins the ranks.'
      WHEN lead_ns < 50000 THEN ' No rank is a straggler.'
      WHEN NOT is_straggler THEN format(' No rank is a straggler: rank %s costs most, %s in %,d of %,d collectives.', straggler, time_words(lead_ns), times_last, joined)
      ELSE format(' Rank %s is the straggler: last to %,d of %,d collectives, it alone makes the others wait %s (%.1f %% of that path)', straggler, times_last, joined, time_words(lead_ns),
          lead_ns * 100.0 / path_ns)
        || CASE WHEN abs(lead_ns - known_ns) * 2 > lead_ns THEN '; why is not recorded.' WHEN most_ns * 2 < lead_ns THEN ', for no single reason.'
          ELSE format(', because %s (%s).', CASE most_ns WHEN late_computation_ns THEN 'its computation takes longer' WHEN late_memcpy_ns THEN 'its memcpy takes longer'
            WHEN late_communication_ns THEN 'it is still in other communication' WHEN late_loading_ns THEN 'it is still loading data' ELSE 'its host launches late' END, time_words(min(most_ns, lead_ns))) END
    END || CASE WHEN refused > 0 THEN format(' Not included: %,d collectives whose kernels do not run at one time.', refused) ELSE '' END AS words
  FROM run_bound
  JOIN cause ON cause.run = run_bound.run
),
-- Who comes late to a send or receive of a pipeline is the schedule's doing: its bubbles say more than a
-- straggler does. Where its windows are most of the time, every share is of them: a receive that waits
-- looks busy, and the path also has the time before the first slot.
bubble AS (
  SELECT share.run AS run,
    format('Pipeline bubbles are %.1f %% of %s ms%s%s: the schedule%s costs %s ms, unequal stages %s ms, delays %s ms.', share.bubble_ms * 100.0 / share.window_ms, with_commas(share.window_ms),
      iif(share.ranks > 1, format(' on %d ranks', share.ranks), ''), iif(share.pipelines > 1, format(' (the longest of %d pipelines)', share.pipelines), ''),
      iif(share.schedule = 'unknown', '', ' ' || share.schedule), with_commas(share.schedule_ms), with_commas(share.imbalance_ms), with_commas(share.delay_ms))
    || coalesce(' ' || slowest.words, '')
    || format(' %s: computation %.1f %%, transfers and other GPU activities %.1f %% of the same %s ms.', CASE WHEN share.work_ms * 2 >= share.window_ms THEN 'GPU-bound' WHEN share.bubble_ms * 2 >= share.window_ms THEN 'Bound by pipeline bubbles'
        WHEN (share.work_ms + share.bubble_ms) * 2 <= share.window_ms THEN 'Communication-bound' ELSE 'No single bottleneck' END,
      share.work_ms * 100.0 / share.window_ms, (share.window_ms - share.work_ms - share.bubble_ms) * 100.0 / share.window_ms, with_commas(share.window_ms))
    || format(' Bubbles by rank: least %.1f %% (rank %s), most %.1f %% (rank %s) of it.', least_ms * 100.0 / share.window_ms, least, most_ms * 100.0 / share.window_ms, most) AS words
  FROM pipeline_share AS share
  JOIN (SELECT run, pipeline, min(bubble_ms) AS least_ms, value_at_least(rank, bubble_ms) AS least, max(bubble_ms) AS most_ms, value_at_least(rank, -bubble_ms) AS most
    FROM (SELECT run, pipeline, rank, sum(bubble_ms) AS bubble_ms FROM pipeline_ranks GROUP BY run, pipeline, rank) GROUP BY run, pipeline) AS part ON part.run = share.run AND part.pipeline = share.pipeline
  LEFT JOIN (SELECT run, pipeline, format('Stage %d on rank %s takes %.1f %% more than the mean.', stage, rank, over_mean_percent) AS words
    FROM pipeline_stages WHERE is_bottleneck AND over_mean_percent >= 5) AS slowest ON slowest.run = share.run AND slowest.pipeline = share.pipeline
  WHERE share.window_ms * 2e6 >= (SELECT max(span_ns) FROM rank_share WHERE rank_share.run = share.run)
),
told AS (
  SELECT run, NULL AS ranks, words FROM lone
  UNION ALL
  SELECT run, NULL, words FROM device
  UNION ALL
  SELECT run_bound.run, run_bound.ranks, coalesce(bubble.words, coalesce(rank_words.words, '') || bound.words || straggler.words) || coalesce(' ' || kinds.words || iif(bubble.run IS NULL, '', ' This sums all ranks, with receives that wait.'), '')
  FROM run_bound
  LEFT JOIN rank_words ON rank_words.run = run_bound.run
  LEFT JOIN work_kind_words AS kinds ON kinds.run = run_bound.run
  LEFT JOIN bubble ON bubble.run = run_bound.run
  JOIN bound ON bound.run = run_bound.run
  JOIN straggler ON straggler.run = run_bound.run
),
-- launches without GPU activities in one trace leave the figures of the run's other traces
doubt AS MATERIALIZED (
  SELECT run, finding, min(position) AS position FROM health_doubts WHERE rule = 'headline'
    AND NOT (finding GLOB 'gpu_missing *' AND EXISTS (SELECT 1 FROM scope CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event WHERE scope.run = health_doubts.run))
  GROUP BY run
)
SELECT
  told.run AS run, -- name of the run
  told.ranks AS ranks, -- number of ranks, where there are several
  CASE WHEN doubt.run IS NULL THEN told.words WHEN (SELECT tpq_option('force-figures')) IS NOT NULL THEN 'Doubtful because of ' || doubt.finding || '. ' || told.words
    ELSE 'Bottleneck unknown: ' || doubt.finding || iif(doubt.finding GLOB 'gpu_missing *', '.', '. --force-figures shows it.') END AS words -- text of the headline
FROM told
LEFT JOIN doubt ON doubt.run = told.run;

-- Findings of each selected run: what several ranks say is said once, with the numbers of the worst.
CREATE VIEW run_finding AS
WITH finding AS MATERIALIZED (
  SELECT run, trace_id, place, kind, words, saves_ms, percent, together_ms, saving_kind, report, iif(verdict = 'hidden', 3, coalesce((SELECT CASE headline WHEN 'start-up' THEN 1 WHEN 'note' THEN 2 END FROM advice_tie WHERE rule = kind), 0)) AS last FROM findings
),
traces AS (
  SELECT run, count(*) AS traces FROM (SELECT DISTINCT run, trace_id FROM scope) GROUP BY run
),
ranked AS MATERIALIZED (
  SELECT finding.run AS run, finding.kind AS kind, finding.words AS words, finding.saves_ms AS saves_ms, finding.percent AS percent, finding.together_ms AS together_ms, finding.saving_kind AS saving_kind, finding.report AS report,
    finding.place AS place, finding.last AS last, run_rank.label AS label, run_rank.place AS rank_place,
    CASE WHEN typeof(run_rank.label) = 'integer' THEN run_rank.label - row_number() OVER (PARTITION BY finding.run, finding.kind ORDER BY run_rank.place) ELSE run_rank.label END AS island,
    row_number() OVER (PARTITION BY finding.run, finding.kind ORDER BY finding.saves_ms DESC, run_rank.place) AS nth
  FROM finding
  LEFT JOIN run_rank ON run_rank.run = finding.run AND run_rank.trace_id = finding.trace_id
),
stretch AS (
  SELECT run, kind, min(rank_place) AS first_place, min(label) || CASE WHEN count(*) > 1 THEN '-' || max(label) ELSE '' END AS labels
  FROM ranked
  WHERE label IS NOT NULL
  GROUP BY run, kind, island
),
listed AS (
  SELECT run, kind, group_concat(labels, ', ') AS labels
  FROM (SELECT run, kind, labels FROM stretch ORDER BY run, kind, first_place)
  GROUP BY run, kind
),
summed AS (
  SELECT run, kind, count(label) AS ranks, min(place) AS place, min(last) AS last, min(saves_ms) AS least_ms, max(saves_ms) AS saves_ms
  FROM ranked
  GROUP BY run, kind
)
SELECT
  summed.run AS run, -- name of the run
  row_number() OVER (PARTITION BY summed.run ORDER BY summed.last, iif(traces.traces = 1, summed.place, 0), coalesce(summed.saves_ms, iif(summed.place = 1, 1e99, NULL)) DESC, summed.place, summed.kind) AS place, -- place in the list, from 1
  summed.kind AS kind, -- rule of advice
  ranked.words AS words, -- problem and recommended action; of several ranks those of the worst
  summed.least_ms AS least_ms, -- [ms] estimated saving on the rank that saves least
  summed.saves_ms AS saves_ms, -- [ms] estimated saving on the rank that saves most
  ranked.percent AS percent, -- [%] share of the time from the first to the last GPU activity of the rank that saves most
  CASE WHEN traces.traces = 1 THEN ranked.together_ms END AS together_ms, -- [ms] all findings of the trace together, from one replay; empty for several ranks
  ranked.saving_kind AS saving_kind, -- replay, upper bound or guess
  ranked.report AS report, -- report that tells more
  CASE WHEN traces.traces = 1 OR summed.ranks = 0 THEN NULL WHEN summed.ranks = traces.traces THEN CASE summed.ranks WHEN 2 THEN 'both ranks' ELSE 'all ' || summed.ranks || ' ranks' END
    WHEN summed.ranks = 1 THEN 'rank ' || listed.labels ELSE 'ranks ' || listed.labels END AS ranks -- ranks with the finding; empty where the run has one, or the finding is about all ranks
FROM summed
JOIN traces ON traces.run = summed.run
JOIN ranked ON ranked.run = summed.run AND ranked.kind = summed.kind AND ranked.nth = 1
LEFT JOIN listed ON listed.run = summed.run AND listed.kind = summed.kind;
