-- Basis of reports over the ranks of a run.

-- The selected traces of a run as its ranks. Where no trace says which rank it is, they are numbered.
-- A row is a trace before it is grouped, too: SQLite looks rows of a grouped table up by an index
-- that it makes where the table is joined, but goes through one with several windows each time.
CREATE VIEW run_rank AS
WITH chosen AS (SELECT DISTINCT run, trace_id FROM scope),
known AS (
  SELECT chosen.run AS run, chosen.trace_id AS trace_id, trace.rank AS rank, trace.clock_start_ns AS clock_start_ns,
    trace.wall_start_ns AS wall_start_ns,
    count(*) OVER (PARTITION BY chosen.run) AS world_size,
    count(trace.rank) OVER (PARTITION BY chosen.run) AS ranked,
    count(trace.wall_start_ns) OVER (PARTITION BY chosen.run) AS on_wall,
    count(*) OVER (PARTITION BY chosen.run, trace.rank) AS alike,
    row_number() OVER (PARTITION BY chosen.run, trace.rank ORDER BY trace.path, trace.id) AS nth,
    row_number() OVER (PARTITION BY chosen.run ORDER BY trace.rank IS NULL, trace.rank, trace.path, trace.id) - 1 AS place
  FROM chosen
  JOIN trace ON trace.id = chosen.trace_id
),
named AS (
  SELECT run, trace_id, place, world_size, clock_start_ns,
    coalesce(rank, CASE WHEN ranked = 0 THEN place END) AS rank,
    CASE
      WHEN ranked = 0 THEN place
      WHEN rank IS NULL THEN 'trace ' || trace_id
      WHEN max(alike) OVER (PARTITION BY run) = 1 THEN rank
      WHEN alike = 1 THEN CAST(rank AS TEXT)
      ELSE rank || '.' || nth
    END AS label,
    CASE WHEN on_wall = world_size AND NOT (SELECT tpq_like_reference('ranks: clocks')) AND (SELECT tpq_option('align')) <> 'none' THEN wall_start_ns ELSE clock_start_ns END AS start_ns
  FROM known
)
SELECT
  run AS run, -- name of the run
  trace_id AS trace_id, -- id of the trace
  max(rank) AS rank, -- number of the rank; NULL where only other traces have one
  max(label) AS label, -- label of the rank in reports: the number, with another one behind it where several traces have the same
  max(place) AS place, -- place among the ranks of the run, from 0
  max(world_size) AS world_size, -- world size of the run
  max(start_ns) AS start_ns, -- start of the trace: on the common clock where every trace has one, else on the trace's own clock
  max(clock_start_ns) AS clock_start_ns -- start of the trace on its own clock
FROM named
GROUP BY run, trace_id;

