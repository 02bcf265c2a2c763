-- What reports over the ranks of a run stand on.

-- The selected traces of a run as its ranks. Where no trace says which rank it is, they are numbered.
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
)
SELECT
  run AS run, -- run
  trace_id AS trace_id, -- trace
  coalesce(rank, CASE WHEN ranked = 0 THEN place END) AS rank, -- number of the rank; NULL where only other traces have one
  CASE
    WHEN ranked = 0 THEN place
    WHEN rank IS NULL THEN 'trace ' || trace_id
    WHEN max(alike) OVER (PARTITION BY run) = 1 THEN rank
    WHEN alike = 1 THEN CAST(rank AS TEXT)
    ELSE rank || '.' || nth
  END AS label, -- what its columns are called: the number, with another one behind it where several traces have the same
  place AS place, -- place among the ranks of the run, from 0
  world_size AS world_size, -- how many there are
  CASE WHEN on_wall = world_size AND (SELECT tpq_option('compat')) IS NULL THEN wall_start_ns ELSE clock_start_ns END AS start_ns, -- start of the trace: on the common clock where every trace has one, else on its own
  clock_start_ns AS clock_start_ns -- start of the trace on its own clock
FROM known;

-- Every call with recorded shapes of an op that stands on a sheet, with its kernels and what its
-- model says. Kernels that only move data are those that copy directly or transpose.
CREATE VIEW group_call AS
WITH used AS MATERIALIZED (
  SELECT DISTINCT event.op_id AS op_id
  FROM scope
  CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
  WHERE event.op_id IS NOT NULL
),
wanted AS MATERIALIZED (
  SELECT op.id AS op_id, op.name_id AS name_id, op_group.op_group AS op_group, op_group.place AS place,
    metric.status AS status, metric.flops AS flops, metric.bytes AS bytes, metric.params AS params
  FROM used
  CROSS JOIN op ON op.id = used.op_id
  CROSS JOIN string ON string.id = op.name_id
  CROSS JOIN op_group ON op_group.purpose = 'sheet' AND op_group.op = string.text
  LEFT JOIN op_metric AS metric ON metric.op_id = op.id
  WHERE op.dims_id IS NOT NULL
)
SELECT
  scope.run AS run, -- run
  scope.trace_id AS trace_id, -- trace
  wanted.op_group AS op_group, -- group of the op
  wanted.place AS place, -- place of the group among the others
  event.id AS id, -- id of the event
  event.uid AS uid, -- place in the file
  event.op_id AS op_id, -- call signature
  wanted.name_id AS name_id, -- name of the op
  wanted.status AS status, -- what came of its model, as in op_metric; NULL when it has none
  wanted.flops AS flops, -- operations
  wanted.bytes AS bytes, -- [bytes] that it moves
  CASE WHEN wanted.op_group = 'gemm' THEN
    (SELECT substr(wanted.params, 1, length(wanted.params) - 1) || ',"transpose":' || value_at_least(kernel_layout(string.text), CASE WHEN kernel_layout(string.text) IS NOT NULL THEN gpu_event.ts_ns END) || '}'
     FROM gpu_event JOIN string ON string.id = gpu_event.name_id
     WHERE gpu_event.id BETWEEN event.id AND event.last_id) END AS params_with_layout, -- parameters of the model, where the names of kernels tell how operands lie
  wanted.params AS params, -- parameters of the model, JSON object
  (SELECT interval_union_ns(ts_ns, dur_ns) FROM gpu_event WHERE gpu_event.id BETWEEN event.id AND event.last_id) AS kernel_ns, -- time covered by the work below it
  (SELECT interval_union_ns(gpu_event.ts_ns, gpu_event.dur_ns) FROM gpu_event JOIN string ON string.id = gpu_event.name_id
   WHERE gpu_event.id BETWEEN event.id AND event.last_id
   AND instr(string.text, 'at::native::direct_copy_kernel_cuda') = 0 AND instr(string.text, 'transpose_') = 0) AS not_moving_ns, -- the same without kernels that only move data
  (SELECT kernels_in_order(ts_ns, name_id, stream, dur_ns) FROM gpu_event WHERE gpu_event.id BETWEEN event.id AND event.last_id) AS kernels -- its kernels, for kernel_details
