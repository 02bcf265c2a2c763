-- The views, against the tables that they are made of.

-- ------------------------------------------------------------------ slice
SELECT 'slice has every event', (SELECT count(*) FROM slice) = (SELECT count(*) FROM event);
SELECT 'slice says what the tables say',
  count(*) = (SELECT count(*) FROM event) AND count(*) > 300
FROM slice
JOIN event ON event.id = slice.id
JOIN trace ON trace.id = event.trace_id
JOIN run ON run.id = trace.run_id
WHERE slice.run = run.name
  AND slice.trace_id = event.trace_id
  AND slice.category = (SELECT name FROM category WHERE id = event.category_id)
  AND slice.role = (SELECT role FROM category WHERE id = event.category_id)
  AND slice.name = (SELECT text FROM string WHERE id = event.name_id)
  AND (slice.process, slice.thread)
    = (SELECT process, thread FROM track WHERE id = event.track_id)
  AND slice.ts_ns = event.ts_ns
  AND slice.dur_ns = event.dur_ns
  AND slice.self_ns = event.dur_ns - event.child_ns
  AND slice.parent_id IS event.id - event.up
  AND slice.last_id = event.id + event.below
  AND slice.op_id IS event.op_id
  AND slice.args IS (SELECT json FROM args WHERE id = event.args_id)
  AND slice.correlation IS event.correlation
  AND slice.uid = event.uid;
SELECT 'slice has events of every role', count(DISTINCT role) = 6 FROM slice;
SELECT 'self time is what children leave', min(self_ns = dur_ns - coalesce((
  SELECT sum(child.dur_ns) FROM slice AS child
  WHERE child.parent_id = slice.id AND child.role <> 'gpu'), 0))
FROM slice WHERE role <> 'gpu';

-- ------------------------------------------------------------------ gpu_slice
SELECT 'gpu_slice has every piece of work',
  (SELECT count(*) FROM gpu_slice) = (SELECT count(*) FROM gpu_event);
SELECT 'gpu_slice says what the tables say',
  count(*) = (SELECT count(*) FROM gpu_event) AND count(*) > 50
FROM gpu_slice
JOIN gpu_event ON gpu_event.id = gpu_slice.id
JOIN trace ON trace.id = gpu_event.trace_id
JOIN run ON run.id = trace.run_id
WHERE gpu_slice.run = run.name
  AND gpu_slice.trace_id = gpu_event.trace_id
  AND gpu_slice.category = (SELECT name FROM category WHERE id = gpu_event.category_id)
  AND gpu_slice.name = (SELECT text FROM string WHERE id = gpu_event.name_id)
  AND gpu_slice.device = gpu_event.device
  AND gpu_slice.stream = gpu_event.stream
  AND gpu_slice.ts_ns = gpu_event.ts_ns
  AND gpu_slice.dur_ns = gpu_event.dur_ns
  AND gpu_slice.bytes IS gpu_event.bytes
  AND gpu_slice.call_id IS gpu_event.call_id
  AND gpu_slice.launcher_id IS gpu_event.launcher_id
  AND gpu_slice.launcher IS (SELECT text FROM string WHERE id = gpu_event.launcher_name_id)
  AND gpu_slice.launcher_op_id IS gpu_event.launcher_op_id
  AND gpu_slice.args IS (SELECT json FROM args WHERE id = gpu_event.args_id)
  AND gpu_slice.correlation IS gpu_event.correlation
  AND gpu_slice.uid = gpu_event.uid;
SELECT 'gpu_slice agrees with slice', count(*) = (SELECT count(*) FROM gpu_event)
FROM gpu_slice JOIN slice USING (run, trace_id, id, category, name, ts_ns, dur_ns, uid)
WHERE slice.role = 'gpu' AND gpu_slice.args IS slice.args
  AND gpu_slice.correlation IS slice.correlation AND gpu_slice.call_id IS slice.parent_id;
SELECT 'gpu_slice names the launcher as slice does', count(*) = (
  SELECT count(*) FROM gpu_event WHERE launcher_id IS NOT NULL)
FROM gpu_slice JOIN slice ON slice.id = launcher_id
WHERE launcher = slice.name AND launcher_op_id IS slice.op_id;
SELECT 'gpu_slice has work without a launch', count(*) = 3 AND count(launcher_id) = 0
  AND count(launcher) = 0 AND count(correlation) = 3
FROM gpu_slice WHERE call_id IS NULL;
SELECT 'gpu_slice has copies with their size', count(*) = 5 AND min(bytes) = 64 * 512 * 4
FROM gpu_slice WHERE category = 'gpu_memcpy';

-- ------------------------------------------------------------------ signature
SELECT 'signature has every op', (SELECT count(*) FROM signature) = (SELECT count(*) FROM op);
SELECT 'signature says what the tables say', count(*) = (SELECT count(*) FROM op) AND count(*) > 8
FROM signature JOIN op ON op.id = op_id
WHERE name = (SELECT text FROM string WHERE id = name_id)
  AND input_dims IS (SELECT text FROM string WHERE id = dims_id)
  AND input_types IS (SELECT text FROM string WHERE id = types_id)
  AND input_strides IS (SELECT text FROM string WHERE id = strides_id)
  AND concrete_inputs IS (SELECT text FROM string WHERE id = concrete_id);
SELECT 'signature is JSON where it is there',
  min(input_dims IS NULL OR json_type(input_dims) = 'array')
  AND min(input_types IS NULL OR json_type(input_types) = 'array')
  AND min(input_strides IS NULL OR json_type(input_strides) = 'array')
  AND min(concrete_inputs IS NULL OR json_type(concrete_inputs) = 'array')
  AND count(input_dims) > 3 AND count(*) > count(input_dims)