-- Calls by name and parameters, over all ranks of a run.
CREATE VIEW group_row AS
WITH listed AS MATERIALIZED (
  SELECT string.id AS name_id, op_group.op_group AS op_group, op_group.place AS place
  FROM op_group
  JOIN string ON string.text = op_group.op
  WHERE op_group.purpose = 'sheet'
),
modelled AS MATERIALIZED (
  SELECT op_call.run AS run, op_call.trace_id AS trace_id, listed.op_group AS op_group, listed.place AS place, op_call.id AS id,
    op_call.last_id AS last_id, op_call.uid AS uid, op_call.op_id AS op_id, op_call.name_id AS name_id, op_call.status AS status,
    op_call.flops AS flops, op_call.bytes AS bytes, op_call.params AS params
  FROM op_call
  JOIN listed ON listed.name_id = op_call.name_id
),
bare AS MATERIALIZED (
  SELECT op.id AS op_id, op.name_id AS name_id, listed.op_group AS op_group, listed.place AS place
  FROM listed
  CROSS JOIN op ON op.name_id = listed.name_id
  WHERE listed.name_id NOT IN (SELECT name_id FROM modelled)
),
all_calls AS (
  SELECT run, trace_id, op_group, place, id, last_id, uid, op_id, name_id, status, flops, bytes, params FROM modelled
  UNION ALL
  SELECT scope.run, scope.trace_id, bare.op_group, bare.place, event.id, event.last_id, event.uid, event.op_id, bare.name_id, NULL, NULL, NULL, NULL
  FROM scope
  CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
  JOIN bare ON bare.op_id = event.op_id
),
-- Every call with recorded shapes of an op that stands on a sheet, with its kernels and what its
-- model says. Kernels that copy directly or transpose only move data.
group_call AS (
  SELECT all_calls.run AS run, all_calls.trace_id AS trace_id, all_calls.op_group AS op_group, all_calls.place AS place, all_calls.id AS id,
    all_calls.uid AS uid, (SELECT event.ts_ns FROM event WHERE event.id = all_calls.id) AS ts_ns, all_calls.op_id AS op_id,
    all_calls.name_id AS name_id, all_calls.status AS status, all_calls.flops AS flops, all_calls.bytes AS bytes,
    CASE WHEN all_calls.op_group = 'gemm' THEN
      (SELECT substr(all_calls.params, 1, length(all_calls.params) - 1) || ',"transpose":' || value_at_least(kernel_layout(string.text), CASE WHEN kernel_layout(string.text) IS NOT NULL THEN linked_work.ts_ns END) || '}'
       FROM linked_work JOIN string ON string.id = linked_work.name_id
       WHERE linked_work.id BETWEEN all_calls.id AND all_calls.last_id AND linked_work.call_id IS NOT NULL) END AS params_with_layout,
    all_calls.params AS params,
    (SELECT interval_union_ns(ts_ns, dur_ns) FROM linked_work WHERE linked_work.id BETWEEN all_calls.id AND all_calls.last_id AND linked_work.call_id IS NOT NULL) AS kernel_ns,
    (SELECT interval_union_ns(linked_work.ts_ns, linked_work.dur_ns) FROM linked_work JOIN string ON string.id = linked_work.name_id
     WHERE linked_work.id BETWEEN all_calls.id AND all_calls.last_id AND linked_work.call_id IS NOT NULL
     AND instr(string.text, 'at::native::direct_copy_kernel_cuda') = 0 AND instr(string.text, 'transpose_') = 0) AS not_moving_ns,
    (SELECT kernels_in_order(ts_ns, name_id, stream, dur_ns) FROM linked_work WHERE linked_work.id BETWEEN all_calls.id AND all_calls.last_id AND linked_work.call_id IS NOT NULL) AS kernels
  FROM all_calls
  JOIN op ON op.id = all_calls.op_id
  WHERE op.dims_id IS NOT NULL
),
calls AS MATERIALIZED (
  SELECT group_call.run AS run, group_call.trace_id AS trace_id, op_group, group_call.place AS place, uid, op_id, name_id,
    coalesce(params_with_layout, params, '{}') AS params, flops, bytes, kernel_ns, not_moving_ns, kernels,
    CASE WHEN NOT (SELECT tpq_like_reference('calls: the first ones')) THEN run_rank.place * 140737488355328 + ts_ns
      ELSE run_rank.place * 1099511627776 + uid END AS position
  FROM group_call
  JOIN run_rank ON run_rank.run = group_call.run AND run_rank.trace_id = group_call.trace_id
  WHERE NOT (SELECT tpq_like_reference('ranks: calls whose model fails')) OR status IN ('ok', 'no_bytes')
),
by_rank AS (
  SELECT run, op_group, name_id, params, trace_id, sum(kernel_ns) AS rank_ns
  FROM calls
  GROUP BY run, op_group, name_id, params, trace_id
),
over_ranks AS (
  SELECT run, op_group, name_id, params, count(*) AS ranks, min(rank_ns) AS least_ns, max(rank_ns) AS most_ns
  FROM by_rank
  GROUP BY run, op_group, name_id, params
),
grouped AS (
  SELECT run, op_group, place, name_id, params,
    value_at_least(flops, position) AS flops, value_at_least(bytes, position) AS bytes,
    avg(bytes / nullif(kernel_ns * 1000.0, 0)) AS bandwidth_mean, stddev_samp(bytes / nullif(kernel_ns * 1000.0, 0)) AS bandwidth_std,
    avg(flops / nullif(kernel_ns * 1000.0, 0)) AS speed_mean, stddev_samp(flops / nullif(kernel_ns * 1000.0, 0)) AS speed_std,
    avg(flops / nullif(not_moving_ns * 1000.0, 0)) AS not_moving_mean, stddev_samp(flops / nullif(not_moving_ns * 1000.0, 0)) AS not_moving_std,
    sum(not_moving_ns) AS not_moving_ns, kernel_details(position, kernels) AS kernel_details,
    value_at_least(op_id, position) AS op_id, value_at_least(uid, position) AS uid, min(position) AS position,
    avg(kernel_ns) / 1000.0 AS mean_us, stddev_samp(kernel_ns / 1000.0) AS std_us, sum(kernel_ns) AS kernel_ns, count(*) AS calls
  FROM calls
  GROUP BY run, op_group, place, name_id, params
)
SELECT
  grouped.run AS run, -- name of the run
  grouped.op_group AS op_group, -- group of the op
  grouped.place AS place, -- place of the group among the others
  row_number() OVER in_order - 1 AS row_no, -- number of the row in its group, from 0
  name.text AS name, -- name of the op
  grouped.params AS params, -- parameters of the model, JSON object
  name.text || ' ' || grouped.params AS call_key, -- key of the row: name and parameters
  grouped.flops AS flops, -- floating-point operations of the first call
  grouped.bytes AS bytes, -- [bytes] bytes that the first call moves
  grouped.bandwidth_mean AS bandwidth_mean, -- [TB/s] mean bandwidth of a call
  grouped.bandwidth_std AS bandwidth_std, -- [TB/s] standard deviation of the bandwidth
  grouped.speed_mean AS speed_mean, -- [TFLOP/s] mean achieved TFLOP/s of a call
  grouped.speed_std AS speed_std, -- [TFLOP/s] standard deviation of the achieved TFLOP/s
  grouped.not_moving_mean AS not_moving_mean, -- [TFLOP/s] mean achieved TFLOP/s, over the time without kernels that only move data
  grouped.not_moving_std AS not_moving_std, -- [TFLOP/s] standard deviation of the achieved TFLOP/s over that time
  grouped.not_moving_ns AS not_moving_ns, -- time without kernels that only move data
  grouped.kernel_details AS kernel_details, -- the kernels of a call with statistics over all calls, JSON
  grouped.op_id AS op_id, -- call signature of the first call
  grouped.uid AS uid, -- place of the first call in its file
  grouped.mean_us AS mean_us, -- mean GPU time of a call
  grouped.std_us AS std_us, -- standard deviation of the GPU time of a call
  grouped.kernel_ns AS kernel_ns, -- GPU time of all calls
  grouped.calls AS calls, -- number of calls
  sum(grouped.kernel_ns) OVER (in_order ROWS UNBOUNDED PRECEDING) * 1.0 / nullif(sum(grouped.kernel_ns) OVER (PARTITION BY grouped.run, grouped.op_group), 0) AS cumulative, -- time of this row and those above as a part of the time of the group
  over_ranks.ranks AS ranks, -- ranks that have such a call
  over_ranks.least_ns AS least_ns, -- time of the rank that has the least
  over_ranks.most_ns AS most_ns -- time of the rank that has the most