FROM scope
CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
JOIN wanted ON wanted.op_id = event.op_id;

-- Those calls by name and parameters, over all ranks of a run.
CREATE VIEW group_row AS
WITH calls AS MATERIALIZED (
  SELECT group_call.run AS run, group_call.trace_id AS trace_id, op_group, group_call.place AS place, uid, op_id, name_id,
    coalesce(params_with_layout, params, '{}') AS params, flops, bytes, kernel_ns, not_moving_ns, kernels,
    run_rank.place * 1099511627776 + uid AS position
  FROM group_call
  JOIN run_rank ON run_rank.run = group_call.run AND run_rank.trace_id = group_call.trace_id
  WHERE (SELECT tpq_option('compat')) IS NULL OR status IN ('ok', 'no_bytes')
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
    value_at_least(op_id, position) AS op_id, value_at_least(uid, position) AS uid,
    avg(kernel_ns) / 1000.0 AS mean_us, stddev_samp(kernel_ns / 1000.0) AS std_us, sum(kernel_ns) AS kernel_ns, count(*) AS calls
  FROM calls
  GROUP BY run, op_group, place, name_id, params
)
SELECT
  grouped.run AS run, -- run
  grouped.op_group AS op_group, -- group of the op
  grouped.place AS place, -- place of the group among the others
  row_number() OVER in_order - 1 AS row_no, -- number of the row in its group, from 0
  name.text AS name, -- name of the op
  grouped.params AS params, -- parameters of the model, JSON object
  name.text || ' ' || grouped.params AS call_key, -- what tells the row from others
  grouped.flops AS flops, -- operations of the first call
  grouped.bytes AS bytes, -- [bytes] that the first call moves
  grouped.bandwidth_mean AS bandwidth_mean, -- [TB/s] mean
  grouped.bandwidth_std AS bandwidth_std, -- [TB/s] standard deviation
  grouped.speed_mean AS speed_mean, -- [TFLOP/s] mean
  grouped.speed_std AS speed_std, -- [TFLOP/s] standard deviation
  grouped.not_moving_mean AS not_moving_mean, -- [TFLOP/s] mean, of the time without kernels that only move data
  grouped.not_moving_std AS not_moving_std, -- [TFLOP/s] standard deviation of that
  grouped.not_moving_ns AS not_moving_ns, -- time without kernels that only move data
  grouped.kernel_details AS kernel_details, -- the kernels of a call with statistics over all calls, JSON
  grouped.op_id AS op_id, -- call signature of the first call
  grouped.uid AS uid, -- place of the first call in its file
  grouped.mean_us AS mean_us, -- mean time of a call
  grouped.std_us AS std_us, -- standard deviation of that
  grouped.kernel_ns AS kernel_ns, -- time of all calls
  grouped.calls AS calls, -- how many there are
  sum(grouped.kernel_ns) OVER (in_order ROWS UNBOUNDED PRECEDING) * 1.0 / nullif(sum(grouped.kernel_ns) OVER (PARTITION BY grouped.run, grouped.op_group), 0) AS cumulative, -- time of this row and those above as a part of the time of the group
  over_ranks.ranks AS ranks, -- ranks that have such a call
  over_ranks.least_ns AS least_ns, -- time of the rank that has the least
  over_ranks.most_ns AS most_ns -- time of the rank that has the most
FROM grouped
JOIN over_ranks ON over_ranks.run = grouped.run AND over_ranks.op_group = grouped.op_group
  AND over_ranks.name_id = grouped.name_id AND over_ranks.params = grouped.params
JOIN string AS name ON name.id = grouped.name_id
WINDOW in_order AS (PARTITION BY grouped.run, grouped.op_group ORDER BY grouped.kernel_ns DESC, grouped.uid);

