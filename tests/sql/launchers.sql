-- The tables of launchers and of their work, against the tables that they are made of.

CREATE TEMP TABLE launchers AS SELECT * FROM launcher_work;
SELECT 'there are launchers', count(*) > 80 AND count(DISTINCT trace_id) = 3 FROM launchers;

-- ------------------------------------------------------------------ groups
-- A query on the table itself gets its groups by hash; one on the copy sorts.
CREATE TEMP TABLE by_hash AS
SELECT run, trace_id, is_recompute, num_kernels, name_id, category, op_id, same_track_id, count(*) AS calls,
  sum(direct_ns) AS direct_ns, min(position) AS first, kernel_details(position, kernels) AS details
FROM launcher_work
GROUP BY run, trace_id, is_recompute, num_kernels, name_id, category, op_id, same_track_id;
CREATE TEMP TABLE by_sort AS
SELECT run, trace_id, is_recompute, num_kernels, name_id, category, op_id, same_track_id, count(*) AS calls,
  sum(direct_ns) AS direct_ns, min(position) AS first, kernel_details(position, kernels) AS details
FROM launchers
GROUP BY run, trace_id, is_recompute, num_kernels, name_id, category, op_id, same_track_id;
SELECT 'launcher_work: groups are those of a sort', count(*) > 10 AND count(*) = (SELECT count(*) FROM by_sort) FROM by_hash;
SELECT 'launcher_work: groups say the same', count(*) = 0 FROM (SELECT * FROM by_hash EXCEPT SELECT * FROM by_sort);
SELECT 'launcher_work: groups of some runs',
  group_concat(run) = 'frameless,rank1' FROM (SELECT run FROM launcher_work WHERE run <> 'rank0' GROUP BY run ORDER BY run);
SELECT 'launcher_work: groups in the order that is asked for', group_concat(category) = (
  SELECT group_concat(category) FROM (SELECT DISTINCT category FROM launchers ORDER BY category DESC))
FROM (SELECT category FROM launcher_work GROUP BY category ORDER BY category DESC);
SELECT 'launcher_work: a list of traces', count(*) = (SELECT count(*) FROM launchers WHERE trace_id IN (1, 3))
FROM launcher_work WHERE trace_id IN (3, 1, 3, 99, NULL, 'x', 1.5);
SELECT 'launcher_work: a list of traces in groups', group_concat(n) = (
  SELECT group_concat(n) FROM (SELECT count(*) AS n FROM launchers WHERE trace_id <> 2 GROUP BY trace_id))
FROM (SELECT count(*) AS n FROM launcher_work WHERE trace_id IN (1, 3) GROUP BY trace_id);
SELECT 'launcher_work: one trace that is none', count(*) = 0 FROM launcher_work WHERE trace_id = 1.5;
SELECT 'launcher_work: a run and a list of traces', count(*) = (SELECT count(*) FROM launchers WHERE run = 'rank1')
FROM launcher_work WHERE run = 'rank1' AND trace_id IN (1, 2, 3);
SELECT 'tracks of the same names are one', min(track.trace_id = same.trace_id AND track.process_name IS same.process_name
  AND track.process_labels IS same.process_labels AND track.thread_name IS same.thread_name)
FROM launchers JOIN track ON track.id = launchers.track_id JOIN track AS same ON same.id = launchers.same_track_id;

-- ------------------------------------------------------------------ what is kept
SELECT 'launcher_work: a reading with few columns does for one with more', count(*) = (SELECT count(*) FROM launchers)
FROM (SELECT launcher_id FROM launcher_work) AS few
JOIN (SELECT launcher_id, category, overlapping_names FROM launcher_work) AS more ON more.launcher_id = few.launcher_id
JOIN launchers ON launchers.launcher_id = more.launcher_id AND launchers.category = more.category
  AND launchers.overlapping_names IS more.overlapping_names;
SELECT 'launcher_work: nothing counts kernels', count(num_kernels) = 0 FROM launcher_work;
SELECT 'launcher_work: an option is set', tpq_set('group_by_num_kernels', 1) = 1;
SELECT 'launcher_work: what was read before does not hold then', min(num_kernels = kernel_count) FROM launcher_work;
SELECT 'launcher_work: an option is taken back', tpq_set('group_by_num_kernels', NULL) IS NULL;
SELECT 'launcher_work: nor then', count(num_kernels) = 0 FROM launcher_work;
SELECT 'launcher_work: calls were read between', count(*) > 0 FROM modelled_call;
SELECT 'launcher_work: and it is the same again', count(*) = 0 FROM (SELECT * FROM launcher_work EXCEPT SELECT * FROM launchers);