FROM signature;
SELECT 'signatures are distinct', count(*) = (SELECT count(*) FROM op) FROM (
  SELECT DISTINCT name, input_dims, input_types, input_strides, concrete_inputs FROM signature);
SELECT 'every op of the host has a signature of its own name',
  count(*) = (SELECT count(*) FROM slice WHERE role = 'op')
FROM slice JOIN signature USING (op_id, name) WHERE role = 'op';

-- ------------------------------------------------------------------ tree_edge
SELECT 'tree_edge has every event that has a parent',
  (SELECT count(*) FROM tree_edge) = (SELECT count(*) FROM event WHERE up IS NOT NULL);
SELECT 'tree_edge says what the tables say', count(*) = (SELECT count(*) FROM tree_edge)
FROM tree_edge
JOIN event ON event.id = child
JOIN event AS above ON above.id = parent
JOIN trace ON trace.id = event.trace_id
JOIN run ON run.id = trace.run_id
WHERE tree_edge.run = run.name
  AND tree_edge.trace_id = event.trace_id
  AND above.trace_id = event.trace_id
  AND parent = event.parent_id
  AND kind = CASE WHEN event.id IN (SELECT id FROM gpu_event) THEN 'launch' ELSE 'call' END;
SELECT 'tree_edge has launches from calls to work', count(*) = (
  SELECT count(*) FROM gpu_event WHERE call_id IS NOT NULL)
FROM tree_edge JOIN gpu_event ON gpu_event.id = child AND call_id = parent WHERE kind = 'launch';
SELECT 'tree_edge joins calls in time', min(inner.ts_ns >= outer.ts_ns
  AND inner.ts_ns + inner.dur_ns <= outer.ts_ns + outer.dur_ns)
FROM tree_edge JOIN event AS outer ON outer.id = parent JOIN event AS inner ON inner.id = child
WHERE kind = 'call';

-- ------------------------------------------------------------------ selecting
CREATE TEMP TABLE listed AS
SELECT views.name AS name, group_concat(columns.name) AS columns
FROM sqlite_temp_schema AS views, pragma_table_info(views.name) AS columns
WHERE views.type = 'view' GROUP BY views.name;
SELECT 'there are views', count(*) >= 4 FROM listed;
SELECT 'every view but those of words begins with run and trace: ' || name, columns || ',' GLOB 'run,trace_id,*'
FROM listed WHERE name NOT IN ('signature', 'device_name', 'linked_work', 'launch_shape', 'graph_call', 'category_of_model', 'peak_rule', 'tf32_call', 'link_rule', 'tt_call', 'tt_machine', 'reference_comparison')
AND name NOT IN ('empty_reason', 'not_included') -- about all that is selected
AND name NOT GLOB 'fact_*' AND name NOT GLOB 'sheet_*' -- for elsewhere, where no number of this warehouse means anything
AND name NOT IN ('run_summary', 'run_figure', 'run_step_time', 'run_label', 'shape_time', 'group_row', 'replayed_row', 'rank_launcher', 'breakdown_launcher', 'breakdown_row', 'sync_collective', 'exchange_collective', 'collective_member', 'rank_arrival', 'rank_warning', 'run_start', 'run_headline', 'run_finding', 'work_kind_words', 'pipeline_share', 'split_call', 'expert_exchange', 'diff_op_work') -- about a run
AND name NOT IN ('pftrace_shape', 'rocprof_unit') -- about texts and argument lists
AND name NOT GLOB 'nsys_*' AND name NOT GLOB 'rocpd_*' -- what the reports of their sets stand on
AND name NOT IN (SELECT name FROM report WHERE unit IN ('run', 'pair'));

SELECT 'a run of slice', count(*) = (SELECT count(*) FROM event WHERE trace_id = 2) AND count(*) > 9
FROM slice WHERE run = 'rank1';
SELECT 'a run of gpu_slice', count(*) = (SELECT count(*) FROM gpu_event WHERE trace_id = 2)
FROM gpu_slice WHERE run = 'rank1';
SELECT 'a run of tree_edge', count(*) = (
  SELECT count(*) FROM event WHERE trace_id = 2 AND up IS NOT NULL)
FROM tree_edge WHERE run = 'rank1';
SELECT 'a trace of each view',
  (SELECT min(run) || max(run) || count(*) FROM slice WHERE trace_id = 3)
    = 'frameless' || 'frameless' || (SELECT count(*) FROM event WHERE trace_id = 3)
  AND (SELECT min(run) || count(*) FROM gpu_slice WHERE trace_id = 3)
    = 'frameless' || (SELECT count(*) FROM gpu_event WHERE trace_id = 3)
  AND (SELECT min(run) || count(*) FROM tree_edge WHERE trace_id = 3)
    = 'frameless' || (SELECT count(*) FROM event WHERE trace_id = 3 AND up IS NOT NULL);
SELECT 'by run, all together', sum(events) = (SELECT count(*) FROM event) AND count(*) = 3
FROM (SELECT count(*) AS events FROM slice GROUP BY run, trace_id);
SELECT 'one event', count(*) = 1 FROM slice WHERE id = 5;
SELECT 'the run without frames has none', count(*) = 0
FROM slice WHERE run = 'frameless' AND role = 'frame';
SELECT 'the other runs have some', count(DISTINCT run) = 2 FROM slice WHERE role = 'frame';
SELECT 'kernels by run, as a user would ask', count(*) = 3 AND min(kernels) > 5
FROM (SELECT run, count(*) AS kernels, sum(dur_ns) AS time_ns, interval_union_ns(ts_ns, dur_ns)
        AS busy_ns FROM gpu_slice GROUP BY run)
WHERE busy_ns BETWEEN 1 AND time_ns;

-- error: cannot modify slice because it is a view
DELETE FROM slice;