-- Rows that node replay makes again: the calls that make up 99 % of the time of their group. With
-- the option replay_cover below, and with compat, the one that reaches it is left out.
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
  run AS run, -- run
  op_group AS op_group, -- gemm or conv
  place AS place, -- place of the group among the others
  row_no AS row_no, -- number of the row in its group, from 0
  name AS name, -- name of the op
  params AS params, -- parameters of the model, JSON object
  call_key AS call_key, -- what tells the row from others
  op_id AS op_id, -- call signature of the first call
  kernel_details AS kernel_details, -- the kernels of a call, JSON
  mean_us AS mean_us, -- mean time of a call
  calls AS calls -- how many there are
FROM judged
WHERE CASE WHEN coalesce((SELECT tpq_option('replay_cover')), CASE WHEN (SELECT tpq_option('compat')) IS NOT NULL THEN 'below' END) = 'below'
  THEN is_below OR NOT any_below ELSE starts_below END;

-- Time of launchers by name, over all ranks of a run.
CREATE VIEW rank_launcher AS
WITH summed AS (
  SELECT run, trace_id, name_id, category, count(*) AS launches, sum(direct_ns) AS direct_ns
  FROM launcher_work
  GROUP BY run, trace_id, name_id, category
)
SELECT
  summed.run AS run, -- run
  name.text AS name, -- name of the op, or of the runtime call where there is none
  summed.category AS category, -- category of the op
  max(run_rank.world_size) AS world_size, -- ranks of the run
  sum(summed.launches) AS launches, -- calls
  sum(summed.direct_ns) AS direct_ns -- time covered by the work that they launched
FROM summed
JOIN run_rank ON run_rank.run = summed.run AND run_rank.trace_id = summed.trace_id
JOIN string AS name ON name.id = summed.name_id
GROUP BY summed.run, name.text, summed.category;

-- Launchers by group of the breakdown: that of the op, or with the option breakdown set to
-- categories that of its category. Other: in none.
CREATE VIEW breakdown_launcher AS
SELECT
  launcher.run AS run, -- run
  launcher.name AS name, -- name of the launcher
  coalesce(op_group.op_group, 'Other') AS op_group, -- the group
  coalesce(op_group.place, 1000) AS place, -- its place among the others
  launcher.direct_ns * 1.0 / launcher.world_size AS mean_ns -- its time on a rank, the mean over all
FROM rank_launcher AS launcher
LEFT JOIN op_group ON op_group.purpose = CASE (SELECT tpq_option('breakdown')) WHEN 'categories' THEN 'category' ELSE 'breakdown' END
  AND op_group.op = CASE WHEN (SELECT tpq_option('breakdown')) = 'categories' THEN launcher.category ELSE
    coalesce((SELECT named.op FROM op_group AS named WHERE named.purpose = 'breakdown' AND NOT named.is_prefix AND named.op = launcher.name),
      (SELECT begun.op FROM op_group AS begun WHERE begun.purpose = 'breakdown' AND begun.is_prefix AND substr(launcher.name, 1, length(begun.op)) = begun.op
       ORDER BY length(begun.op) DESC LIMIT 1)) END;

