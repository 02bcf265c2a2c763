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
WHERE coalesce(capability, 8) >= 7 AND call.compute_spec = 'matrix_fp32' AND call.is_nested = 0 AND call.kernel_ns > 0 AND NOT EXISTS (
  SELECT 1 FROM gpu_event WHERE gpu_event.id BETWEEN call.id AND call.last_id AND kernel_class('product', gpu_event.category_id, gpu_event.name_id) = 'matrix unit');

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
trace AS MATERIALIZED (
  SELECT run, trace_id, works, span_ns, has_launches, has_calls, has_ops, has_ranges, has_optimizer, has_steps, has_blocks, has_shapes
  FROM advice_trace
),
subject AS (
  SELECT rule.rule AS rule, trace.run AS run, trace.trace_id AS trace_id, trace.span_ns AS span_ns,
    CASE WHEN rule.measure IS NOT NULL AND (SELECT tpq_option('advice-depth')) = 'scan' THEN 0
      WHEN rule.needs = 'memory' THEN EXISTS (SELECT 1 FROM memory_event WHERE memory_event.trace_id = trace.trace_id)
      WHEN rule.needs = 'memory snapshot' THEN EXISTS (SELECT 1 FROM memory_device WHERE memory_device.trace_id = trace.trace_id)
      WHEN trace.works = 0 THEN 0
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
        WHEN 'peaks' THEN has_shapes AND EXISTS (SELECT 1 FROM roofline_limits AS limits WHERE limits.run = trace.run AND limits.trace_id = trace.trace_id)
        WHEN 'recompute' THEN EXISTS (SELECT 1 FROM scope WHERE scope.run = trace.run AND scope.trace_id = trace.trace_id AND scope.is_recompute IS NOT NULL)
        ELSE rule.needs IS NULL END
    END AS is_measured
  FROM advice_rule AS rule
  CROSS JOIN trace
  WHERE rule.level = 'trace'
  UNION ALL
  SELECT rule.rule, trace.run, NULL, max(trace.span_ns), CASE WHEN rule.measure IS NOT NULL AND (SELECT tpq_option('advice-depth')) = 'scan' THEN 0 WHEN rule.needs = 'ranks' THEN count(*) > 1 ELSE rule.needs IS NULL END
  FROM advice_rule AS rule
  CROSS JOIN trace
  WHERE rule.level = 'run'
  GROUP BY rule.rule, rule.needs, rule.measure, trace.run
),
doubt AS MATERIALIZED (
  SELECT rule, run, trace_id, finding FROM health_doubts WHERE (SELECT tpq_option('force-figures')) IS NULL
  UNION ALL
  SELECT rule, run, NULL, min(finding) FROM health_doubts WHERE (SELECT tpq_option('force-figures')) IS NULL GROUP BY rule, run
),
fact AS MATERIALIZED (
  SELECT run, trace_id, rule, value, count, time_ns, saving_ns, replay_ns, example_id, cause_name_id, cause_is_work, cause_count, cause_ns
  FROM advice_measure
  WHERE rule NOT IN (SELECT rule FROM advice_rule WHERE measure IS NOT NULL)
  UNION ALL
  SELECT run, trace_id, rule, value, count, time_ns, saving_ns, replay_ns, example_id, NULL, NULL, NULL, NULL
  FROM advice_question
),
found AS (
  SELECT subject.run AS run, subject.trace_id AS trace_id, subject.rule AS rule, subject.span_ns AS span_ns, subject.is_measured AND doubt.rule IS NULL AS is_measured, doubt.finding AS doubt,
    rule.position AS position, rule.threshold AS threshold, rule.unit AS unit, rule.needs AS needs, rule.title AS title, rule.action AS action,
    rule.report AS report, rule.doc AS doc, rule.is_symptom AS is_symptom, fact.value AS value, fact.count AS count, fact.time_ns AS time_ns, fact.example_id AS example_id,
    CASE WHEN fact.cause_ns * 10 >= fact.time_ns THEN CASE WHEN fact.cause_ns * 2 >= fact.time_ns THEN 'Most of it: ' ELSE 'Largest part: ' END || format('%s, %s%s ms', CASE WHEN fact.cause_is_work THEN kernel_short_name(cause.text) WHEN length(cause.text) > 60 THEN substr(cause.text, 1, 59) || '…' ELSE cause.text END, CASE WHEN fact.cause_count > 1 THEN format('%,d times, ', fact.cause_count) ELSE '' END, with_commas(fact.cause_ns / 1000000.0) || CASE WHEN rule.rule = 'start-up' THEN format(' of %s', with_commas(fact.time_ns * 100.0 / fact.value / 1000000.0)) ELSE '' END)
      || CASE WHEN rule.rule = 'start-up' THEN ' from the first call of the host to the last GPU activity' ELSE '' END END AS cause,
    CASE WHEN rule.saving_kind = 'none' THEN fact.saving_ns END AS weight_ns,
    CASE WHEN fact.value IS NULL OR rule.saving_kind = 'none' THEN NULL ELSE coalesce(iif(replay.rule IS NULL, fact.replay_ns, NULL), min(fact.saving_ns, subject.span_ns)) END AS saving_ns,
    fact.replay_ns AS replay_ns,
    CASE WHEN fact.value IS NULL OR rule.saving_kind = 'none' THEN NULL WHEN fact.replay_ns IS NOT NULL AND replay.rule IS NULL THEN 'replay' ELSE rule.saving_kind END AS saving_kind
  FROM subject
  JOIN advice_rule AS rule ON rule.rule = subject.rule
  LEFT JOIN fact ON fact.run = subject.run AND fact.rule = subject.rule AND fact.trace_id IS subject.trace_id
  LEFT JOIN string AS cause ON cause.id = fact.cause_name_id
  LEFT JOIN doubt ON doubt.rule = subject.rule AND doubt.run = subject.run AND doubt.trace_id IS subject.trace_id
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
    WHEN min(saving_ns, coalesce(replay_ns, saving_ns)) < span_ns * (SELECT tpq_option('advice-min-percent')) / 100.0 THEN 'saves little'
    WHEN rule IN ('exposed-communication', 'low-overlap') AND run IN (SELECT run FROM rank_exposed GROUP BY run HAVING sum(transfer_ns) * 2 < sum(exposed_ns)) THEN 'waits for ranks'
    ELSE 'fires' END AS verdict, -- fires, waits for ranks (most exposed communication of the run is waiting for a rank that is late), saves little (less than --advice-min-percent), below threshold, nothing found, not measured, or no basis (a check of trace_health is broken)
  span_ns AS span_ns, -- from the first start to the last end of GPU activities; of a run the longest
  is_symptom AS is_symptom, -- 1 when other rules may say why
  coalesce(saving_ns, weight_ns) AS weight_ns, -- weight of the finding: the estimated saving, or the time of a finding that saves nothing
  position AS position, -- place among rules with equal savings
  title AS title, -- problem that the rule finds
  CASE WHEN is_measured THEN value END AS value, -- measured value
  unit AS unit, -- unit of the measured value
  threshold AS threshold, -- smallest value with which the rule fires
  CASE WHEN is_measured THEN count END AS count, -- number of cases found
  CASE WHEN is_measured THEN time_ns END AS time_ns, -- time of the cases found
  CASE WHEN is_measured THEN saving_ns END AS saving_ns, -- estimated saving
  CASE WHEN is_measured THEN saving_kind END AS saving_kind, -- replay, upper bound or guess
  CASE WHEN is_measured THEN cause END AS cause, -- name with most of the time of the cases found
  CASE WHEN is_measured THEN example_id END AS example_id, -- id of an event of the cases found
  report AS report, -- report that tells more
  action AS action, -- recommended action
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
  CASE WHEN count(*) <= 4 THEN group_concat(format('GPU %s %s ms', device, with_commas(busy_ns / 1000000.0)), ', ')
    ELSE with_commas(min(busy_ns) / 1000000.0) || ' to ' || with_commas(max(busy_ns) / 1000000.0) || ' ms' END AS words -- busy time of each device; of more than four the least and the most
FROM (SELECT run, trace_id, device, busy_ns, exposed_comm_ns, exposed_memcpy_ns FROM time_base WHERE device IS NOT NULL ORDER BY run, trace_id, device)
GROUP BY run, trace_id
HAVING count(*) > 1;

-- Pipelines of each selected run over all steps: where their time goes. Of several pipelines, which run
-- side by side, the longest.
CREATE VIEW pipeline_share AS
WITH whole AS (
  SELECT run, pipeline, sum(window_ms) AS window_ms, sum(schedule_ms) AS schedule_ms, sum(imbalance_ms) AS imbalance_ms, sum(delay_ms) AS delay_ms, sum(bubble_ms) AS bubble_ms,
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
  bubble_ms AS bubble_ms -- [ms] mean time of a rank without computation, transfers and other GPU activities
FROM whole
WHERE nth = 1;

-- What bounds each selected run, in a sentence or a few.
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
  SELECT trace.run AS run, trace.trace_id AS trace_id, coalesce(surest.works, 0) AS works, surest.sure AS sure, surest.all_ns AS all_ns, surest.busy_ns AS busy_ns, trace.top AS top, surest.devices AS devices, surest.words AS words,
    coalesce(surest.communication_ns, max(fact.saving_ns) FILTER (WHERE fact.rule = 'exposed-communication'), 0) * 100.0 / nullif(surest.all_ns, 0) AS communication,
    coalesce(surest.copies_ns, max(fact.saving_ns) FILTER (WHERE fact.rule = 'exposed-copies'), 0) * 100.0 / nullif(surest.all_ns, 0) AS copies,
    min(coalesce(max(fact.saving_ns) FILTER (WHERE fact.rule = 'start-up'), 0), surest.all_ns - surest.busy_ns) * 100.0 / nullif(surest.all_ns, 0) AS start_up,
    max(CASE WHEN fact.rule = 'low-utilisation' AND fact.value >= 20 AND fact.cause_ns * 2 >= fact.time_ns
      THEN format('%s %s of %s ms%s', CASE WHEN length(cause.text) > 60 THEN substr(cause.text, 1, 59) || '…' ELSE cause.text END, with_commas(min(fact.cause_ns, fact.time_ns) / 1000000.0), with_commas(fact.time_ns / 1000000.0),
        CASE WHEN surest.sure = 1 THEN ' in which no GPU is busy' WHEN surest.all_ns = trace.span_ns THEN '' ELSE ' between GPU activities' END) END) AS idle_cause
  FROM advice_trace AS trace
  LEFT JOIN surest ON surest.run = trace.run AND surest.trace_id = trace.trace_id
  LEFT JOIN advice_measure AS fact ON fact.run = trace.run AND fact.trace_id = trace.trace_id AND fact.rule IN ('exposed-communication', 'exposed-copies', 'start-up', 'low-utilisation')
  LEFT JOIN string AS cause ON cause.id = fact.cause_name_id
  GROUP BY trace.run, trace.trace_id
),
trace_share AS (
  SELECT run, trace_id, works, sure, all_ns, busy_ns, busy_ns * 100.0 / nullif(all_ns, 0) AS busy, top, devices, words, communication, copies, start_up, idle_cause
  FROM part
),
trace_leading AS (
  SELECT run, trace_id, works, sure, all_ns, busy_ns, busy, top, devices, words, communication, copies, start_up, idle_cause, 100 - busy AS idle, busy - communication - copies AS work,
    max(100 - busy, communication, copies, busy - communication - copies) AS most
  FROM trace_share
),
-- What bounds each selected trace, in a sentence. Its shares are of the time of time_base: of several
-- devices the mean.
advice_headline AS (
  SELECT run, trace_id,
    CASE WHEN works = 0 AND all_ns IS NOT NULL THEN format('No GPU activity runs in this window (%s ms); the trace has %,d.', with_commas(all_ns / 1000000.0),
        (SELECT count(*) FROM trace JOIN gpu_event ON gpu_event.id BETWEEN trace.first_event AND trace.last_event WHERE trace.id = trace_leading.trace_id))
      WHEN works = 0 THEN coalesce(
      (SELECT format('Memory peak on GPU %d: %s MB allocated, %s MB reserved; at the end %s MB allocated.', device, with_commas(peak_allocated_bytes / 1000000.0),
          with_commas(reserved_at_peak_bytes / 1000000.0), with_commas(end_allocated_bytes / 1000000.0))
        FROM memory_device WHERE memory_device.trace_id = trace_leading.trace_id ORDER BY peak_allocated_bytes DESC, device LIMIT 1),
      'The trace has no GPU activities: nothing ran on a GPU, or only the host was recorded.')
    WHEN busy_ns = 0 THEN format('All %,d GPU activities have a duration of zero: GPU busy and idle time are not recorded.', works)
    ELSE
      CASE WHEN start_up >= 50 THEN 'Mostly start-up'
        WHEN most < 57.5 THEN 'No single bottleneck'
        WHEN most = idle THEN 'Host-bound'
        WHEN most = communication THEN 'Communication-bound'
        WHEN most = copies THEN 'Bound by memory copies'
        ELSE 'Compute-bound' END
      || CASE WHEN sure = 2 THEN ' in ' || words ELSE '' END || format(': GPU busy %.1f %%%s, idle %.1f %% of %s ms%s', busy, CASE WHEN sure = 1 THEN ' (' || words || ')' ELSE '' END, idle, with_commas(all_ns / 1000000.0),
        CASE WHEN sure = 1 THEN format(' on each of %d GPUs', devices) ELSE '' END)
      || CASE WHEN communication >= 0.1 THEN format('; exposed communication %.1f %%', communication) ELSE '' END
      || CASE WHEN copies >= 5 THEN format('; exposed memcpy %.1f %%', copies) ELSE '' END
      || CASE WHEN start_up >= 5 THEN format('; start-up %.1f %%', start_up) ELSE '' END
      || coalesce((SELECT format('; %s ms (%.0f %%) before the first GPU activity%s', with_commas(before_ns / 1000000.0), percent, coalesce(format(': %s %s ms', CASE WHEN length(name) > 60 THEN substr(name, 1, 59) || '…' ELSE name END, with_commas(name_ns / 1000000.0)), ''))
        FROM time_before WHERE time_before.run = trace_leading.run AND time_before.trace_id = trace_leading.trace_id), '') || '.'
      || CASE WHEN work >= 50 THEN coalesce((
        SELECT format(' Most of %s ms GPU time: ', with_commas(max(all_ns) / 1000000.0)) || group_concat(format('%s %s ms (%.0f %%)', kernel, with_commas(ns / 1000000.0), percent), ', ')
        FROM (SELECT kernel_short_name(name.text) AS kernel, sum(arg(entry.value, 'ns')) AS ns, max(arg(entry.value, 'all_ns')) AS all_ns, sum(arg(entry.value, 'ns')) * 100.0 / max(arg(entry.value, 'all_ns')) AS percent
          FROM json_each(top) AS entry JOIN string AS name ON name.id = arg(entry.value, 'name') GROUP BY kernel ORDER BY ns DESC LIMIT 3)) || '.', '') ELSE '' END
      || coalesce(' Most idle time: ' || idle_cause || '.', '')
    END AS words
  FROM trace_leading
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
-- What bounds each selected run of several ranks: their critical path together, and the rank that comes
-- last to collectives, by what it takes longer with than the rank before it.
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
  SELECT run, count(*) AS traces FROM (SELECT DISTINCT run, trace_id FROM scope) GROUP BY run
),
-- an engine's trace says more in reports that are not shown by default
served AS MATERIALIZED (
  SELECT run, format(' Engine steps: %,d (reports serving_ledger, serving_steps).', count(*)) AS words FROM inference_step GROUP BY run, trace_id
),
lone AS (
  SELECT traces.run AS run, advice_headline.words || coalesce(served.words, '') AS words
  FROM traces
  JOIN advice_headline ON advice_headline.run = traces.run
  LEFT JOIN served ON served.run = traces.run
  WHERE traces.traces = 1
),
share AS (
  SELECT run, ranks, path_ns / 1000000.0 AS path_ms, computation_ns * 100.0 / path_ns AS computation, memcpy_ns * 100.0 / path_ns AS memcpy,
    communication_ns * 100.0 / path_ns AS communication, host_ns * 100.0 / path_ns AS host
  FROM run_bound
),
leading AS (
  SELECT run, max(computation, memcpy, communication, host) AS most FROM share
),
bound AS (
  SELECT share.run AS run,
    CASE WHEN most < 50 THEN 'No single bottleneck' WHEN most = computation THEN 'Compute-bound' WHEN most = communication THEN 'Communication-bound'
      WHEN most = memcpy THEN 'Bound by memory copies' ELSE 'Host-bound' END
      || format(': computation %.1f %%, communication %.1f %%', computation, communication) || CASE WHEN memcpy >= 0.05 THEN format(', memcpy %.1f %%', memcpy) ELSE '' END
      || format(', host and launches %.1f %% of the critical path of %d ranks (%s ms).', host, ranks, with_commas(path_ms)) AS words
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
      WHEN NOT is_straggler THEN format(' No rank is a straggler: rank %s costs most, %s ms in %,d of %,d collectives.', straggler, with_commas(lead_ns / 1000000.0), times_last, joined)
      ELSE format(' Rank %s is the straggler: last to %,d of %,d collectives, it alone makes the others wait %s ms (%.1f %% of that path)', straggler, times_last, joined, with_commas(lead_ns / 1000000.0),
          lead_ns * 100.0 / path_ns)
        || CASE WHEN abs(lead_ns - known_ns) * 2 > lead_ns THEN '; why is not recorded.' WHEN most_ns * 2 < lead_ns THEN ', for no single reason.'
          ELSE format(', because %s (%s ms).', CASE most_ns WHEN late_computation_ns THEN 'its computation takes longer' WHEN late_memcpy_ns THEN 'its memcpy takes longer'
            WHEN late_communication_ns THEN 'it is still in other communication' WHEN late_loading_ns THEN 'it is still loading data' ELSE 'its host launches late' END, with_commas(min(most_ns, lead_ns) / 1000000.0)) END
    END || CASE WHEN refused > 0 THEN format(' Not included: %,d collectives whose kernels do not run at one time.', refused) ELSE '' END AS words
  FROM run_bound
  JOIN cause ON cause.run = run_bound.run
),
-- Who comes late to a send or receive of a pipeline is the schedule's doing: its bubbles say more than a
-- straggler does.
bubble AS (
  SELECT share.run AS run,
    format('Pipeline bubbles are %.1f %% of %s ms%s%s: the schedule%s costs %s ms, unequal stages %s ms, delays %s ms.', share.bubble_ms * 100.0 / share.window_ms, with_commas(share.window_ms),
      iif(share.ranks > 1, format(' on %d ranks', share.ranks), ''), iif(share.pipelines > 1, format(' (the longest of %d pipelines)', share.pipelines), ''),
      iif(share.schedule = 'unknown', '', ' ' || share.schedule), with_commas(share.schedule_ms), with_commas(share.imbalance_ms), with_commas(share.delay_ms))
    || coalesce(' ' || slowest.words, '') || ' ' AS words
  FROM pipeline_share AS share
  LEFT JOIN (SELECT run, pipeline, format('Stage %d on rank %s takes %.1f %% more than the mean.', stage, rank, over_mean_percent) AS words
    FROM pipeline_stages WHERE is_bottleneck AND over_mean_percent >= 5) AS slowest ON slowest.run = share.run AND slowest.pipeline = share.pipeline
),
told AS (
  SELECT run, NULL AS ranks, words FROM lone
  UNION ALL
  SELECT run_bound.run, run_bound.ranks, coalesce(bubble.words || bound.words, bound.words || straggler.words)
  FROM run_bound
  LEFT JOIN bubble ON bubble.run = run_bound.run
  JOIN bound ON bound.run = run_bound.run
  JOIN straggler ON straggler.run = run_bound.run
),
doubt AS MATERIALIZED (
  SELECT run, finding, min(position) AS position FROM health_doubts WHERE rule = 'headline' GROUP BY run
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
  SELECT run, trace_id, place, kind, words, saves_ms, percent, together_ms, saving_kind, report FROM findings
),
traces AS (
  SELECT run, count(*) AS traces FROM (SELECT DISTINCT run, trace_id FROM scope) GROUP BY run
),
ranked AS MATERIALIZED (
  SELECT finding.run AS run, finding.kind AS kind, finding.words AS words, finding.saves_ms AS saves_ms, finding.percent AS percent, finding.together_ms AS together_ms, finding.saving_kind AS saving_kind, finding.report AS report,
    finding.place AS place, run_rank.label AS label, run_rank.place AS rank_place,
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
  SELECT run, kind, count(label) AS ranks, min(place) AS place, min(saves_ms) AS least_ms, max(saves_ms) AS saves_ms
  FROM ranked
  GROUP BY run, kind
)
SELECT
  summed.run AS run, -- name of the run
  row_number() OVER (PARTITION BY summed.run ORDER BY coalesce(summed.saves_ms, CASE WHEN summed.place = 1 THEN 1e99 END) DESC, summed.place, summed.kind) AS place, -- place in the list, from 1
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
