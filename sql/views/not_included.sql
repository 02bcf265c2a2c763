-- Selected data that no row of a report includes. Reports name the rows (not-included).
CREATE VIEW not_included AS
SELECT
  column1 AS name, -- name of what is not included
  column2 AS what, -- description of the rows that are not included, where the query has no column what
  column3 AS query -- SELECT with the columns count, and perhaps time_ns (not there: unknown), what, and sheet
FROM (VALUES
  ('not_included_in_ops', 'GPU activities of collectives (coll_analysis), unlinked GPU activities (unlinked_kernels), all GPU activities of traces without ops', '
    WITH part AS MATERIALIZED (
      SELECT run, trace_id, first_event, last_event, trace_id NOT IN (SELECT trace_id FROM trace_with_ops) AS lacks_ops FROM scope
    )
    SELECT CASE WHEN part.lacks_ops THEN ''GPU activities of traces without ops (kernel_summary has kernels)''
        WHEN kernel_class(''collective'', gpu_event.category_id, gpu_event.name_id) IS NOT NULL THEN ''GPU activities of collectives (coll_analysis)''
        ELSE ''unlinked GPU activities (unlinked_kernels)'' END AS what,
      count(*) AS count, sum(gpu_event.dur_ns) AS time_ns
    FROM part
    CROSS JOIN gpu_event ON gpu_event.id BETWEEN part.first_event AND part.last_event
    WHERE (gpu_event.call_id IS NULL OR kernel_class(''collective'', gpu_event.category_id, gpu_event.name_id) IS NOT NULL OR part.lacks_ops)
      AND gpu_event.id NOT IN (SELECT id FROM graph_replayed WHERE op IS NOT NULL)
    GROUP BY part.run, part.trace_id, what'),
  ('not_included_handovers', NULL, '
    SELECT format(''handovers between threads: %d threads launch work and nothing tells how they wait for each other'', untold_threads) AS what, NULL AS count
    FROM path_graph
    WHERE untold_threads > 0'),
  ('not_included_in_timelines', 'unlinked GPU activities (--include-unlinked-kernels)', '
    SELECT count(*) AS count, sum(gpu_event.dur_ns) AS time_ns
    FROM (SELECT 1 AS one WHERE tpq_like_reference(''timeline: work without a launcher'') AND tpq_option(''include-unlinked-kernels'') IS NULL) AS asked
    CROSS JOIN scope
    CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
    WHERE gpu_event.call_id IS NULL'),
  ('not_included_cpu_time', 'CPU time of threads, in traces without it (nsys profile --sample=process-tree --cpuctxsw=process-tree)', 'SELECT count(DISTINCT trace_id) AS count FROM scope WHERE trace_id NOT IN (SELECT trace_id FROM thread_state)'),
  ('not_included_without_launch', 'unlinked GPU activities (unlinked_kernels)', '
    SELECT count(*) AS count, sum(gpu_event.dur_ns) AS time_ns
    FROM scope CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
    WHERE gpu_event.call_id IS NULL'),
  ('not_included_besides_kernels', 'memcpy, memset and other GPU activities but kernels', '
    SELECT count(*) AS count, sum(gpu_event.dur_ns) AS time_ns
    FROM scope CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
    WHERE gpu_event.category_id <> (SELECT id FROM category WHERE name = ''kernel'')'),
  ('not_included_without_ops', 'kernels of traces without ops', '
    SELECT count(*) AS count, sum(gpu_event.dur_ns) AS time_ns
    FROM scope CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
    WHERE scope.trace_id NOT IN (SELECT trace_id FROM trace_with_ops) AND gpu_event.category_id = (SELECT id FROM category WHERE name = ''kernel'')'),
  ('not_included_in_collectives', 'collectives of traces without ops; with --compat collectives that do not record all of group, name, size, dtype, elements and splits', '
    WITH stated AS (
      SELECT kernel.run AS run, kernel.trace_id AS trace_id, kernel.dur_ns AS dur_ns,
        CASE WHEN kernel.trace_id NOT IN (SELECT trace_id FROM trace_with_ops) THEN ''collectives of traces without ops''
          WHEN (SELECT tpq_like_reference(''coll_analysis: rows with empty keys'')) AND (
            arg(args.json, ''Process Group Ranks'') IS NULL OR coalesce(arg(args.json, ''Collective name''), CASE WHEN instr(string.text, ''cross_device_reduce'') > 0 THEN ''allreduce'' END) IS NULL
            OR arg(args.json, ''Group size'') IS NULL OR arg(args.json, ''dtype'') IS NULL OR arg(args.json, ''In msg nelems'') IS NULL OR arg(args.json, ''Out msg nelems'') IS NULL
            OR arg(args.json, ''In split size'') IS NULL OR arg(args.json, ''Out split size'') IS NULL OR kernel.stream IS NULL)
            THEN ''collectives that do not record all of group, name, size, dtype, elements and splits'' END AS what
      FROM kernel_work AS kernel
      CROSS JOIN string ON string.id = kernel.name_id
      LEFT JOIN args ON args.id = kernel.args_id
      WHERE (kernel.run, kernel.trace_id, kernel.name_id) IN (SELECT run, trace_id, name_id FROM work_class WHERE class = ''communication'')
    )
    SELECT what, count(*) AS count, sum(dur_ns) AS time_ns FROM stated WHERE what IS NOT NULL GROUP BY run, trace_id, what'),
  ('not_included_in_sequences', 'collectives that do not record their number within their communicator', '
    SELECT count(*) AS count, sum(dur_ns) AS time_ns FROM collective_stated WHERE seq IS NULL'),
  ('not_included_without_model', 'ops without a performance model (ops_without_model), and calls whose model gives no operations or bytes', '
    SELECT ''ops without a performance model (ops_without_model)'' AS what, sum(calls) AS count, CAST(round(sum(kernel_time_ms) * 1e6) AS INTEGER) AS time_ns
    FROM ops_without_model
    GROUP BY run, trace_id
    UNION ALL
    SELECT ''calls whose model gives no operations or bytes'', count(*), sum(kernel_ns) FROM bounded_call WHERE (flops > 0 AND bytes IS NOT NULL) IS NOT 1'),
  ('not_included_without_limits', 'roofline % of calls: the device is not known (--gpu-arch-platform)', '
    SELECT count(*) AS count
    FROM (
      SELECT scope.run AS run, scope.trace_id AS trace_id FROM (SELECT DISTINCT run, trace_id FROM scope) AS scope
      WHERE NOT tpq_like_reference(''rooflines: accelerator'')
        AND NOT EXISTS (SELECT 1 FROM trace_device AS device WHERE device.run = scope.run AND device.trace_id = scope.trace_id)
    ) AS unknown
    CROSS JOIN modelled_call AS call ON call.run = unknown.run AND call.trace_id = unknown.trace_id
    WHERE call.flops > 0'),
  ('not_included_without_limits_of_sheet', 'roofline % of calls: the device is not known (--gpu-arch-platform)', '
    SELECT call.sheet AS sheet, sum(call.calls) AS count
    FROM (
      SELECT scope.run AS run, scope.trace_id AS trace_id FROM (SELECT DISTINCT run, trace_id FROM scope) AS scope
      WHERE NOT tpq_like_reference(''rooflines: accelerator'')
        AND NOT EXISTS (SELECT 1 FROM trace_device AS device WHERE device.run = scope.run AND device.trace_id = scope.trace_id)
    ) AS unknown
    CROSS JOIN roofline_row AS call ON call.run = unknown.run AND call.trace_id = unknown.trace_id
    WHERE call.flops > 0
    GROUP BY call.sheet'),
  ('not_included_beyond_topk_ops', 'rows beyond --topk-ops', '
    WITH grouped AS (
      SELECT work.run AS run, work.trace_id AS trace_id, sum(work.direct_ns) AS time_ns
      FROM (SELECT 1 AS one WHERE tpq_option(''topk-ops'') IS NOT NULL) AS asked
      CROSS JOIN launcher_work AS work
      WHERE work.trace_id IN (SELECT trace_id FROM trace_with_ops)
      GROUP BY work.run, work.trace_id, work.is_recompute, work.num_kernels, work.parent_module, work.name_id, work.category, work.op_id, work.same_track_id
    ),
    placed AS (
      SELECT run, trace_id, time_ns, row_number() OVER (PARTITION BY run, trace_id ORDER BY time_ns DESC) AS place FROM grouped
    )
    SELECT count(*) AS count, sum(time_ns) AS time_ns FROM placed WHERE place > (SELECT CAST(tpq_option(''topk-ops'') AS INTEGER)) GROUP BY run, trace_id'),
  ('not_included_beyond_topk_roofline', 'rows beyond --topk-roofline-ops', '
    WITH placed AS (
      SELECT call.sheet AS sheet, row_number() OVER (PARTITION BY call.run, call.trace_id, call.sheet ORDER BY call.is_appended, call.kernel_us DESC) AS place
      FROM (SELECT 1 AS one WHERE tpq_option(''topk-roofline-ops'') IS NOT NULL) AS asked
      CROSS JOIN roofline_row AS call
      WHERE call.trace_id IN (SELECT trace_id FROM trace_with_ops)
    )
    SELECT sheet, count(*) AS count FROM placed WHERE place > (SELECT CAST(tpq_option(''topk-roofline-ops'') AS INTEGER)) GROUP BY sheet'),
  ('not_included_in_short_kernels', 'with --compat short kernels whose op, shapes, strides or values were not recorded; rows beyond --topk-short-kernels', '
    WITH grouped AS (
      SELECT work.run AS run, work.trace_id AS trace_id, CASE WHEN work.has_op THEN work.parent_name_id END AS parent_name_id, op.dims_id AS dims_id,
        op.strides_id AS strides_id, op.concrete_id AS concrete_id, work.name_id AS name_id, count(*) AS count, sum(work.dur_ns) AS time_ns,
        work.trace_id IN (SELECT trace_id FROM trace_with_ops) AS has_ops
      FROM (SELECT 1 AS one WHERE tpq_option(''topk-short-kernels'') IS NOT NULL OR tpq_like_reference(''short_kernels_summary: rows without an op'')) AS asked
      CROSS JOIN launched_work AS work
      LEFT JOIN op ON op.id = work.parent_op_id
      WHERE work.category_id = (SELECT id FROM category WHERE name = ''kernel'')
        AND work.dur_ns < (SELECT CAST(tpq_option(''short-kernel-threshold-us'') AS REAL) * 1000)
      GROUP BY work.run, work.trace_id, work.has_op, 3, op.dims_id, op.strides_id, op.concrete_id, work.name_id
    ),
    keyed AS (
      SELECT run, trace_id, count, time_ns, has_ops AND (parent_name_id IS NULL OR dims_id IS NULL OR strides_id IS NULL OR concrete_id IS NULL)
        AND (SELECT tpq_like_reference(''short_kernels_summary: rows without an op'')) AS lacks_keys
      FROM grouped
    ),
    placed AS (
      SELECT count, time_ns, row_number() OVER (PARTITION BY run, trace_id ORDER BY time_ns DESC, count) AS place FROM keyed WHERE NOT lacks_keys
    )
    SELECT ''short kernels whose op, shapes, strides or values were not recorded'' AS what, sum(count) AS count, sum(time_ns) AS time_ns
    FROM keyed
    WHERE lacks_keys
    GROUP BY lacks_keys
    UNION ALL
    SELECT ''rows beyond --topk-short-kernels'', count(*), sum(time_ns) FROM placed WHERE place > (SELECT CAST(tpq_option(''topk-short-kernels'') AS INTEGER))'),
  ('not_included_outside_steps', 'GPU activities that no profiler step launched', '
    WITH steps AS MATERIALIZED (SELECT trace_id, list FROM inference_step_list)
    SELECT count(*) AS count, sum(gpu_event.dur_ns) AS time_ns
    FROM scope
    CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
    LEFT JOIN steps ON steps.trace_id = scope.trace_id
    WHERE gpu_event.call_id IS NULL OR steps.list IS NULL OR interval_at(steps.list, gpu_event.launcher_ts_ns) IS NULL'),
  ('not_included_outside_serving', 'GPU activities that no engine step launched (serving_ledger: outside)', '
    SELECT count(*) AS count, sum(dur_ns) AS time_ns FROM serving_activity WHERE step_id IS NULL'),
  ('not_included_requests', 'requests whose first token is before the arrival or after the end', '
    SELECT count(*) AS count FROM known_request WHERE arrival_ns > first_token_ns OR first_token_ns > end_ns'),
  ('not_included_latency', NULL, '
    SELECT ''ttft, tpot, e2e_latency (not recorded: --request-log FILE has arrivals)'' AS what, NULL AS count WHERE NOT EXISTS (SELECT 1 FROM known_request)
    UNION ALL SELECT ''requests without output_tokens in the log, in tpot and throughput of tokens'', count(*) FROM known_request WHERE output_tokens IS NULL
    UNION ALL SELECT ''requests without prompt_tokens in the log, in total_token_throughput'', count(*) FROM known_request WHERE output_tokens + prompt_tokens IS NULL AND output_tokens IS NOT NULL
    UNION ALL SELECT ''inter-token latency (no selected decode step has a next one)'', NULL FROM serving_pace WHERE count IS NULL AND steps > 1
    UNION ALL SELECT ''steps with speculative tokens: how many were accepted is not recorded, and each request counts one token'', count(*) FROM inference_step WHERE g_sq > generation_requests AND generation_requests > 0'),
  ('not_included_in_exchanges', 'exchanges (all_to_allv) that are no dispatch with a combine after it; unevenness of exchanges whose splits are all equal', '
    SELECT ''exchanges (all_to_allv) that are no dispatch with a combine after it'' AS what,
      count(DISTINCT call.group_key || '' '' || call.number) - 2 * (SELECT count(DISTINCT number || group_key) FROM expert_exchange AS paired WHERE paired.run = call.run) AS count
    FROM split_call AS call GROUP BY call.run
    UNION ALL
    SELECT ''unevenness of exchanges whose splits are all equal (padded to one size)'', count(DISTINCT group_key || number) FROM expert_exchange GROUP BY run HAVING min(is_even)'),
  ('not_included_annotations', 'annotated graph nodes without GPU activity (graph_annotations_unmatched)', '
    SELECT count(*) AS count FROM graph_note WHERE (trace_id, node_id) NOT IN (SELECT trace_id, node_id FROM graph_node_recorded)'),
  ('not_included_in_waiting', 'collectives that do not make ranks wait, or have one rank (ranks_collectives)', '
    SELECT (SELECT count(*) FROM collective) - (SELECT count(*) FROM sync_collective) AS count'),
  ('not_included_in_arrivals', 'collectives that do not make ranks wait, have one rank, or whose kernels do not overlap in time (ranks_collectives)', '
    SELECT (SELECT count(*) FROM collective) - (SELECT count(*) FROM rank_arrival WHERE is_last) AS count'),
  ('not_included_in_what_if', 'ranks with less of the critical path than the 16 shown (--what-if asks about any)', '
    SELECT count(*) - 16 AS count FROM run_rank WHERE tpq_option(''what-if'') IS NULL GROUP BY run HAVING count(*) > 16'),
  ('not_included_figures', 'figures of the overview', '
    SELECT what, count FROM (
    SELECT ''steps, step_time_mean (no profiler steps)'' AS what, NULL AS count WHERE NOT EXISTS (SELECT 1 FROM trace_step WHERE kind = ''step'')
    UNION ALL SELECT ''launch_delay_median (launches not recorded)'', NULL
    WHERE NOT EXISTS (SELECT 1 FROM scope CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event WHERE gpu_event.call_id IS NOT NULL)
    UNION ALL SELECT ''top_finding (report findings)'', NULL
    UNION ALL SELECT ''peak_memory (allocator not recorded: profile_memory=True of the PyTorch profiler)'', NULL
    WHERE NOT EXISTS (SELECT 1 FROM scope JOIN memory_event ON memory_event.trace_id = scope.trace_id)
    UNION ALL SELECT ''mfu (no profiler steps, no input shapes, or no known peak: report step_mfu)'', NULL
    WHERE NOT EXISTS (SELECT 1 FROM trace_step WHERE kind = ''step'')
      OR NOT EXISTS (SELECT 1 FROM scope CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event JOIN op ON op.id = event.op_id WHERE op.dims_id IS NOT NULL)
      OR NOT EXISTS (SELECT 1 FROM roofline_limits WHERE peaks IS NOT NULL)
    ) WHERE EXISTS (SELECT 1 FROM scope)'),
  ('not_included_short_without_op', 'short kernels that belong to no op', '
    SELECT count(*) AS count, sum(dur_ns) AS time_ns
    FROM launched_work
    WHERE NOT has_op AND category_id = (SELECT id FROM category WHERE name = ''kernel'')
      AND dur_ns < (SELECT CAST(tpq_option(''short-kernel-threshold-us'') AS REAL) * 1000)'),
  ('not_included_in_breakdown', 'unlinked compute activities (unlinked_kernels)', '
    WITH grouped AS (
      SELECT gpu_event.category_id AS category_id, gpu_event.name_id AS name_id, count(*) AS count, sum(gpu_event.dur_ns) AS time_ns
      FROM scope CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
      WHERE gpu_event.call_id IS NULL
      GROUP BY gpu_event.category_id, gpu_event.name_id
    )
    SELECT coalesce(sum(count), 0) AS count, sum(time_ns) AS time_ns FROM grouped WHERE kernel_class(''timeline'', category_id, name_id) = ''computation'''),
  ('not_included_by_filters', 'kernels excluded by --kernel-metadata-keyword-filters', '
    SELECT count(*) AS count, sum(kernel.dur_ps) / 1000 AS time_ns
    FROM (SELECT 1 AS one WHERE tpq_option(''kernel-metadata-keyword-filters'') IS NOT NULL) AS asked
    CROSS JOIN xla_kernel AS kernel
    LEFT JOIN xla_instruction AS instruction ON instruction.run = kernel.run AND instruction.trace_id = kernel.trace_id AND instruction.id = kernel.instruction_id
    WHERE NOT coalesce(has_keyword(instruction.metadata, (SELECT tpq_option(''kernel-metadata-keyword-filters''))), 0)
    GROUP BY kernel.run, kernel.trace_id'),
  ('not_included_in_tt_ops', 'ops on the host (--no-host-ops, --id-range) and ops on devices (--id-range)', '
    WITH shown AS (
      SELECT run, sum(kind = ''host'') AS host_ops, sum(kind NOT IN (''host'', ''signpost'')) AS device_ops FROM tt_op GROUP BY run
    )
    SELECT ''ops on the host (--no-host-ops, --id-range)'' AS what, status.host_ops - coalesce(shown.host_ops, 0) AS count
    FROM tt_status AS status LEFT JOIN shown ON shown.run = status.run
    WHERE status.host_ops > coalesce(shown.host_ops, 0)
    UNION ALL
    SELECT ''ops on devices (--id-range)'', status.device_ops - coalesce(shown.device_ops, 0)
    FROM tt_status AS status LEFT JOIN shown ON shown.run = status.run
    WHERE status.device_ops > coalesce(shown.device_ops, 0)'),
  ('not_included_memcpy', 'memcpy and memset (memory_bandwidth)', '
    SELECT count(*) AS count, sum(dur_ns) AS time_ns FROM analysed_work WHERE kind = ''memory'''),
  ('not_included_unmeasured_rules', 'rules not measured, as the trace has no input for them', '
    SELECT iif(verdict = ''no basis'', ''rules without a basis ('' || substr(lacks, 1, instr(lacks || '' ('', '' ('') - 1), ''rules not measured (no '' || iif(lacks = ''work'', ''GPU activities'', lacks)) || '')'' AS what, count(*) AS count
    FROM advice_verdict
    WHERE verdict IN (''not measured'', ''no basis'') AND (SELECT tpq_option(''all'')) IS NULL
    GROUP BY run, trace_id, verdict, lacks'),
  ('not_included_cut_steps', 'steps that the recording cuts (trace_health), in means over steps', '
    SELECT count(*) AS count FROM cut_step'),
  ('not_included_sound_checks', 'checks that are ok, and checks that cannot tell, where only people read the report', '
    SELECT format(''%d checks that are ok, %d that cannot tell (--all shows them)'', sum(verdict = ''ok''), sum(verdict = ''cannot tell'')) AS what, NULL AS count
    FROM health_verdict
    WHERE verdict IN (''ok'', ''cannot tell'') AND (SELECT tpq_option(''only-findings'')) IS NOT NULL AND (SELECT tpq_option(''all'')) IS NULL
    HAVING count(*) > 0'),
  ('not_included_outside_traces', 'memory snapshots that do not overlap the trace of their process in time', '
    SELECT count(DISTINCT trace_id) AS count FROM snapshot_trace
    WHERE trace_id NOT IN (SELECT trace_id FROM snapshot_trace WHERE overlaps) AND EXISTS (SELECT 1 FROM snapshot_trace WHERE overlaps)
    HAVING count(*) > 0')
) AS kind;