-- Every collective kernel with what it, or the op that launched it, says about it. The id tells which of them are one
-- collective: the same group and the same place in the order of starts on each rank.
CREATE VIEW collective_call AS
WITH named AS MATERIALIZED (
  SELECT work.run AS run, work.trace_id AS trace_id, work.name_id AS name_id
  FROM work_class AS work
  JOIN string ON string.id = work.name_id
  WHERE work.category_id = (SELECT id FROM category WHERE name = 'kernel') AND work.class = 'communication'
  AND ((SELECT tpq_option('compat')) IS NULL OR instr(lower(string.text), 'nccl') > 0)
),
stated AS MATERIALIZED (
  SELECT scope.run AS run, scope.trace_id AS trace_id, run_rank.rank AS rank, run_rank.label AS label, run_rank.place AS place,
    gpu_event.uid AS uid, gpu_event.stream AS stream, gpu_event.ts_ns AS ts_ns, gpu_event.dur_ns AS dur_ns,
    run_rank.start_ns + gpu_event.ts_ns AS common_ns, run_rank.clock_start_ns + gpu_event.ts_ns AS clock_ns,
    arg(args.json, 'Process Group Name') AS group_name, arg(args.json, 'Process Group Ranks') AS group_ranks,
    coalesce(arg(args.json, 'Collective name'),
      CASE WHEN (SELECT tpq_option('compat')) IS NULL AND instr(string.text, 'cross_device_reduce') > 0 THEN 'allreduce' END) AS collective_name,
    arg(args.json, 'Group size') AS group_size, arg(args.json, 'dtype') AS dtype,
    arg(args.json, 'In msg nelems') AS in_elements, arg(args.json, 'Out msg nelems') AS out_elements,
    arg(args.json, 'In split size') AS in_split, arg(args.json, 'Out split size') AS out_split
  FROM scope
  CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
  JOIN named ON named.run = scope.run AND named.trace_id = scope.trace_id AND named.name_id = gpu_event.name_id
  JOIN string ON string.id = gpu_event.name_id
  JOIN run_rank ON run_rank.run = scope.run AND run_rank.trace_id = scope.trace_id
  LEFT JOIN args AS own ON own.id = gpu_event.args_id
  LEFT JOIN event AS comms ON comms.id = CASE WHEN arg(own.json, 'Collective name') IS NULL AND (SELECT tpq_option('compat')) IS NULL THEN gpu_event.cpu_op_id END
    AND comms.name_id = (SELECT id FROM string WHERE text = 'record_param_comms')
  LEFT JOIN args ON args.id = coalesce(comms.args_id, own.id)
  WHERE gpu_event.category_id = (SELECT id FROM category WHERE name = 'kernel')
  AND run_rank.world_size > 1
  AND (gpu_event.external_id IS NOT NULL OR (gpu_event.correlation IS NOT NULL AND (SELECT tpq_option('compat')) IS NULL))
),
known AS MATERIALIZED (
  SELECT run, max(has_names) AS has_names, max(streams) AS streams
  FROM (SELECT run, trace_id, max(group_name IS NOT NULL) AS has_names, count(DISTINCT stream) AS streams FROM stated GROUP BY run, trace_id)
  GROUP BY run
),
shared AS MATERIALIZED (
  SELECT run, group_name, count(DISTINCT group_ranks) AS rank_lists
  FROM stated
  GROUP BY run, group_name
),
keyed AS (
  SELECT stated.run, stated.trace_id, stated.rank, stated.label, stated.place, stated.uid, stated.stream, stated.dur_ns,
    stated.common_ns, stated.clock_ns, stated.group_ranks, stated.collective_name, stated.group_size, stated.dtype,
    stated.in_elements, stated.out_elements, stated.in_split, stated.out_split,
    NOT known.has_names AND known.streams <= 1 AND (SELECT tpq_option('compat')) IS NULL AS is_simple,
    coalesce(stated.group_name, CASE WHEN NOT known.has_names AND known.streams <= 1 AND (SELECT tpq_option('compat')) IS NULL THEN 'all' ELSE 'Unknown_Group' END)
      || CASE WHEN shared.rank_lists > 1 AND (SELECT tpq_option('compat')) IS NULL THEN coalesce('@' || stated.group_ranks, '') ELSE '' END AS group_key,
    coalesce(stated.group_name, CASE WHEN NOT known.has_names AND known.streams <= 1 AND (SELECT tpq_option('compat')) IS NULL THEN 'all' ELSE 'Unknown_Group' END) AS shown_group
  FROM stated
  JOIN known ON known.run = stated.run
  JOIN shared ON shared.run = stated.run AND shared.group_name IS stated.group_name
),
numbered AS (
  SELECT keyed.run, keyed.trace_id, keyed.rank, keyed.label, keyed.place, keyed.uid, keyed.stream, keyed.dur_ns, keyed.common_ns,
    keyed.clock_ns, keyed.group_ranks, keyed.collective_name, keyed.group_size, keyed.dtype, keyed.in_elements, keyed.out_elements,
    keyed.in_split, keyed.out_split, keyed.is_simple, keyed.group_key, keyed.shown_group,
    row_number() OVER (PARTITION BY keyed.run, keyed.trace_id, keyed.group_key ORDER BY keyed.common_ns, keyed.uid) - 1 AS index_in_group,
    CASE keyed.dtype WHEN 'Float' THEN 4 WHEN 'Int' THEN 4 WHEN 'Long' THEN 8 WHEN 'BFloat16' THEN 2 WHEN 'Bool' THEN 1
      WHEN 'Byte' THEN 1 WHEN 'Double' THEN 8 WHEN 'Half' THEN 2 WHEN 'Short' THEN 2
      ELSE CASE WHEN (SELECT tpq_option('compat')) IS NULL THEN CASE keyed.dtype WHEN 'Char' THEN 1 WHEN 'Float8_e4m3fn' THEN 1
        WHEN 'Float8_e4m3fnuz' THEN 1 WHEN 'Float8_e5m2' THEN 1 WHEN 'Float8_e5m2fnuz' THEN 1 WHEN 'Float8_e8m0fnu' THEN 1
        WHEN 'Float4_e2m1fn_x2' THEN 1 WHEN 'ComplexFloat' THEN 8 WHEN 'ComplexDouble' THEN 16 WHEN 'UInt16' THEN 2
        WHEN 'UInt32' THEN 4 WHEN 'UInt64' THEN 8 END END
    END AS element_bytes,
    CASE
      WHEN keyed.collective_name IN ('allreduce', 'allreduce_coalesced') THEN 'allreduce'
      WHEN keyed.collective_name IN ('reducescatter', '_reduce_scatter_base', 'reduce_scatter_tensor_coalesced') THEN 'reducescatter'
      WHEN keyed.collective_name IN ('allgather', 'all_gather', '_allgather_base', 'all_gather_into_tensor_coalesced', 'allgather_into_tensor_coalesced') THEN 'allgather'
      WHEN keyed.collective_name = 'all_to_all' THEN 'alltoall'
      WHEN keyed.collective_name = 'all_to_allv' THEN 'alltoallv'
    END AS type
  FROM keyed
)
SELECT
  run AS run, -- run
  trace_id AS trace_id, -- trace
  CASE WHEN is_simple THEN CAST(index_in_group AS TEXT) ELSE group_key || '_' || index_in_group END AS collective_id, -- which collective it is part of
  index_in_group AS index_in_group, -- its number in its group on its rank, from 0
  rank AS rank, -- number of the rank
  label AS label, -- what columns of the rank are called
  place AS place, -- place of the rank among those of the run
  uid AS uid, -- place in the file
  is_simple AS is_simple, -- 1 when nothing tells about groups, and each rank has but one stream
  shown_group AS group_name, -- process group
  group_ranks AS group_ranks, -- ranks in it
  collective_name AS collective_name, -- which collective
  type AS type, -- kind of it: allreduce, reducescatter, allgather, alltoall or alltoallv; NULL = another
  group_size AS group_size, -- ranks that take part
  dtype AS dtype, -- type of the elements
  in_elements AS in_elements, -- elements that go in
  in_elements * element_bytes / 1048576.0 AS in_mb, -- [MB] size of them
  out_elements AS out_elements, -- elements that come out
  out_elements * element_bytes / 1048576.0 AS out_mb, -- [MB] size of them
  in_split AS in_split, -- how the input is split
  out_split AS out_split, -- how the output is split
  stream AS stream, -- number of the stream
  common_ns AS common_ns, -- start on a clock that ranks share, as far as the files tell
  clock_ns AS clock_ns, -- start on the clock of the file
  dur_ns AS dur_ns -- duration
