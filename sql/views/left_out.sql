-- What reports leave out (leaves-out): each view is a kind of things that are selected and stand in
-- no row of a report that names it. The words above a view are those of tpq describe, behind
-- "leaves out".

-- Work of collectives, which coll_analysis has; unlinked GPU activities, which unlinked_kernels
-- has; all GPU activities of traces without ops.
CREATE VIEW left_out_of_ops AS
WITH part AS MATERIALIZED (
  SELECT run, trace_id, first_event, last_event, trace_id NOT IN (SELECT trace_id FROM trace_with_ops) AS lacks_ops
  FROM scope
), told AS (
  SELECT part.run AS run, part.trace_id AS trace_id, gpu_event.dur_ns AS dur_ns,
    CASE WHEN part.lacks_ops THEN 'GPU activities of traces without ops (kernel_summary has kernels)'
      WHEN kernel_class('collective', gpu_event.category_id, gpu_event.name_id) IS NOT NULL THEN 'GPU activities of collectives (coll_analysis)'
      ELSE 'unlinked GPU activities (unlinked_kernels)' END AS what
  FROM part
  CROSS JOIN gpu_event ON gpu_event.id BETWEEN part.first_event AND part.last_event
  WHERE gpu_event.call_id IS NULL OR kernel_class('collective', gpu_event.category_id, gpu_event.name_id) IS NOT NULL OR part.lacks_ops
)
SELECT
  run AS run, -- run
  trace_id AS trace_id, -- trace
  what AS what, -- what it is
  count(*) AS count, -- how many
  sum(dur_ns) AS time_ns -- sum of durations
FROM told
GROUP BY run, trace_id, what;

-- Unlinked GPU activities, with --compat and without --include-unlinked-kernels.
CREATE VIEW left_out_of_timelines AS
SELECT
  scope.run AS run, -- run
  scope.trace_id AS trace_id, -- trace
  'unlinked GPU activities (--include-unlinked-kernels)' AS what, -- what it is
  count(*) AS count, -- how many
  sum(gpu_event.dur_ns) AS time_ns -- sum of durations
FROM (SELECT 1 AS one WHERE tpq_like_reference('timeline: work without a launcher') AND tpq_option('include_unlinked_kernels') IS NULL) AS asked
CROSS JOIN scope
CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
WHERE gpu_event.call_id IS NULL
GROUP BY scope.run, scope.trace_id;

-- Unlinked GPU activities, which unlinked_kernels has.
CREATE VIEW left_out_without_launch AS
SELECT
  scope.run AS run, -- run
  scope.trace_id AS trace_id, -- trace
  'unlinked GPU activities (unlinked_kernels)' AS what, -- what it is
  count(*) AS count, -- how many
  sum(gpu_event.dur_ns) AS time_ns -- sum of durations
FROM scope
CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
WHERE gpu_event.call_id IS NULL
GROUP BY scope.run, scope.trace_id;

-- Memcpy and memset, which are no kernels.
CREATE VIEW left_out_but_kernels AS
SELECT
  scope.run AS run, -- run
  scope.trace_id AS trace_id, -- trace
  'memcpy, memset and other GPU activities but kernels' AS what, -- what it is
  count(*) AS count, -- how many
  sum(gpu_event.dur_ns) AS time_ns -- sum of durations
FROM scope
CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
WHERE gpu_event.category_id <> (SELECT id FROM category WHERE name = 'kernel')
GROUP BY scope.run, scope.trace_id;

-- Kernels of traces without ops.
CREATE VIEW left_out_without_ops AS
SELECT
  scope.run AS run, -- run
  scope.trace_id AS trace_id, -- trace
  'kernels of traces without ops' AS what, -- what it is
  count(*) AS count, -- how many
  sum(gpu_event.dur_ns) AS time_ns -- sum of durations
FROM scope
CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
WHERE scope.trace_id NOT IN (SELECT trace_id FROM trace_with_ops)
  AND gpu_event.category_id = (SELECT id FROM category WHERE name = 'kernel')
GROUP BY scope.run, scope.trace_id;