FROM grouped
JOIN over_ranks ON over_ranks.run = grouped.run AND over_ranks.op_group = grouped.op_group
  AND over_ranks.name_id = grouped.name_id AND over_ranks.params = grouped.params
JOIN string AS name ON name.id = grouped.name_id
WINDOW in_order AS (PARTITION BY grouped.run, grouped.op_group ORDER BY grouped.kernel_ns DESC, CASE WHEN NOT (SELECT tpq_like_reference('calls: the first ones')) THEN grouped.position END, grouped.uid);

-- Rows that node replay makes again: the calls that make up 99 % of the time of their group. With
-- --replay-cover below, and with compat, the one that reaches it is left out.
-- columns-of: group_row
CREATE VIEW replayed_row AS
WITH judged AS (
  SELECT run, op_group, place, row_no, name, params, call_key, op_id, kernel_details, mean_us, calls,
    cumulative < 0.99 AS is_below,
    coalesce(lag(cumulative) OVER (PARTITION BY run, op_group ORDER BY row_no), 0) < 0.99 AS starts_below,
    max(cumulative < 0.99) OVER (PARTITION BY run, op_group) AS any_below
  FROM group_row
  WHERE op_group IN ('gemm', 'conv')
)
SELECT
  run,
  op_group AS op_group, -- gemm or conv
  place, row_no, name, params, call_key, op_id,
  kernel_details AS kernel_details, -- the kernels of a call, JSON
  mean_us, calls
FROM judged
WHERE CASE WHEN coalesce((SELECT tpq_option('replay-cover')), CASE WHEN (SELECT tpq_like_reference('ranks: rows that are made again')) THEN 'below' END) = 'below'
  THEN is_below OR NOT any_below ELSE starts_below END;

-- Time of launchers by name, over all ranks of a run.
CREATE VIEW rank_launcher AS
WITH summed AS (
  SELECT run, trace_id, name_id, category, count(*) AS launches, sum(direct_ns) AS direct_ns
  FROM launcher_work
  GROUP BY run, trace_id, name_id, category
)
SELECT
  summed.run AS run, -- name of the run
  name.text AS name, -- name of the op, or of the runtime call where there is none
  summed.category AS category, -- category of the op
  max(run_rank.world_size) AS world_size, -- ranks of the run
  sum(summed.launches) AS launches, -- number of calls
  sum(summed.direct_ns) AS direct_ns -- GPU busy time that the calls launched
FROM summed
JOIN run_rank ON run_rank.run = summed.run AND run_rank.trace_id = summed.trace_id
JOIN string AS name ON name.id = summed.name_id
GROUP BY summed.run, name.text, summed.category;

-- When each run began: the first start of a selected trace, on the clock of collective_call.common_ns.
CREATE VIEW run_start AS
SELECT
  run AS run, -- name of the run
  min(start_ns) AS start_ns -- start of the run on the clock that ranks share, as far as the files tell
FROM run_rank
GROUP BY run;

-- Launchers by group of the breakdown: that of the op, or with the option breakdown set to
-- categories that of its category. Other: in none.
CREATE VIEW breakdown_launcher AS
SELECT
  launcher.run AS run, -- name of the run
  launcher.name AS name, -- name of the launcher
  coalesce(op_group.op_group, 'Other') AS op_group, -- name of the group
  coalesce(op_group.place, 1000) AS place, -- place of the group among the others
  launcher.direct_ns * 1.0 / launcher.world_size AS mean_ns -- mean GPU time of the launcher on a rank