-- ------------------------------------------------------------------ launched_work
CREATE TEMP TABLE work AS SELECT * FROM launched_work;
SELECT 'launched_work has all work', count(*) = (SELECT count(*) FROM gpu_event) FROM work JOIN gpu_event
ON gpu_event.id = work.id AND gpu_event.name_id = work.name_id AND gpu_event.stream IS work.stream AND gpu_event.ts_ns = work.ts_ns
  AND gpu_event.dur_ns = work.dur_ns AND gpu_event.call_id IS work.call_id AND gpu_event.uid = work.uid AND gpu_event.trace_id = work.trace_id
  AND gpu_event.category_id = work.category_id AND (gpu_event.cpu_op_id IS NOT NULL) = work.has_op;
SELECT 'launched_work knows the parents', min(work.parent_name_id IS event.name_id AND work.parent_op_id IS event.op_id)
FROM work JOIN gpu_event ON gpu_event.id = work.id LEFT JOIN event ON event.id = coalesce(cpu_op_id, gpu_event.call_id);
SELECT 'launched_work has the categories of launchers', min(work.launcher_category IS launchers.category)
FROM work JOIN gpu_event ON gpu_event.id = work.id LEFT JOIN launchers ON launchers.launcher_id = gpu_event.launcher_id;
SELECT 'launched_work: groups are those of a sort', count(*) = 0 FROM (
  SELECT run, trace_id, name_id, stream, has_op, parent_name_id, parent_category, sum(dur_ns), count(*) FROM launched_work
  GROUP BY run, trace_id, name_id, stream, has_op, parent_name_id, parent_category
  EXCEPT SELECT run, trace_id, name_id, stream, has_op, parent_name_id, parent_category, sum(dur_ns), count(*) FROM work
  GROUP BY run, trace_id, name_id, stream, has_op, parent_name_id, parent_category);

-- ------------------------------------------------------------------ kernel_class
SELECT 'kernel_class: as work_class says', min(class IS kernel_class('timeline', category_id, name_id)) AND count(*) > 3 FROM work_class;
SELECT 'kernel_class: no purpose, no rule, no name', kernel_class(NULL, 1, 1) IS NULL AND kernel_class('x', 1, 1) IS NULL
  AND kernel_class('timeline', 1, -1) IS NULL;
SELECT 'kernel_class: purposes that change', count(*) = 0 FROM (
  SELECT kernel_class(purpose, category_id, name_id) AS class, purpose FROM work_class
  JOIN (SELECT 'timeline' AS purpose UNION ALL SELECT 'x'))
WHERE (class IS NULL) <> (purpose = 'x');

-- ------------------------------------------------------------------ what ran beside
CREATE TEMP TABLE partner AS
SELECT DISTINCT kernel.launcher_id AS launcher_id, other.name_id AS name_id
FROM gpu_event AS kernel
JOIN launchers ON launchers.launcher_id = kernel.launcher_id
JOIN gpu_event AS other ON other.trace_id = kernel.trace_id AND other.call_id IS NOT NULL
  AND min(kernel.ts_ns + kernel.dur_ns, other.ts_ns + other.dur_ns) - max(kernel.ts_ns, other.ts_ns) >= 1000
  AND coalesce(other.stream <> kernel.stream, 1) AND coalesce(other.cpu_op_id <> kernel.cpu_op_id, 1)
WHERE kernel_class('timeline', kernel.category_id, kernel.name_id) <> 'communication' AND other.id <> kernel.id;
CREATE TEMP TABLE named AS
SELECT launcher_id, string.id AS name_id FROM launchers, json_each(overlapping_names) JOIN string ON string.text = json_each.value;
SELECT 'overlapping_names: as by all pairs', (SELECT count(*) FROM named) = (SELECT count(*) FROM partner)
  AND NOT EXISTS (SELECT * FROM named EXCEPT SELECT * FROM partner);
SELECT 'overlap is a fraction, or NULL with the names', min((overlapping_names IS NULL) = (overlap_pct IS NULL)
  AND coalesce(overlap_pct BETWEEN 0 AND kernel_count, 1) AND partners_not_examined = 0) FROM launchers;
SELECT 'groups by names', count(*) = (SELECT count(*) FROM (SELECT DISTINCT trace_id, overlapping_names FROM launchers))
FROM (SELECT 1 FROM launcher_work GROUP BY trace_id, overlapping_names);
SELECT 'the report has all calls', sum(operation_count) = (SELECT count(*) FROM launchers) FROM ops_unique_args_kl_overlap;
SELECT 'details are of the names', min(json_array_length(overlapping_kernels_details_summary)
  = coalesce(json_array_length(overlapping_kernel_names), 0)) FROM ops_unique_args_kl_overlap;

-- ------------------------------------------------------------------ scope in order
SELECT 'scope: groups in order', group_concat(run || trace_id) = (
  SELECT group_concat(run || trace_id) FROM (SELECT run, trace_id FROM (SELECT DISTINCT * FROM scope LIMIT -1) ORDER BY run, trace_id))
FROM (SELECT run, trace_id FROM scope GROUP BY run, trace_id ORDER BY run, trace_id);