-- Collectives of traces without ops; with --compat those that lack one of the columns which part
-- them.
CREATE VIEW left_out_of_collectives AS
WITH stated AS (
  SELECT kernel.run AS run, kernel.trace_id AS trace_id, kernel.dur_ns AS dur_ns,
    CASE WHEN kernel.trace_id NOT IN (SELECT trace_id FROM trace_with_ops) THEN 'collectives of traces without ops'
      WHEN (SELECT tpq_like_reference('coll_analysis: rows with empty keys')) AND (
        arg(args.json, 'Process Group Ranks') IS NULL OR coalesce(arg(args.json, 'Collective name'), CASE WHEN instr(string.text, 'cross_device_reduce') > 0 THEN 'allreduce' END) IS NULL
        OR arg(args.json, 'Group size') IS NULL OR arg(args.json, 'dtype') IS NULL OR arg(args.json, 'In msg nelems') IS NULL OR arg(args.json, 'Out msg nelems') IS NULL
        OR arg(args.json, 'In split size') IS NULL OR arg(args.json, 'Out split size') IS NULL OR kernel.stream IS NULL)
        THEN 'collectives that do not record all of group, name, size, dtype, elements and splits' END AS what
  FROM kernel_work AS kernel
  CROSS JOIN string ON string.id = kernel.name_id
  LEFT JOIN args ON args.id = kernel.args_id
  WHERE (kernel.run, kernel.trace_id, kernel.name_id) IN (SELECT run, trace_id, name_id FROM work_class WHERE class = 'communication')
)
SELECT
  run AS run, -- run
  trace_id AS trace_id, -- trace
  what AS what, -- what it is
  count(*) AS count, -- how many
  sum(dur_ns) AS time_ns -- sum of durations
FROM stated
WHERE what IS NOT NULL
GROUP BY run, trace_id, what;

-- Collectives that do not state their number in their communicator, by which others are matched.
CREATE VIEW left_out_of_sequences AS
SELECT
  run AS run, -- run
  trace_id AS trace_id, -- trace
  'collectives that do not record their number within their communicator' AS what, -- what it is
  count(*) AS count, -- how many
  sum(dur_ns) AS time_ns -- sum of durations
FROM collective_stated
WHERE seq IS NULL
GROUP BY run, trace_id;

-- Calls without a model that gives their operations and bytes, which ops_without_model has where
-- there is none at all.
CREATE VIEW left_out_without_model AS
SELECT
  run AS run, -- run
  trace_id AS trace_id, -- trace
  'ops without a performance model (ops_without_model)' AS what, -- what it is
  sum(calls) AS count, -- how many
  CAST(round(sum(kernel_time_ms) * 1e6) AS INTEGER) AS time_ns -- time of their work
FROM ops_without_model
GROUP BY run, trace_id
UNION ALL
SELECT run, trace_id, 'calls whose model gives no operations or bytes', count(*), sum(kernel_ns)
FROM bounded_call
WHERE (flops > 0 AND bytes IS NOT NULL) IS NOT 1
GROUP BY run, trace_id;

-- Shares of the roofline where the device is not known.
CREATE VIEW left_out_without_limits AS
SELECT
  call.run AS run, -- run
  call.trace_id AS trace_id, -- trace
  'roofline % of calls: the device is not known (--gpu-arch-platform)' AS what, -- what it is
  count(*) AS count, -- how many calls
  NULL AS time_ns -- their time has rows
FROM (
  SELECT scope.run AS run, scope.trace_id AS trace_id FROM (SELECT DISTINCT run, trace_id FROM scope) AS scope
  WHERE NOT tpq_like_reference('rooflines: accelerator')
    AND NOT EXISTS (SELECT 1 FROM trace_device AS device WHERE device.run = scope.run AND device.trace_id = scope.trace_id)
) AS unknown
CROSS JOIN modelled_call AS call ON call.run = unknown.run AND call.trace_id = unknown.trace_id
WHERE call.flops > 0
GROUP BY call.run, call.trace_id;

-- Shares of the roofline where the device is not known.
CREATE VIEW left_out_without_limits_of_sheet AS
SELECT
  call.run AS run, -- run
  call.trace_id AS trace_id, -- trace
  call.sheet AS sheet, -- sheet that they are of
  'roofline % of calls: the device is not known (--gpu-arch-platform)' AS what, -- what it is
  sum(call.calls) AS count, -- how many calls
  NULL AS time_ns -- calls inside others are in several rows