FROM rank_launcher AS launcher
LEFT JOIN op_group ON op_group.purpose = CASE (SELECT tpq_option('breakdown')) WHEN 'categories' THEN 'category' ELSE 'breakdown' END
  AND op_group.op = CASE WHEN (SELECT tpq_option('breakdown')) = 'categories' THEN launcher.category ELSE
    coalesce((SELECT named.op FROM op_group AS named WHERE named.purpose = 'breakdown' AND NOT named.is_prefix AND named.op = launcher.name),
      (SELECT begun.op FROM op_group AS begun WHERE begun.purpose = 'breakdown' AND begun.is_prefix AND substr(launcher.name, 1, length(begun.op)) = begun.op
       ORDER BY length(begun.op) DESC LIMIT 1)) END;

-- Where the time of a rank goes, the mean over all: groups of launchers, communication and copies.
CREATE VIEW breakdown_row AS
WITH timeline AS (
  SELECT run, avg(comm_ns) AS comm_ns, avg(memcpy_ns) AS memcpy_ns
  FROM timeline_sum
  WHERE is_recompute IS NOT 1
  GROUP BY run
),
named (place, op_group) AS (
  SELECT DISTINCT place, op_group FROM op_group WHERE purpose = 'breakdown'
  UNION ALL
  SELECT 1000, 'Other'
),
launched AS MATERIALIZED (
  SELECT run, op_group, sum(mean_ns) AS mean_ns FROM breakdown_launcher GROUP BY run, op_group
),
parts AS (
  SELECT runs.run AS run, CASE named.op_group WHEN 'Other' THEN 1000 ELSE named.place END AS place, named.op_group AS op_group,
    coalesce(launched.mean_ns, 0) AS mean_ns
  FROM (SELECT DISTINCT run FROM scope) AS runs
  CROSS JOIN named
  LEFT JOIN launched ON launched.run = runs.run AND launched.op_group = named.op_group
  UNION ALL
  SELECT run, 900, 'Comms', comm_ns FROM timeline
  UNION ALL
  SELECT run, 910, 'Memcpy', memcpy_ns FROM timeline
),
listed AS (
  SELECT run, place, op_group, mean_ns FROM parts
  UNION ALL
  SELECT run, 2000, 'Total', sum(mean_ns) FROM parts GROUP BY run
)
SELECT
  run AS run, -- name of the run
  place AS place, -- place of the row among the others
  op_group AS op_group, -- name of the group; Other is in no group, Total the sum
  mean_ns AS mean_ns -- mean time on a rank
FROM listed;

