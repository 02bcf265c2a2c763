-- Collectives in which the critical path changes rank, with the last rank and what its delay cost.
-- set: multirank
-- question: ranks
-- position: 183
-- unit: run
-- key: at_ms
-- measure: lead_us
-- when: never
-- terminal: at_ms, last_rank, lead_us, wait_us, name, op, on_path, ranks, group_name
-- empty: lacks_events, lacks_ranks, lacks_collectives
CREATE VIEW ranks_critical_path_hops AS
SELECT
  hop.run AS run, -- [text] run
  hop.at_ns / 1000000.0 AS at_ms, -- [ms] when the last rank came, from the start of what is selected
  name.text AS name, -- [kernel] its kernel
  arg(args.json, 'Process Group Name') AS group_name, -- [text] process group
  hop.ranks AS ranks, -- [integer] ranks that are there
  hop.rank AS last_rank, -- [integer] rank that came last
  hop.lead_ns / 1000.0 AS lead_us, -- [us] (lower) how long it alone let the others wait
  hop.wait_ns / 1000.0 AS wait_us, -- [us] (lower) how long all others waited, together
  hop.on_path AS on_path, -- [integer] 1 where the critical path goes through it
  coalesce(launcher.text, before.text) AS op -- [text] of those on the path what the last rank was with before: the op, or the event
FROM rank_hop AS hop
JOIN event ON event.id = hop.id
JOIN string AS name ON name.id = event.name_id
LEFT JOIN args ON args.id = event.args_id
LEFT JOIN gpu_event AS work ON work.id = hop.before_id
LEFT JOIN string AS launcher ON launcher.id = work.launcher_name_id
LEFT JOIN event AS other ON other.id = hop.before_id
LEFT JOIN string AS before ON before.id = other.name_id
ORDER BY hop.run, hop.at_ns, hop.id;