FROM (
  SELECT scope.run AS run, scope.trace_id AS trace_id FROM (SELECT DISTINCT run, trace_id FROM scope) AS scope
  WHERE NOT tpq_like_reference('rooflines: accelerator')
    AND NOT EXISTS (SELECT 1 FROM trace_device AS device WHERE device.run = scope.run AND device.trace_id = scope.trace_id)
) AS unknown
CROSS JOIN roofline_row AS call ON call.run = unknown.run AND call.trace_id = unknown.trace_id
WHERE call.flops > 0
GROUP BY call.run, call.trace_id, call.sheet;

-- Rows beyond the option --topk-ops.
CREATE VIEW left_out_beyond_topk_ops AS
WITH grouped AS (
  SELECT work.run AS run, work.trace_id AS trace_id, sum(work.direct_ns) AS time_ns
  FROM (SELECT 1 AS one WHERE tpq_option('topk_ops') IS NOT NULL) AS asked
  CROSS JOIN launcher_work AS work
  WHERE work.trace_id IN (SELECT trace_id FROM trace_with_ops)
  GROUP BY work.run, work.trace_id, work.is_recompute, work.num_kernels, work.parent_module, work.name_id, work.category, work.op_id, work.same_track_id
),
placed AS (
  SELECT run, trace_id, time_ns, row_number() OVER (PARTITION BY run, trace_id ORDER BY time_ns DESC) AS place FROM grouped
)
SELECT
  run AS run, -- run
  trace_id AS trace_id, -- trace
  'rows beyond --topk-ops' AS what, -- what it is
  count(*) AS count, -- how many
  sum(time_ns) AS time_ns -- time of their work
FROM placed
WHERE place > (SELECT CAST(tpq_option('topk_ops') AS INTEGER))
GROUP BY run, trace_id;

-- Rows beyond the option --topk-roofline-ops.
CREATE VIEW left_out_beyond_topk_roofline AS
WITH placed AS (
  SELECT call.run AS run, call.trace_id AS trace_id, call.sheet AS sheet, call.kernel_us AS kernel_us,
    row_number() OVER (PARTITION BY call.run, call.trace_id, call.sheet ORDER BY call.is_appended, call.kernel_us DESC) AS place
  FROM (SELECT 1 AS one WHERE tpq_option('topk_roofline_ops') IS NOT NULL) AS asked
  CROSS JOIN roofline_row AS call
  WHERE call.trace_id IN (SELECT trace_id FROM trace_with_ops)
)
SELECT
  run AS run, -- run
  trace_id AS trace_id, -- trace
  sheet AS sheet, -- sheet that they are of
  'rows beyond --topk-roofline-ops' AS what, -- what it is
  count(*) AS count, -- how many
  NULL AS time_ns -- calls inside others are in several rows
FROM placed
WHERE place > (SELECT CAST(tpq_option('topk_roofline_ops') AS INTEGER))
GROUP BY run, trace_id, sheet;