-- Every collective kernel with what it, or the op that launched it, says about it.
CREATE VIEW collective_stated AS
WITH
-- groups as the file lists them: profilers cut the lists of kernels short
listed AS MATERIALIZED (
  SELECT chosen.trace_id AS trace_id, arg(each.value, 'pg_name') AS group_name, arg(each.value, 'ranks') AS group_ranks
  FROM (SELECT DISTINCT trace_id FROM scope) AS chosen
  JOIN trace ON trace.id = chosen.trace_id
  CROSS JOIN json_each(trace.metadata, '$.distributedInfo.pg_config') AS each
  WHERE NOT (SELECT tpq_like_reference('ranks: collectives without metadata')) AND arg(each.value, 'ranks') REGEXP '^\[\s*\d+(\s*,\s*\d+)*\s*\]$'
),
sized AS MATERIALIZED (
  SELECT trace_id, group_name, group_ranks, (SELECT count(*) FROM json_each(group_ranks)) AS size FROM listed
),
stated AS (
  SELECT scope.run AS run, scope.trace_id AS trace_id, linked_work.id AS id, linked_work.uid AS uid, linked_work.stream AS stream,
    linked_work.ts_ns AS ts_ns, linked_work.dur_ns AS dur_ns, linked_work.call_id AS call_id, own.json AS own, of_op.json AS of_op,
    linked_work.name_id AS name_id, linked_work.args_id AS args_id, CASE WHEN comms.id IS NOT NULL THEN coalesce(comms.args_id, 0) END AS op_args_id,
    CASE WHEN NOT (SELECT tpq_like_reference('ranks: collectives without metadata')) AND instr(name.text, 'cross_device_reduce') > 0 THEN 'allreduce' END AS inferred,
    CASE WHEN comms.id IS NOT NULL AND arg(own.json, 'Collective name') IS NULL THEN of_op.json ELSE own.json END AS json
  FROM scope
  CROSS JOIN linked_work ON linked_work.id BETWEEN scope.first_event AND scope.last_event
  CROSS JOIN string AS name ON name.id = linked_work.name_id
  LEFT JOIN args AS own ON own.id = linked_work.args_id
  LEFT JOIN event AS comms ON comms.id = CASE WHEN NOT (SELECT tpq_like_reference('ranks: collectives without metadata')) THEN linked_work.cpu_op_id END
    AND comms.name_id = (SELECT id FROM string WHERE text = 'record_param_comms')
  LEFT JOIN args AS of_op ON of_op.id = comms.args_id
  WHERE linked_work.category_id = (SELECT id FROM category WHERE name = 'kernel') AND kernel_class('timeline', linked_work.category_id, linked_work.name_id) = 'communication'
  AND (NOT (SELECT tpq_like_reference('ranks: collective kernels')) OR instr(lower(name.text), 'nccl') > 0)
  AND (linked_work.external_id IS NOT NULL OR (linked_work.correlation IS NOT NULL AND NOT (SELECT tpq_like_reference('ranks: collective kernels'))))
)
SELECT
  stated.run AS run, -- name of the run
  stated.trace_id AS trace_id, -- id of the trace
  stated.id AS id, -- id of the event
  stated.uid AS uid, -- place in the file
  stated.stream AS stream, -- number of the stream
  stated.ts_ns AS ts_ns, -- start, from the start of the trace
  stated.dur_ns AS dur_ns, -- duration of the kernel
  launch.ts_ns AS launched_ns, -- start of the call that launched it
  stated.name_id AS name_id, -- name of the kernel; kernels with equal name_id, args_id and op_args_id state the same
  stated.args_id AS args_id, -- arguments of the kernel
  stated.op_args_id AS op_args_id, -- arguments of the op that states the collective; 0 for an op without arguments, NULL without such an op
  CASE WHEN arg(stated.own, 'Collective name') IS NOT NULL THEN 'kernel' WHEN arg(stated.json, 'Collective name') IS NOT NULL THEN 'param_comms'
    WHEN stated.inferred IS NOT NULL THEN 'inferred' ELSE 'none' END AS source, -- source of the statement: kernel, param_comms (the op), inferred (from the name of the kernel) or none
  arg(stated.json, 'Process Group Name') AS group_name, -- name of the process group
  CASE WHEN EXISTS (SELECT 1 FROM sized) AND instr(arg(stated.json, 'Process Group Ranks'), '...') > 0
    THEN coalesce((
      SELECT sized.group_ranks FROM sized
      WHERE sized.trace_id = stated.trace_id AND sized.group_name = arg(stated.json, 'Process Group Name') AND sized.size = arg(stated.json, 'Group size')), arg(stated.json, 'Process Group Ranks'))
    ELSE arg(stated.json, 'Process Group Ranks') END AS group_ranks, -- ranks in the process group; a list that was cut short as the file has it elsewhere
  arg(stated.json, 'Global rank start') AS first_rank, -- first rank of the process group
  arg(stated.json, 'Global rank stride') AS rank_stride, -- distance between ranks of the process group
  coalesce(arg(stated.json, 'Collective name'), stated.inferred) AS collective_name, -- name of the collective
  arg(stated.json, 'Group size') AS group_size, -- ranks that take part
  arg(stated.json, 'dtype') AS dtype, -- type of the elements
  arg(stated.json, 'In msg nelems') AS in_elements, -- elements that go in
  arg(stated.json, 'Out msg nelems') AS out_elements, -- elements that come out
  arg(stated.json, 'In split size') AS in_split, -- split of the input among ranks
  arg(stated.json, 'Out split size') AS out_split, -- split of the output among ranks
  arg(stated.json, 'Src Rank') AS src_rank, -- source rank of a point-to-point transfer
  arg(stated.json, 'Dst Rank') AS dst_rank, -- destination rank of a point-to-point transfer
  coalesce(arg(stated.own, 'Seq'), arg(stated.of_op, 'Seq')) AS seq -- sequence number in the communicator
FROM stated
LEFT JOIN event AS launch ON launch.id = stated.call_id;

-- Collectives in which ranks wait for each other, a row each, with bandwidths.
CREATE VIEW sync_collective AS
SELECT
  run AS run, -- name of the run
  collective AS collective, -- number of the collective, in the order of the first kernels
  collective_id AS collective_id, -- process group and number of the collective in it
  group_key AS group_key, -- key of the process group in the run
  group_name AS group_name, -- name of the process group
  group_ranks AS group_ranks, -- ranks in the process group
  collective_name AS collective_name, -- name of the collective
  group_size AS group_size, -- ranks that take part
  dtype AS dtype, -- type of the elements
  in_elements AS in_elements, -- elements that go in
  out_elements AS out_elements, -- elements that come out
  in_mb AS in_mb, -- [MB] size of the input
  out_mb AS out_mb, -- [MB] size of the output
  CASE WHEN type IS NULL THEN NULL WHEN type = 'allgather' THEN out_mb ELSE in_mb END AS full_mb, -- [MB] size of the whole message
  latency_ns AS latency_ns, -- duration of the rank that came last
  skew_start_ns AS skew_start_ns, -- from the first start to the last one
  earliest AS earliest, -- rank that came first; of several the greatest
  mean_wait_ns AS mean_wait_ns, -- mean time that ranks waited for the last one
  skew_end_ns AS skew_end_ns, -- from the first end to the last one
  CASE WHEN type IS NULL THEN NULL WHEN type = 'allgather' THEN out_mb ELSE in_mb END / 1024.0 / nullif(latency_ns / 1e9, 0) AS algo_bw, -- [GB/s] algorithm bandwidth: message size over the duration
  CASE WHEN type IS NULL THEN NULL WHEN type = 'allgather' THEN out_mb ELSE in_mb END / 1024.0 / nullif(latency_ns / 1e9, 0)
    * CASE type WHEN 'allreduce' THEN 2 ELSE 1 END * (group_size - 1) / group_size AS bus_bw, -- [GB/s] bus bandwidth: algorithm bandwidth as traffic of each rank
  match_method AS match_method, -- method that matched the kernels of the collective
  ranks AS ranks, -- ranks with a kernel of the collective
  expected_ranks AS expected_ranks, -- ranks that the process group should have
  differs AS differs -- fields that ranks disagree about