FROM numbered;

-- Collectives in which ranks wait for each other, a row each.
CREATE VIEW sync_collective AS
WITH part AS MATERIALIZED (
  SELECT run, collective_id, rank, place, uid, is_simple, group_name, group_ranks, collective_name, type, group_size, dtype, in_elements, in_mb,
    out_elements, out_mb, common_ns, dur_ns,
    max(common_ns) OVER (PARTITION BY run, collective_id) - common_ns AS wait_ns,
    row_number() OVER (PARTITION BY run, collective_id ORDER BY place) AS nth,
    row_number() OVER (PARTITION BY run, collective_id ORDER BY common_ns, place DESC) AS arrival,
    row_number() OVER (PARTITION BY run ORDER BY place, uid) AS appearance
  FROM collective_call
  WHERE type IN ('allreduce', 'reducescatter', 'allgather', 'alltoall')
  OR (is_simple AND type IS NULL)
),
met AS (
  SELECT run, collective_id, min(appearance) AS appearance,
    min(dur_ns) AS latency_ns, max(common_ns) - min(common_ns) AS skew_start_ns,
    sum(wait_ns) * 1.0 / count(*) AS mean_wait_ns,
    max(common_ns + dur_ns) - min(common_ns + dur_ns) AS skew_end_ns, count(*) AS ranks,
    max(CASE WHEN arrival = 1 THEN rank END) AS earliest,
    count(DISTINCT group_name) > 1 OR count(DISTINCT group_ranks) > 1 OR count(DISTINCT collective_name) > 1 OR count(DISTINCT group_size) > 1
      OR count(DISTINCT dtype) > 1 OR count(DISTINCT in_elements) > 1 OR count(DISTINCT out_elements) > 1 AS differs
  FROM part
  GROUP BY run, collective_id
)
SELECT
  part.run AS run, -- run
  part.collective_id AS collective_id, -- which collective
  met.appearance AS appearance, -- its place in the order of the first kernels
  part.group_name AS group_name, -- process group
  part.group_ranks AS group_ranks, -- ranks in it
  part.collective_name AS collective_name, -- which collective
  part.group_size AS group_size, -- ranks that take part
  part.dtype AS dtype, -- type of the elements
  part.in_elements AS in_elements, -- elements that go in
  part.out_elements AS out_elements, -- elements that come out
  part.in_mb AS in_mb, -- [MB] size of the input
  part.out_mb AS out_mb, -- [MB] size of the output
  CASE WHEN part.type IS NULL THEN NULL WHEN part.type = 'allgather' THEN part.out_mb ELSE part.in_mb END AS full_mb, -- [MB] size of the whole message
  met.latency_ns AS latency_ns, -- duration of the rank that came last
  met.skew_start_ns AS skew_start_ns, -- from the first start to the last one
  met.earliest AS earliest, -- rank that came first; of several the greatest
  met.mean_wait_ns AS mean_wait_ns, -- mean time that ranks waited for the last one
  met.skew_end_ns AS skew_end_ns, -- from the first end to the last one
  met.ranks AS ranks, -- ranks that are there
  met.differs AS differs, -- 1 when ranks say different things about it
  CASE WHEN part.type IS NULL THEN NULL WHEN part.type = 'allgather' THEN part.out_mb ELSE part.in_mb END / 1024.0 / nullif(met.latency_ns / 1e9, 0) AS algo_bw, -- [GB/s] size of the message over the duration
  CASE WHEN part.type IS NULL THEN NULL WHEN part.type = 'allgather' THEN part.out_mb ELSE part.in_mb END / 1024.0 / nullif(met.latency_ns / 1e9, 0)
    * CASE part.type WHEN 'allreduce' THEN 2 ELSE 1 END * (part.group_size - 1) / part.group_size AS bus_bw -- [GB/s] the same as traffic of each rank
FROM part
JOIN met ON met.run = part.run AND met.collective_id = part.collective_id
WHERE part.nth = 1;