-- Memcpy and memset, and kernels that are not short; with --compat kernels whose op, or its shapes,
-- strides or values, are not known; rows beyond the option --topk-short-kernels.
CREATE VIEW left_out_of_short_kernels AS
WITH grouped AS (
  SELECT work.run AS run, work.trace_id AS trace_id, CASE WHEN work.has_op THEN work.parent_name_id END AS parent_name_id, op.dims_id AS dims_id,
    op.strides_id AS strides_id, op.concrete_id AS concrete_id, work.name_id AS name_id, count(*) AS count, sum(work.dur_ns) AS time_ns,
    work.trace_id IN (SELECT trace_id FROM trace_with_ops) AS has_ops
  FROM (SELECT 1 AS one WHERE tpq_option('topk_short_kernels') IS NOT NULL OR tpq_like_reference('short_kernels_summary: rows without an op')) AS asked
  CROSS JOIN launched_work AS work
  LEFT JOIN op ON op.id = work.parent_op_id
  WHERE work.category_id = (SELECT id FROM category WHERE name = 'kernel')
    AND work.dur_ns < (SELECT CAST(tpq_option('short_kernel_threshold_us') AS REAL) * 1000)
  GROUP BY work.run, work.trace_id, work.has_op, 3, op.dims_id, op.strides_id, op.concrete_id, work.name_id
),
keyed AS (
  SELECT run, trace_id, count, time_ns, has_ops AND (parent_name_id IS NULL OR dims_id IS NULL OR strides_id IS NULL OR concrete_id IS NULL)
    AND (SELECT tpq_like_reference('short_kernels_summary: rows without an op')) AS lacks_keys
  FROM grouped
),
placed AS (
  SELECT run, trace_id, count, time_ns, row_number() OVER (PARTITION BY run, trace_id ORDER BY time_ns DESC, count) AS place
  FROM keyed
  WHERE NOT lacks_keys
)
SELECT
  run AS run, -- run
  trace_id AS trace_id, -- trace
  'short kernels whose op, shapes, strides or values were not recorded' AS what, -- what it is
  sum(count) AS count, -- how many
  sum(time_ns) AS time_ns -- sum of durations
FROM keyed
WHERE lacks_keys
GROUP BY run, trace_id
UNION ALL
SELECT run, trace_id, 'rows beyond --topk-short-kernels', count(*), sum(time_ns)
FROM placed
WHERE place > (SELECT CAST(tpq_option('topk_short_kernels') AS INTEGER))
GROUP BY run, trace_id;

-- Work that was not launched within a step that the engine has marked.
CREATE VIEW left_out_outside_steps AS
WITH steps AS MATERIALIZED (SELECT trace_id, list FROM inference_step_list)
SELECT
  scope.run AS run, -- run
  scope.trace_id AS trace_id, -- trace
  'GPU activities that no profiler step launched' AS what, -- what it is
  count(*) AS count, -- how many
  sum(gpu_event.dur_ns) AS time_ns -- sum of durations
FROM scope
CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
LEFT JOIN steps ON steps.trace_id = scope.trace_id
WHERE gpu_event.call_id IS NULL OR steps.list IS NULL OR interval_at(steps.list, gpu_event.launcher_ts_ns) IS NULL
GROUP BY scope.run, scope.trace_id;

-- Collectives in which ranks do not wait for each other, and those of a single rank; long has all.
CREATE VIEW left_out_of_waiting AS
WITH counted AS (
  SELECT run, 1 AS is_known, 0 AS is_shown FROM collective
  UNION ALL
  SELECT run, 0, 1 FROM sync_collective
)
SELECT
  run AS run, -- run
  'collectives that do not make ranks wait, or have one rank (ranks_collectives)' AS what, -- what it is
  sum(is_known) - sum(is_shown) AS count, -- how many
  NULL AS time_ns -- they have several durations
FROM counted
GROUP BY run;

-- Collectives without a known last rank.
CREATE VIEW left_out_of_arrivals AS
WITH counted AS (
  SELECT run, 1 AS is_known, 0 AS is_shown FROM collective
  UNION ALL
  SELECT run, 0, 1 FROM rank_arrival WHERE is_last
)
SELECT
  run AS run, -- run
  'collectives that do not make ranks wait, have one rank, or whose kernels do not overlap in time (ranks_collectives)' AS what, -- what it is
  sum(is_known) - sum(is_shown) AS count, -- how many
  NULL AS time_ns -- they have several durations
FROM counted
GROUP BY run;

-- Ranks about which what_if_ranks asks nothing of itself: it lists 16 of a run.
CREATE VIEW left_out_of_what_if AS
SELECT
  run AS run, -- run
  'ranks with less of the critical path than the 16 shown (--what-if asks about any)' AS what, -- what it is
  count(*) - 16 AS count, -- how many
  NULL AS time_ns -- not looked at
FROM run_rank
WHERE tpq_option('what_if') IS NULL
GROUP BY run
HAVING count(*) > 16;

-- Short kernels that belong to no op.
CREATE VIEW left_out_short_without_op AS
SELECT
  run AS run, -- run
  trace_id AS trace_id, -- trace
  'short kernels that belong to no op' AS what, -- what it is
  count(*) AS count, -- how many
  sum(dur_ns) AS time_ns -- sum of durations