FROM collective
WHERE is_sync = 1;

-- Exchanges of pieces of different sizes (all_to_allv), a row each: how long they took and how evenly
-- they were parted.
-- columns-of: sync_collective
CREATE VIEW exchange_collective AS
WITH measured AS MATERIALIZED (
  SELECT collective.collective AS collective, max(call.common_ns + call.dur_ns) - min(call.common_ns) AS wall_ns,
    min(call.common_ns) AS first_ns, max(call.common_ns + call.dur_ns) AS last_ns,
    max(call.dur_ns) AS most_ns, min(call.dur_ns) AS least_ns, avg(call.dur_ns) AS mean_ns,
    max(call.in_mb / nullif(call.dur_ns, 0)) FILTER (WHERE call.in_mb > 0) AS most_speed,
    min(call.in_mb / nullif(call.dur_ns, 0)) FILTER (WHERE call.in_mb > 0) AS least_speed,
    max(call.in_mb) / nullif(avg(call.in_mb), 0) AS imbalance
  FROM collective
  CROSS JOIN collective_call AS call ON call.collective = collective.collective
  WHERE collective.type = 'alltoallv'
  GROUP BY collective.collective
)
SELECT
  whole.run, whole.collective, whole.collective_id, whole.group_name, whole.group_ranks, whole.collective_name, whole.group_size, whole.dtype,
  whole.stream AS stream, -- number of the stream
  whole.sum_mb AS sum_mb, -- [MB] size of the messages that all ranks send
  whole.sum_elements AS sum_elements, -- elements that all ranks send
  measured.wall_ns AS wall_ns, -- from the first start to the last end
  measured.first_ns AS first_ns, -- first start, on the clock that ranks share
  measured.last_ns AS last_ns, -- last end, on the same
  measured.most_ns AS most_ns, -- duration on the rank that took longest
  measured.least_ns AS least_ns, -- duration on the one that took shortest
  measured.mean_ns AS mean_ns, -- mean duration
  whole.sum_mb / 1024.0 / nullif(measured.wall_ns / 1e9, 0) AS speed, -- [GB/s] bandwidth of all ranks: their messages over the time of the collective
  measured.most_speed * 1e9 / 1024.0 AS most_speed, -- [GB/s] maximum bandwidth of a sending rank: its message over its duration
  measured.least_speed * 1e9 / 1024.0 AS least_speed, -- [GB/s] the least of them
  measured.imbalance AS imbalance, -- largest message of a rank over the mean of all ranks
  whole.skew_start_ns, whole.skew_end_ns
FROM collective AS whole
CROSS JOIN measured ON measured.collective = whole.collective;

-- Every kernel of a collective, and whether ranks can wait for each other in it. Broadcasts and the
-- like let ranks go one by one; of exchanges, of a send with its receive and of what has no kind times
-- decide.
CREATE VIEW collective_member AS
SELECT
  call.run AS run, -- name of the run
  call.collective AS collective, -- number of the collective
  call.trace_id AS trace_id, -- id of the trace
  call.id AS id, -- id of the kernel
  call.common_ns AS common_ns, -- start on the clock that ranks share, as far as the files tell
  call.moved_ns AS moved_ns, -- shift of the start to an earlier time by clock alignment
  call.dur_ns AS dur_ns, -- duration of the kernel
  call.wait_ns AS wait_ns, -- time until the last rank came
  call.is_sync AS is_sync, -- 1 where ranks wait for each other in the kind of collective
  call.type IS NOT NULL OR call.is_pair OR coalesce(call.collective_name, string.text) REGEXP '(?i)all_?(reduce|gather|to_?all)|reduce_?scatter|send_?recv'
    OR NOT coalesce(call.collective_name, string.text) REGEXP '(?i)broadcast|reduce|gather|scatter|send|recv' AS may_wait, -- 1 where ranks can wait for each other: they do where all kernels of the collective run at one time
  call.group_key AS group_key, -- key of the process group in the run
  call.group_name AS group_name, -- name of the process group
  call.group_ranks AS group_ranks, -- ranks in the process group
  call.label AS label, -- label of the rank in reports
  call.rank AS rank, -- number of the rank
  call.place AS place, -- place of the rank among the ranks of the run
  call.step AS step, -- profiler step that the kernel is in
  CASE WHEN call.is_pair THEN call.collective_name END AS pair_side -- send or recv, where the collective is a send with its receive
FROM collective_call AS call
JOIN event ON event.id = call.id
JOIN string ON string.id = event.name_id;

