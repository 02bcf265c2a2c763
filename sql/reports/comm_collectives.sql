-- Collectives by kind and process group, the longest first: a sentence with message sizes and share.
-- set: pytorch
-- question: communication
-- words: dominant collective, message size, bucket size, which collective
-- position: 301
-- key: collective, process_group_name
-- measure: time_ms, calls
-- when: never
-- terminal: words, time_ms, calls, percent, sizes
-- columns-of: coll_analysis
-- empty: no_work, no_collectives
CREATE VIEW comm_collectives AS
WITH one AS (
  SELECT kernel.run AS run, kernel.trace_id AS trace_id, kernel.dur_ns AS dur_ns, coalesce(arg(args.json, 'Collective name'), CASE WHEN name.text GLOB '*[Aa]ll[Rr]educe*' OR instr(name.text, 'cross_device_reduce') THEN 'allreduce' WHEN name.text GLOB '*[Aa]ll[Gg]ather*' THEN 'allgather'
      WHEN name.text GLOB '*[Rr]educe[Ss]catter*' THEN 'reduce_scatter' WHEN name.text GLOB '*[Bb]roadcast*' THEN 'broadcast' WHEN instr(name.text, 'SendRecv') THEN 'send and receive' ELSE kernel_short_name(name.text) END) AS collective,
    arg(args.json, 'Process Group Name') AS process_group_name, arg(args.json, 'Group size') AS group_size, nullif(max(coalesce(arg(args.json, 'In msg nelems'), 0), coalesce(arg(args.json, 'Out msg nelems'), 0)), 0) / 1048576.0
      * CASE WHEN arg(args.json, 'dtype') IN ('Double', 'Long') THEN 8 WHEN arg(args.json, 'dtype') IN ('Float', 'Int') THEN 4 WHEN arg(args.json, 'dtype') IN ('BFloat16', 'Half', 'Short') THEN 2 WHEN arg(args.json, 'dtype') IN ('Bool', 'Byte', 'Char') THEN 1 END AS mib
  FROM kernel_work AS kernel JOIN string AS name ON name.id = kernel.name_id LEFT JOIN args ON args.id = kernel.args_id
  WHERE kernel_class('timeline', (SELECT id FROM category WHERE name = 'kernel'), kernel.name_id) = 'communication'
)
SELECT
  run, trace_id, process_group_name, group_size,
  collective AS collective, -- [text] recorded name of the collective, else its kind by kernel name
  count(*) AS calls, -- [integer] number of kernels
  sum(dur_ns) / 1000000.0 AS time_ms, -- [ms] (lower) total kernel duration, waiting included
  sum(dur_ns) * 100.0 / nullif(sum(sum(dur_ns)) OVER (PARTITION BY run, trace_id), 0) AS percent, -- [%] share of the total duration of communication kernels
  count(DISTINCT mib) AS sizes, -- [integer] number of message sizes: the larger of input and output; 0: not recorded
  collective || coalesce(', group ' || process_group_name, '') || coalesce(' of ' || group_size, '') || CASE count(DISTINCT mib) WHEN 0 THEN ', size not recorded: the PyTorch profiler from 2.1 on records it' WHEN 1 THEN format(', 1 size: %.1f MiB', max(mib)) ELSE format(', %d sizes from %.1f to %.1f MiB', count(DISTINCT mib), min(mib), max(mib)) END
    || format('; %.1f %% of communication', sum(dur_ns) * 100.0 / nullif(sum(sum(dur_ns)) OVER (PARTITION BY run, trace_id), 0)) AS words -- [text] collective, group and its size, message sizes, share
FROM one
GROUP BY run, trace_id, collective, process_group_name, group_size
ORDER BY run, trace_id, time_ms DESC, collective, process_group_name;
