-- GPU time by nn.Module, submodules included. The backward pass runs outside of modules: row
-- (outside modules). Graph nodes are work of the module that captured them, where it is known.
-- set: pytorch
-- question: ops first
-- words: expensive, slowest, layers
-- position: 200
-- level: module
-- key: module, source
-- drop-empty: source
-- measure: own_time_ms, calls
-- work: GPU time of modules
-- when: never
-- frames: yes
-- chart: bar module own_time_ms
-- terminal: module, gpu_time_ms, gpu_percent, own_time_ms, calls, class, gpu_time_per_call_us, own_percent, inner_time_ms, host_time_ms, parent_module, source
-- empty: no_work, no_frames
CREATE VIEW nn_module_time AS
WITH RECURSIVE replayed AS MATERIALIZED (
  SELECT run, trace_id, id, call_id, module, source, ts_ns, dur_ns FROM graph_replayed WHERE module IS NOT NULL
),
-- the module call around each graph launch; 0: none
up(call_id, id) AS (
  SELECT call_id, call_id FROM replayed GROUP BY call_id
  UNION ALL
  SELECT up.call_id, event.parent_id FROM up CROSS JOIN event ON event.id = up.id WHERE event.parent_id IS NOT NULL
),
holder AS MATERIALIZED (
  SELECT up.call_id AS call_id, coalesce(max(event.id) FILTER (WHERE string.text LIKE 'nn.Module: %' AND event.category_id IN (SELECT id FROM category WHERE role = 'frame')), 0) AS id
  FROM up
  CROSS JOIN event ON event.id = up.id
  CROSS JOIN string ON string.id = event.name_id
  GROUP BY up.call_id
),
reach AS (
  SELECT DISTINCT replayed.trace_id AS trace_id, holder.id AS holder_id, scope.first_event AS first_event, scope.last_event AS last_event
  FROM replayed
  JOIN holder ON holder.call_id = replayed.call_id
  CROSS JOIN scope ON scope.trace_id = replayed.trace_id
),
ended AS (
  SELECT reach.trace_id AS trace_id, reach.holder_id AS holder_id, max(reach.first_event, coalesce(event.id, reach.first_event)) AS first_event,
    min(reach.last_event, coalesce(event.last_id, reach.last_event)) AS last_event
  FROM reach
  LEFT JOIN event ON event.id = reach.holder_id
),
held AS MATERIALIZED (SELECT replayed.id AS id, holder.id AS holder_id FROM replayed JOIN holder ON holder.call_id = replayed.call_id),
-- what the module around a launch loses to modules of graph nodes, and what all work covers
lost AS MATERIALIZED (
  SELECT ended.trace_id AS trace_id, ended.holder_id AS holder_id, interval_union_ns(work.ts_ns, work.dur_ns) AS all_ns,
    coalesce(interval_union_ns(work.ts_ns, work.dur_ns) FILTER (WHERE (work.id, ended.holder_id) NOT IN (SELECT id, holder_id FROM held)), 0) AS rest_ns
  FROM ended
  CROSS JOIN gpu_event AS work ON work.id BETWEEN ended.first_event AND ended.last_event
  GROUP BY ended.trace_id, ended.holder_id
),
called AS (
  SELECT run, trace_id, id, name_id, parent_name_id, ts_ns, dur_ns, is_repeated, below_ns, inside_ns FROM module_work
  UNION ALL
  SELECT run, trace_id, NULL, NULL, NULL, NULL, NULL, 0, all_ns, 0 FROM (SELECT DISTINCT run, trace_id FROM replayed) JOIN lost USING (trace_id)
  WHERE holder_id = 0 AND trace_id NOT IN (SELECT trace_id FROM module_work)
),
grouped AS (
  SELECT called.run AS run, called.trace_id AS trace_id, called.name_id AS name_id, called.id IS NULL AS is_outside,
    value_at_least(called.parent_name_id, called.ts_ns) AS parent_name_id,
    count(called.id) AS calls, min(called.ts_ns) AS first_ns,
    sum(called.below_ns) FILTER (WHERE NOT called.is_repeated) AS below_ns,
    sum(called.below_ns - called.inside_ns - coalesce(lost.all_ns - lost.rest_ns, 0)) AS own_ns,
    sum(called.dur_ns) FILTER (WHERE NOT called.is_repeated) AS host_ns
  FROM called
  LEFT JOIN lost ON lost.trace_id = called.trace_id AND lost.holder_id = coalesce(called.id, 0)
  GROUP BY called.run, called.trace_id, called.name_id, called.id IS NULL
),
-- a module of a graph is in itself and in all modules whose name it begins with
around(run, trace_id, source, module, name) AS (
  SELECT run, trace_id, source, module, module FROM replayed GROUP BY run, trace_id, source, module
  UNION ALL
  SELECT run, trace_id, source, module, rtrim(rtrim(name, replace(name, '.', '')), '.') FROM around WHERE instr(ltrim(name, '.'), '.') > 0
),
captured AS (
  SELECT around.run AS run, around.trace_id AS trace_id, around.source AS source, around.name AS module, count(DISTINCT replayed.call_id) AS calls, min(replayed.ts_ns) AS first_ns,
    interval_union_ns(replayed.ts_ns, replayed.dur_ns) AS below_ns,
    interval_union_ns(replayed.ts_ns, replayed.dur_ns) - coalesce(interval_union_ns(replayed.ts_ns, replayed.dur_ns) FILTER (WHERE replayed.module <> around.name), 0) AS own_ns
  FROM around
  JOIN replayed ON replayed.trace_id = around.trace_id AND replayed.module = around.module AND replayed.source = around.source
  GROUP BY around.run, around.trace_id, around.source, around.name
),
named AS (
  SELECT grouped.run AS run, grouped.trace_id AS trace_id, grouped.is_outside AS is_outside, CASE WHEN grouped.is_outside THEN '(outside modules)' ELSE substr(name.text, 12) END AS module,
    CASE WHEN name.text REGEXP '_[0-9]+$' THEN rtrim(rtrim(substr(name.text, 12), '0123456789'), '_') ELSE substr(name.text, 12) END AS class,
    substr(parent.text, 12) AS parent_module, NULL AS source, grouped.calls AS calls, grouped.first_ns AS first_ns, grouped.below_ns AS below_ns, grouped.own_ns AS own_ns, grouped.host_ns AS host_ns
  FROM grouped
  LEFT JOIN string AS name ON name.id = grouped.name_id
  LEFT JOIN string AS parent ON parent.id = grouped.parent_name_id
  UNION ALL
  SELECT run, trace_id, 0, module, NULL, nullif(rtrim(rtrim(module, replace(module, '.', '')), '.'), ''), source, calls, first_ns, below_ns, own_ns, NULL FROM captured
),
total AS (
  SELECT run, trace_id, is_outside, module, class, parent_module, source, calls, first_ns, below_ns, own_ns, host_ns,
    max(below_ns) FILTER (WHERE is_outside) OVER (PARTITION BY run, trace_id) AS total_ns
  FROM named
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  module AS module, -- [text] module: class, and number within the class; of graph nodes the qualified name
  class AS class, -- [text] class of the module
  parent_module AS parent_module, -- [text] module around the first call
  source AS source, -- [text] source of modules that graph nodes replay: file (annotations) or kernel (its own arguments); empty for called modules
  calls AS calls, -- [integer] number of calls of the module
  CASE WHEN is_outside THEN own_ns ELSE below_ns END / 1000000.0 AS gpu_time_ms, -- [ms] GPU busy time below the calls of the module
  CASE WHEN is_outside THEN 0 ELSE below_ns - own_ns END / 1000000.0 AS inner_time_ms, -- [ms] GPU busy time below submodules
  own_ns / 1000000.0 AS own_time_ms, -- [ms] (lower) GPU busy time of the module without its submodules
  CASE WHEN NOT is_outside THEN below_ns / 1000.0 / nullif(calls, 0) END AS gpu_time_per_call_us, -- [us] GPU busy time per call of the module
  CASE WHEN is_outside THEN own_ns ELSE below_ns END * 100.0 / nullif(total_ns, 0) AS gpu_percent, -- [%] GPU busy time of the module, as a share of the busy time of all GPU activities
  own_ns * 100.0 / nullif(total_ns, 0) AS own_percent, -- [%] GPU busy time without submodules, as a share of the busy time of all GPU activities
  host_ns / 1000000.0 AS host_time_ms -- [ms] CPU time of the calls of the module
FROM total
ORDER BY run, trace_id, own_ns DESC, first_ns, module, source;