-- Ranks in collectives in which they wait for each other: who came first, who came last, and how long
-- the others waited for that one. One that is alone waits for nobody, and nobody for it. Collectives of
-- a kind in which ranks need not wait count where all their kernels run at one time.
-- columns-of: collective_member
CREATE VIEW rank_arrival AS
WITH timed AS (
  SELECT run, collective, trace_id, id, group_key, group_name, group_ranks, label, rank, place, step, common_ns, wait_ns, is_sync,
    max(is_sync) OVER (PARTITION BY run, collective) AS is_of_kind, min(common_ns) OVER (PARTITION BY run, collective, is_sync) AS first_ns,
    max(common_ns) OVER (PARTITION BY run, collective) <= min(common_ns + dur_ns) OVER (PARTITION BY run, collective)
      AND NOT (SELECT tpq_like_reference('ranks: waiting in exchanges')) AS is_together
  FROM collective_member
  WHERE is_sync OR may_wait
),
ordered AS (
  SELECT run, collective, trace_id, id, group_key, group_name, group_ranks, label, rank, place, step, common_ns - first_ns AS late_ns, wait_ns, is_sync,
    row_number() OVER (PARTITION BY run, collective ORDER BY wait_ns, place) AS nth,
    count(*) OVER (PARTITION BY run, collective) AS calls, sum(wait_ns) OVER (PARTITION BY run, collective) AS all_ns
  FROM timed
  WHERE is_sync = is_of_kind AND (is_sync OR is_together)
)
SELECT
  run, collective, trace_id,
  id AS id, -- id of its kernel
  group_key, group_name, group_ranks, label, rank, place,
  step AS step, -- profiler step that its kernel is in
  late_ns AS late_ns, -- delay of the rank behind the first rank
  wait_ns AS wait_ns, -- wait of the rank for the last rank
  nth = 1 AS is_last, -- whether it came last; of several the lowest one
  nth = calls AS is_first, -- whether it came first; of several the highest one
  CASE nth WHEN 1 THEN all_ns ELSE 0 END AS blame_ns -- wait of the other ranks together for the rank
FROM ordered
WHERE calls > 1 OR is_sync AND (SELECT tpq_like_reference('ranks: collectives on one rank alone'));

-- Reasons why figures about the ranks of a run are not whole or sure, a row each.
CREATE VIEW rank_warning AS
WITH present AS MATERIALIZED (
  SELECT run_rank.run AS run, run_rank.rank AS rank, run_rank.label AS label, coalesce(trace.path, 'trace ' || run_rank.trace_id) AS path,
    arg(arg(trace.metadata, 'distributedInfo'), 'rank') AS stated,
    max(coalesce(max(trace.world_size) OVER (PARTITION BY run_rank.run), 0), coalesce(max(run_rank.rank) OVER (PARTITION BY run_rank.run) + 1, 0)) AS expected,
    lag(run_rank.rank, 1, -1) OVER (PARTITION BY run_rank.run ORDER BY run_rank.rank) AS rank_before,
    count(*) OVER (PARTITION BY run_rank.run) AS traces,
    count(*) OVER (PARTITION BY run_rank.run, run_rank.rank) AS alike
  FROM run_rank
  JOIN trace ON trace.id = run_rank.trace_id
),
missing AS (
  SELECT run, expected, traces, rank_before + 1 AS first, rank - 1 AS last FROM present WHERE rank > rank_before + 1
  UNION ALL
  SELECT run, max(expected), max(traces), max(rank) + 1, max(expected) - 1 FROM present GROUP BY run HAVING max(rank) + 1 < max(expected)
),
part AS MATERIALIZED (
  SELECT run, collective, group_key, label, place, dtype, in_elements, in_mb, is_sync, is_simple, group_name, match_method, is_truncated,
    in_split, out_split, common_ns + dur_ns AS end_ns
  FROM collective_call
),
whole AS MATERIALIZED (
  SELECT run, collective, collective_id, group_key, ranks, expected_ranks, differs FROM collective
),
grouped AS MATERIALIZED (
  SELECT run, group_key, max(ranks) AS most, max(expected_ranks) AS expected, count(*) FILTER (WHERE ranks = 1 AND expected_ranks > 1) AS alone
  FROM whole
  GROUP BY run, group_key
),
counted AS MATERIALIZED (
  SELECT run, group_key, label, place, match_method, count(*) AS kernels FROM part GROUP BY run, group_key, label, place, match_method
),
listed AS (
  SELECT run, group_key, match_method, kernels, group_concat(label) AS labels, count(*) AS ranks
  FROM (SELECT run, group_key, match_method, kernels, label FROM counted ORDER BY run, group_key, place)
  GROUP BY run, group_key, match_method, kernels
),
late AS (
  SELECT run, label, median(end_ns - first_end_ns) AS offset_ns
  FROM (
    SELECT part.run AS run, part.label AS label, part.end_ns AS end_ns,
      first_value(part.end_ns) OVER (PARTITION BY part.collective ORDER BY part.place) AS first_end_ns
    FROM part
    JOIN whole ON whole.collective = part.collective
    WHERE part.is_sync = 1 AND whole.ranks >= whole.expected_ranks
  )
  GROUP BY run, label
),
mismatch AS (
  SELECT run, collective, collective_id, differs, row_number() OVER (PARTITION BY run, differs ORDER BY collective) AS nth,
    count(*) OVER (PARTITION BY run, differs) AS alike
  FROM whole
  WHERE differs IS NOT NULL
)
SELECT
  run AS run, -- name of the run
  'W01' AS code, -- code of the warning, W01 to W12
  NULL AS rank, -- number of the rank concerned
  NULL AS group_key, -- process group concerned
  'ranks are missing: ' || max(traces) || ' of ' || max(expected) || ' are there, without '
    || group_concat(CASE WHEN first = last THEN first ELSE first || '-' || last END, ', ') AS detail -- text of the warning
