-- Collectives by kind and process group, the longest first: message sizes, share, and bus bandwidth
-- against the links of the device.
-- set: pytorch
-- question: communication
-- words: dominant collective, bus bandwidth, nvlink, message size, bucket size, which collective
-- position: 301
-- key: collective, process_group_name
-- measure: time_ms, calls
-- when: never
-- terminal: words, time_ms, percent, bus_gbps, link_percent, calls, link_gbps
-- wide: words
-- columns-of: coll_analysis
-- empty: no_work, no_collectives
CREATE VIEW comm_collectives AS
WITH one AS (
  SELECT kernel.run AS run, kernel.trace_id AS trace_id, kernel.dur_ns AS dur_ns, coalesce(arg(args.json, 'Collective name'), CASE WHEN name.text GLOB '*[Aa]ll[Rr]educe*' OR instr(name.text, 'cross_device_reduce') THEN 'allreduce' WHEN name.text GLOB '*[Aa]ll[Gg]ather*' THEN 'allgather'
      WHEN name.text GLOB '*[Rr]educe[Ss]catter*' THEN 'reduce_scatter' WHEN name.text GLOB '*[Bb]roadcast*' THEN 'broadcast' WHEN instr(name.text, 'SendRecv') THEN 'send and receive' ELSE kernel_short_name(name.text) END) AS collective,
    arg(args.json, 'Process Group Name') AS process_group_name, arg(args.json, 'Process Group Ranks') AS members, arg(args.json, 'Group size') AS group_size, nullif(max(coalesce(arg(args.json, 'In msg nelems'), 0), coalesce(arg(args.json, 'Out msg nelems'), 0)), 0) / 1048576.0
      * CASE WHEN arg(args.json, 'dtype') IN ('Double', 'Long') THEN 8 WHEN arg(args.json, 'dtype') IN ('Float', 'Int') THEN 4 WHEN arg(args.json, 'dtype') IN ('BFloat16', 'Half', 'Short') THEN 2 WHEN arg(args.json, 'dtype') IN ('Bool', 'Byte', 'Char') THEN 1 END AS mib
  FROM kernel_work AS kernel JOIN string AS name ON name.id = kernel.name_id LEFT JOIN args ON args.id = kernel.args_id
  WHERE kernel_class('timeline', (SELECT id FROM category WHERE name = 'kernel'), kernel.name_id) = 'communication'
),
-- Links are known where the device's name tells its module, and all ranks of the group are on one machine.
linked AS MATERIALIZED (
  SELECT known.trace_id AS trace_id, peer.mem_bw_gbps AS link_gbps, (SELECT count(*) FROM device WHERE device.trace_id = known.trace_id) AS devices
  FROM trace_device AS known JOIN device_model AS peer ON peer.device = known.device AND peer.kind = 'peer'
  WHERE EXISTS (SELECT 1 FROM device WHERE device.trace_id = known.trace_id AND device.name GLOB peer.name_pattern)
),
measured AS (
  SELECT one.run AS run, one.trace_id AS trace_id, dur_ns, collective, process_group_name, group_size, mib,
    mib * 1048576.0 * CASE WHEN collective LIKE '%all%reduce%' THEN 2.0 * (group_size - 1) / group_size WHEN collective LIKE '%gather%' OR collective LIKE '%scatter%' OR collective LIKE '%all%to%all%' THEN (group_size - 1.0) / group_size
      WHEN collective IN ('broadcast', 'reduce', 'send', 'recv') THEN 1 END / dur_ns AS bus_gbps,
    CASE WHEN (SELECT min(value) / devices = max(value) / devices FROM json_each(iif(json_valid(members), members, '[]'))) THEN link_gbps END AS link_gbps
  FROM one LEFT JOIN linked ON linked.trace_id = one.trace_id
)
SELECT
  run, trace_id, process_group_name, group_size,
  collective AS collective, -- [text] recorded name of the collective, else its kind by kernel name
  count(*) AS calls, -- [integer] number of kernels
  sum(dur_ns) / 1000000.0 AS time_ms, -- [ms] (lower) total kernel duration, waiting included
  sum(dur_ns) * 100.0 / nullif(sum(sum(dur_ns)) OVER (PARTITION BY run, trace_id), 0) AS percent, -- [%] share of the total duration of communication kernels
  sum(bus_gbps * dur_ns) / nullif(sum(dur_ns) FILTER (WHERE bus_gbps IS NOT NULL), 0) AS bus_gbps, -- [GB/s] (higher) bus bandwidth: bytes that each rank sends, by the kernel duration; a lower bound, as waiting is in it; NULL without message sizes
  max(link_gbps) AS link_gbps, -- [GB/s] bandwidth of the device to the others of its machine, each way; NULL where the group may span machines, or the device is not known
  sum(bus_gbps * dur_ns) * 100.0 / nullif(sum(dur_ns) FILTER (WHERE bus_gbps IS NOT NULL), 0) / max(link_gbps) AS link_percent, -- [%] (higher) bus bandwidth against the links, at least
  count(DISTINCT mib) AS sizes, -- [integer] number of message sizes: the larger of input and output; 0: not recorded
  collective || coalesce(', group ' || process_group_name, '') || coalesce(' of ' || group_size, '') || CASE count(DISTINCT mib) WHEN 0 THEN ', size not recorded: the PyTorch profiler from 2.1 on records it' WHEN 1 THEN ', 1 size: ' || size_words(max(mib) * 1048576) ELSE format(', %d sizes from %s to %s', count(DISTINCT mib), size_words(min(mib) * 1048576), size_words(max(mib) * 1048576)) END AS words -- [text] collective, group and its size, message sizes
FROM measured
GROUP BY run, trace_id, collective, process_group_name, group_size
ORDER BY run, trace_id, time_ms DESC, collective, process_group_name;