FROM launched_work
WHERE NOT has_op AND category_id = (SELECT id FROM category WHERE name = 'kernel')
  AND dur_ns < (SELECT CAST(tpq_option('short_kernel_threshold_us') AS REAL) * 1000)
GROUP BY run, trace_id;

-- Computation without a known launch, which unlinked_kernels has.
CREATE VIEW left_out_of_breakdown AS
WITH grouped AS (
  SELECT scope.run AS run, scope.trace_id AS trace_id, gpu_event.category_id AS category_id, gpu_event.name_id AS name_id,
    count(*) AS count, sum(gpu_event.dur_ns) AS time_ns
  FROM scope
  CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
  WHERE gpu_event.call_id IS NULL
  GROUP BY scope.run, scope.trace_id, gpu_event.category_id, gpu_event.name_id
)
SELECT
  run AS run, -- run
  trace_id AS trace_id, -- trace
  'unlinked compute activities (unlinked_kernels)' AS what, -- what it is
  sum(count) AS count, -- how many
  sum(time_ns) AS time_ns -- sum of durations
FROM grouped
WHERE kernel_class('timeline', category_id, name_id) = 'computation'
GROUP BY run, trace_id;

-- Kernels of operations without one of the words of --kernel-metadata-keyword-filters.
CREATE VIEW left_out_by_filters AS
SELECT
  kernel.run AS run, -- run
  kernel.trace_id AS trace_id, -- trace
  'kernels excluded by --kernel-metadata-keyword-filters' AS what, -- what it is
  count(*) AS count, -- how many
  sum(kernel.dur_ps) / 1000 AS time_ns -- sum of durations
FROM (SELECT 1 AS one WHERE tpq_option('kernel_metadata_keyword_filters') IS NOT NULL) AS asked
CROSS JOIN xla_kernel AS kernel
LEFT JOIN xla_instruction AS instruction ON instruction.run = kernel.run AND instruction.trace_id = kernel.trace_id AND instruction.id = kernel.instruction_id
WHERE NOT coalesce(has_keyword(instruction.metadata, (SELECT tpq_option('kernel_metadata_keyword_filters'))), 0)
GROUP BY kernel.run, kernel.trace_id;

-- Ops that --no-host-ops, --id-range or the window of signposts takes out.
CREATE VIEW left_out_of_tt_ops AS
WITH shown AS (
  SELECT run, sum(kind = 'host') AS host_ops, sum(kind NOT IN ('host', 'signpost')) AS device_ops FROM tt_op GROUP BY run
)
SELECT
  status.run AS run, -- run
  'ops on the host (--no-host-ops, --id-range)' AS what, -- what it is
  status.host_ops - coalesce(shown.host_ops, 0) AS count, -- how many
  NULL AS time_ns -- their time on the host is not told
FROM tt_status AS status
LEFT JOIN shown ON shown.run = status.run
WHERE status.host_ops > coalesce(shown.host_ops, 0)
UNION ALL
SELECT status.run, 'ops on devices (--id-range)', status.device_ops - coalesce(shown.device_ops, 0), NULL
FROM tt_status AS status
LEFT JOIN shown ON shown.run = status.run
WHERE status.device_ops > coalesce(shown.device_ops, 0);

-- Memcpy and memset.
CREATE VIEW left_out_copies AS
SELECT
  run AS run, -- run
  trace_id AS trace_id, -- trace
  'memcpy and memset (memory_bandwidth)' AS what, -- what it is
  count(*) AS count, -- how many
  sum(dur_ns) AS time_ns -- sum of durations
FROM analysed_work
WHERE kind = 'memory'
GROUP BY run, trace_id;

-- Rules of advice that the trace has no input for.
CREATE VIEW left_out_unmeasured_rules AS
SELECT
  run AS run, -- run
  trace_id AS trace_id, -- trace
  'rules not measured: no ' || lacks AS what, -- what was not recorded
  count(*) AS count, -- how many rules
  NULL AS time_ns -- not told
FROM advice_verdict
WHERE verdict = 'not measured' AND (SELECT tpq_option('all')) IS NULL
GROUP BY run, trace_id, lacks;
