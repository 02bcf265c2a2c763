-- Collectives in which the critical path changes rank, with the last rank and what its delay cost.
-- set: multirank
-- question: ranks
-- position: 183
-- unit: run
-- key: at_ms
-- measure: lead_us
-- when: never
-- terminal: at_ms, last_rank, lead_us, wait_us, name, op, on_path, ranks, group_name
-- empty: no_events, no_ranks, no_collectives
CREATE VIEW ranks_critical_path_hops AS
SELECT
  hop.run AS run, -- [text] name of the run
  hop.at_ns / 1000000.0 AS at_ms, -- [ms] start of the last rank, from the start of the selection
  name.text AS name, -- [kernel] name of the collective kernel
  arg(args.json, 'Process Group Name') AS group_name, -- [text] name of the process group
  hop.ranks AS ranks, -- [integer] number of ranks with a recorded kernel
  hop.rank AS last_rank, -- [integer] rank that started last
  hop.lead_ns / 1000.0 AS lead_us, -- [us] (lower) time that the last rank alone held up the others
  hop.wait_ns / 1000.0 AS wait_us, -- [us] (lower) total wait of all other ranks
  hop.on_path AS on_path, -- [integer] 1 where the critical path passes the collective
  coalesce(launcher.text, before.text) AS op -- [text] op or event of the last rank before the collective; only of collectives on the path
FROM rank_hop AS hop
JOIN event ON event.id = hop.id
JOIN string AS name ON name.id = event.name_id
LEFT JOIN args ON args.id = event.args_id
LEFT JOIN gpu_event AS work ON work.id = hop.before_id
LEFT JOIN string AS launcher ON launcher.id = work.launcher_name_id
LEFT JOIN event AS other ON other.id = hop.before_id
LEFT JOIN string AS before ON before.id = other.name_id
ORDER BY hop.run, hop.at_ns, hop.id;