FROM missing
GROUP BY run
UNION ALL
SELECT run, 'W02', rank, NULL, 'rank ' || rank || ' has ' || count(*) || ' traces, which count as ranks of their own' FROM present
WHERE rank IS NOT NULL AND alike > 1
GROUP BY run, rank
UNION ALL
SELECT run, 'W03', rank, NULL, path || ' is taken for rank ' || rank || ', but states that it is rank ' || stated FROM present
WHERE stated IS NOT NULL AND rank <> stated
UNION ALL
SELECT run, 'W04', NULL, group_key, 'group ' || group_key || ': ' || most || ' of its ' || expected || ' ranks are there; latencies are upper bounds'
FROM (
  SELECT grouped.run AS run, grouped.group_key AS group_key, count(DISTINCT counted.place) AS most, max(grouped.expected) AS expected
  FROM grouped
  JOIN counted ON counted.run = grouped.run AND counted.group_key = grouped.group_key
  GROUP BY grouped.run, grouped.group_key
)
WHERE most < expected
UNION ALL
SELECT listed.run, 'W05', NULL, listed.group_key, 'group ' || listed.group_key || ': ranks have different collectives ('
  || group_concat(listed.kernels || ' on rank ' || listed.labels, '; ') || '), matched by ' || listed.match_method || '; ' || max(grouped.alone) || ' on one rank alone'
FROM listed
JOIN grouped ON grouped.run = listed.run AND grouped.group_key = listed.group_key
GROUP BY listed.run, listed.group_key, listed.match_method
HAVING count(*) > 1 OR (max(grouped.alone) > 0 AND sum(listed.ranks) > 1)
UNION ALL
SELECT mismatch.run, 'W06', NULL, NULL, 'ranks disagree about ' || mismatch.differs || ' of ' || mismatch.collective_id
  || CASE WHEN max(mismatch.nth) = 10 AND max(mismatch.alike) > 10 THEN ', and of ' || (max(mismatch.alike) - 10) || ' more' ELSE '' END || ': '
  || group_concat(DISTINCT printf('%s %s %s %s', call.collective_name, call.dtype, call.in_elements, call.out_elements)) || '; the first rank counts'
FROM mismatch
CROSS JOIN collective_call AS call ON call.collective = mismatch.collective
WHERE mismatch.nth <= 10
GROUP BY mismatch.run, mismatch.differs, mismatch.collective, mismatch.collective_id
UNION ALL
SELECT run, 'W07', NULL, NULL, 'sizes of ' || dtype || ' are not known: no bandwidths of ' || count(*) || ' kernels' FROM part
WHERE dtype IS NOT NULL AND in_elements IS NOT NULL AND in_mb IS NULL
GROUP BY run, dtype
UNION ALL
SELECT run, 'W08', NULL, NULL, 'lists of ranks or split sizes are cut short in ' || count(*) || ' kernels' FROM part
WHERE is_truncated OR instr(in_split, '...') > 0 OR instr(out_split, '...') > 0
GROUP BY run
UNION ALL
SELECT run, 'W09', label, NULL, 'the clock of rank ' || label || ' is ' || printf('%.0f', offset_ns / 1000.0) || ' us off: that much later do its collectives end'
FROM late
WHERE abs(offset_ns) > 1000000
UNION ALL
SELECT run, 'W10', NULL, NULL, count(*) || ' collective kernels do not say their group'
  || CASE WHEN max(is_simple) THEN '; as each rank has one stream, they are taken for one' ELSE '' END
FROM part
WHERE is_simple OR group_name = 'Unknown_Group'
GROUP BY run
UNION ALL
SELECT run, 'W11', NULL, NULL, iif(traces > 1024, 'ranks_all2allv_heatmap does not look at the pairs of ' || traces || ' ranks: 1024 are the most',
  'ranks_all2allv_heatmap has up to ' || (traces * traces) || ' pairs of ' || traces || ' ranks')
FROM present
WHERE traces > 256 AND (SELECT tpq_option('all2allv-heatmap')) IS NOT NULL
GROUP BY run, traces
UNION ALL
SELECT run, 'W13', NULL, NULL, 'with one accelerator a node (--gpus-per-node) every group of ranks spans nodes' FROM present
WHERE traces > 1 AND CAST((SELECT tpq_option('gpus-per-node')) AS INTEGER) = 1
GROUP BY run
UNION ALL
SELECT run, 'W12', NULL, NULL, 'no collectives were found' FROM present
WHERE traces > 1 AND run NOT IN (SELECT run FROM part)
GROUP BY run;
