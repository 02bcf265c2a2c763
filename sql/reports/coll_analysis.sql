-- Collectives by process group, kind and size, as one rank recorded them.
-- set: pytorch
-- question: communication first
-- words: communication, nccl, rccl, allreduce, bandwidth
-- position: 90
-- level: collective
-- key: collective_name, dtype, in_msg_nelems, out_msg_nelems, in_split_size, out_split_size, group_size, process_group_name
-- within: rank, process_group_ranks, stream
-- measure: dur_sum, operation_count
-- when: not disable-coll-analysis
-- terminal: collective_name, dur_sum, operation_count, dur_mean, in_msg_size, dtype, group_size, process_group_name, rank, dur_max, dur_min, stream, out_msg_size, process_group_ranks, in_msg_nelems
-- not-included: not_included_in_collectives
-- empty: no_work, no_collectives, no_ops
CREATE VIEW coll_analysis AS
WITH collective AS MATERIALIZED (
  SELECT DISTINCT run, trace_id, name_id FROM work_class WHERE class = 'communication'
),
stated AS MATERIALIZED (
  SELECT kernel.run AS run, kernel.trace_id AS trace_id, kernel.dur_ns AS dur_ns, kernel.stream AS stream,
    arg(args.json, 'Process Group Name') AS group_name,
    arg(args.json, 'Process Group Ranks') AS group_ranks,
    coalesce(arg(args.json, 'Collective name'), CASE WHEN instr(string.text, 'cross_device_reduce') > 0 THEN 'allreduce' END) AS collective_name,
    arg(args.json, 'Group size') AS group_size,
    arg(args.json, 'dtype') AS dtype,
    arg(args.json, 'In msg nelems') AS in_elements,
    arg(args.json, 'Out msg nelems') AS out_elements,
    arg(args.json, 'In split size') AS in_split,
    arg(args.json, 'Out split size') AS out_split
  FROM kernel_work AS kernel
  JOIN collective ON collective.run = kernel.run AND collective.trace_id = kernel.trace_id AND collective.name_id = kernel.name_id
  JOIN string ON string.id = kernel.name_id
  LEFT JOIN args ON args.id = kernel.args_id
  WHERE kernel.trace_id IN (SELECT trace_id FROM trace_with_ops)
),
known AS (
  SELECT run, trace_id, max(group_name IS NOT NULL) AS has_names, count(DISTINCT stream) AS streams FROM stated GROUP BY run, trace_id
),
sized AS (
  SELECT stated.run AS run, stated.trace_id AS trace_id, dur_ns, stream, group_ranks, collective_name, group_size, dtype,
    in_elements, out_elements, in_split, out_split,
    CASE WHEN (SELECT tpq_like_reference('coll_analysis: rank')) THEN 0 ELSE coalesce(trace.rank, 0) END AS rank,
    coalesce(group_name, CASE WHEN NOT known.has_names AND known.streams <= 1 THEN 'all' ELSE 'Unknown_Group' END) AS shown_group,
    CASE dtype WHEN 'Float' THEN 4 WHEN 'Int' THEN 4 WHEN 'Long' THEN 8 WHEN 'BFloat16' THEN 2 WHEN 'Bool' THEN 1
      WHEN 'Byte' THEN 1 WHEN 'Double' THEN 8 WHEN 'Half' THEN 2 WHEN 'Short' THEN 2 END AS element_bytes
  FROM stated
  JOIN known ON known.run = stated.run AND known.trace_id = stated.trace_id
  JOIN trace ON trace.id = stated.trace_id
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  rank AS rank, -- [integer] rank of the trace
  shown_group AS process_group_name, -- "Process Group Name" [text] name of the process group
  group_ranks AS process_group_ranks, -- "Process Group Ranks" [array] list of the ranks in the process group
  collective_name AS collective_name, -- "Collective name" [text] name of the collective
  group_size AS group_size, -- "Group size" [integer] number of ranks that take part in the collective
  dtype AS dtype, -- [text] dtype of the elements
  in_elements AS in_msg_nelems, -- "In msg nelems" [integer] number of input elements of the collective
  out_elements AS out_msg_nelems, -- "Out msg nelems" [integer] number of output elements of the collective
  in_split AS in_split_size, -- "In split size" [array] split sizes of the input
  out_split AS out_split_size, -- "Out split size" [array] split sizes of the output
  stream AS stream, -- [integer] number of the stream
  min(in_elements * element_bytes / 1048576.0) AS in_msg_size, -- "In msg size (MB)_first" [MB] input size of the collective
  min(out_elements * element_bytes / 1048576.0) AS out_msg_size, -- "Out msg size (MB)_first" [MB] output size of the collective
  sum(dur_ns) / 1000.0 AS dur_sum, -- [us] (lower) total duration of the collectives of the row
  avg(dur_ns) / 1000.0 AS dur_mean, -- [us] mean duration of the collective
  stddev_samp(dur_ns) / 1000.0 AS dur_std, -- [us] standard deviation of the collective's duration
  min(dur_ns) / 1000.0 AS dur_min, -- [us] minimum duration of the collective
  max(dur_ns) / 1000.0 AS dur_max, -- [us] maximum duration of the collective
  count(*) AS operation_count -- [integer] number of collectives of the row
FROM sized
WHERE NOT (SELECT tpq_like_reference('coll_analysis: rows with empty keys')) OR NOT (group_ranks IS NULL OR collective_name IS NULL OR group_size IS NULL
  OR dtype IS NULL OR in_elements IS NULL OR out_elements IS NULL OR in_split IS NULL OR out_split IS NULL OR stream IS NULL)
GROUP BY run, trace_id, rank, shown_group, group_ranks, collective_name, group_size, dtype, in_elements, out_elements, in_split, out_split, stream
ORDER BY run, trace_id, sum(dur_ns) DESC, shown_group, collective_name, in_elements;
