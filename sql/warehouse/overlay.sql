-- make_edges: Links are added to those of the traces; one that is there already is none.
CREATE TEMP VIEW edge AS
SELECT from_id, to_id, kind, trace_id FROM main.edge
UNION ALL SELECT from_id, to_id, kind, (SELECT trace_id FROM main.event WHERE id = from_id)
FROM added_edge; CREATE TEMP TRIGGER tpq_edge_instead INSTEAD OF INSERT ON temp.edge BEGIN
SELECT tpq_set('extension-row', CAST(NEW.from_id AS TEXT));
INSERT INTO added_edge (from_id, to_id, kind, source)
SELECT NEW.from_id, NEW.to_id, NEW.kind, tpq_option('extension-place')
WHERE NOT EXISTS (SELECT 1 FROM edge WHERE from_id = NEW.from_id AND to_id = NEW.to_id AND kind = NEW.kind); END;

-- check_added: Wrong rows whose source begins with ?1: place, name, words. The first one counts.
SELECT later.source, later.op, 'stands twice, first at ' || earlier.source
FROM perf_model AS later
JOIN perf_model AS earlier ON earlier.op = later.op AND earlier.match = later.match AND earlier.priority = later.priority AND
  earlier.rowid < later.rowid AND (earlier.profile = later.profile OR 'both' IN (earlier.profile, later.profile))
WHERE instr(later.source, ?1) = 1 AND instr(earlier.source, ?1) = 1
UNION ALL SELECT source, name, 'there is no event ' || event
FROM pseudo_op
WHERE instr(source, ?1) = 1 AND event NOT IN (SELECT id FROM event WHERE id = pseudo_op.event)
UNION ALL SELECT source, name, 'there is no event ' || donor || ' to take arguments from'
FROM pseudo_op
WHERE instr(source, ?1) = 1 AND donor IS NOT NULL AND donor NOT IN (SELECT id FROM event WHERE id = pseudo_op.donor)
UNION ALL SELECT source, name, 'event ' || pseudo_op.event || ' launches nothing'
FROM pseudo_op
WHERE instr(source, ?1) = 1 AND place = 'inject' AND
  NOT EXISTS (
    SELECT 1
    FROM event JOIN category ON category.id = event.category_id LEFT JOIN gpu_event ON gpu_event.id = event.id
    WHERE event.id = pseudo_op.event AND (category.role = 'call' OR gpu_event.call_id IS NOT NULL))
UNION ALL SELECT source, name, 'nothing is below event ' || pseudo_op.event
FROM pseudo_op
WHERE instr(source, ?1) = 1 AND place = 'wrap' AND
  EXISTS (SELECT 1 FROM event WHERE event.id = pseudo_op.event AND event.below = 0)
UNION ALL SELECT source, coalesce(name, event), 'there is no event ' || event
FROM op_override
WHERE instr(source, ?1) = 1 AND event NOT IN (SELECT id FROM event WHERE id = op_override.event)
UNION ALL SELECT source, from_id, 'there are no two events ' || from_id || ' and ' || to_id || ' of one trace to link'
FROM added_edge
WHERE instr(source, ?1) = 1 AND
  NOT EXISTS (
    SELECT 1
    FROM event AS first JOIN event AS second ON second.trace_id = first.trace_id
    WHERE first.id = from_id AND second.id = to_id) LIMIT 1;

-- make_calls: Calls of ops that extension files add or change, pseudo ops and overridden events, with their
-- arguments.
CREATE TEMP TABLE string AS
SELECT id, text
FROM main.string; CREATE UNIQUE INDEX temp.string_by_id ON string (id); CREATE UNIQUE INDEX temp.string_by_text ON string (text);
  CREATE TEMP TABLE op AS
SELECT id, name_id, dims_id, types_id, strides_id, concrete_id
FROM main.op; CREATE UNIQUE INDEX temp.op_by_id ON op (id); CREATE INDEX temp.op_by_words ON op (name_id, dims_id, types_id);
  CREATE TEMP TABLE said_call AS
SELECT said.place AS place, target.id AS target, target.last_id AS last_id, coalesce(said.name, own.text) AS name,
  coalesce(json_extract(said.args, '$.dims'), dims.text) AS dims,
  coalesce(json_extract(said.args, '$.types'), types.text) AS types,
  coalesce(json_extract(said.args, '$.strides'), strides.text) AS strides,
  coalesce(json_extract(said.args, '$.concrete'), concrete.text) AS concrete,
  json_remove(json_patch(coalesce(args.json, '{}'), coalesce(said.args, '{}')), '$.dims', '$.types', '$.strides', '$.concrete') AS
    args
FROM (
  SELECT place, name, event, donor, args FROM pseudo_op UNION ALL SELECT 'instead', name, event, event, args FROM op_override)
  AS said
JOIN main.event AS named ON named.id = said.event LEFT JOIN main.gpu_event ON gpu_event.id = named.id AND said.place = 'inject'
JOIN main.event AS target ON target.id = coalesce(gpu_event.call_id, named.id) JOIN main.string AS own ON own.id = target.name_id
LEFT JOIN main.event AS donor ON donor.id = said.donor LEFT JOIN main.op AS given ON given.id = donor.op_id
LEFT JOIN main.string AS dims ON dims.id = given.dims_id LEFT JOIN main.string AS types ON types.id = given.types_id
LEFT JOIN main.string AS strides ON strides.id = given.strides_id
LEFT JOIN main.string AS concrete ON concrete.id = given.concrete_id LEFT JOIN main.args ON args.id = donor.args_id;

-- number_calls: New texts, signatures and lists of arguments stand in front of those of the file, with
-- numbers below zero.
INSERT INTO string (id, text)
SELECT -row_number() OVER (ORDER BY text), text
FROM (
  SELECT name AS text FROM said_call
  UNION SELECT dims FROM said_call
  UNION SELECT types FROM said_call
  UNION SELECT strides FROM said_call
  UNION SELECT concrete FROM said_call)
WHERE text IS NOT NULL AND text NOT IN (SELECT text FROM main.string); CREATE TEMP TABLE said_words AS
SELECT place, target, last_id, name, name.id AS name_id, dims.id AS dims_id, types.id AS types_id, strides.id AS strides_id,
  concrete.id AS concrete_id, args
FROM said_call JOIN string AS name ON name.text = name LEFT JOIN string AS dims ON dims.text = dims
LEFT JOIN string AS types ON types.text = types LEFT JOIN string AS strides ON strides.text = strides
LEFT JOIN string AS concrete ON concrete.text = concrete;
INSERT INTO op
SELECT -row_number() OVER (ORDER BY name_id, dims_id, types_id, strides_id, concrete_id), name_id, dims_id, types_id, strides_id,
  concrete_id
FROM (
  SELECT name_id, dims_id, types_id, strides_id, concrete_id FROM said_words EXCEPT
  SELECT name_id, dims_id, types_id, strides_id, concrete_id FROM main.op);
INSERT INTO said_args (id, json)
SELECT -row_number() OVER (ORDER BY args), args FROM (SELECT DISTINCT args FROM said_words); CREATE TEMP TABLE said AS
SELECT place, target, last_id, name, said_words.name_id AS name_id, op.id AS op_id, said_args.id AS args_id
FROM said_words JOIN said_args ON said_args.json = said_words.args
JOIN op ON op.name_id = said_words.name_id AND op.dims_id IS said_words.dims_id AND op.types_id IS said_words.types_id AND
  op.strides_id IS said_words.strides_id AND op.concrete_id IS said_words.concrete_id;
INSERT INTO pseudo_event (id, place, first_id, last_id, name_id, op_id, args_id)
SELECT row_number() OVER (ORDER BY target, place, name), place, CASE place WHEN 'wrap' THEN target + 1 ELSE target END, last_id,
  name_id, op_id, args_id
FROM said
WHERE place <> 'instead'; CREATE TEMP TABLE said_event (id INTEGER PRIMARY KEY, name_id, op_id, args_id);
INSERT INTO said_event
SELECT target, said.name_id,
  CASE
    WHEN own.op_id IS NOT NULL OR coalesce(op.dims_id, op.types_id, op.strides_id, op.concrete_id) IS NOT NULL THEN said.op_id
      END, CASE WHEN said_args.json <> '{}' THEN said.args_id END
FROM said JOIN main.event AS own ON own.id = target JOIN op ON op.id = said.op_id JOIN said_args ON said_args.id = said.args_id
WHERE place = 'instead'; DROP TABLE said; DROP TABLE said_words; DROP TABLE said_call;

-- take_categories: A model gives its op a category, too, unless somebody else says which it is.
INSERT INTO op_category (op, category, is_prefix)
SELECT op, min(category), match = 'prefix'
FROM perf_model
WHERE source NOT IN ('tpq', 'user') AND category IS NOT NULL AND match IN ('exact', 'prefix') AND
  op NOT IN ( SELECT op FROM op_category WHERE source <> 'tpq')
GROUP BY op; UPDATE op_category SET source = (
  SELECT min(source) FROM perf_model WHERE perf_model.op = op_category.op AND source <> 'tpq')
WHERE source = ':0';

-- find_launchers: A pseudo op around events that is nearer than the op that launched work is its launcher. It
-- has the id of the event, which launches nothing itself then. An op around a launch is none: the op that
-- launched stays.
CREATE TEMP TABLE pseudo_launch (id INTEGER PRIMARY KEY, launcher_id, name_id, op_id);
INSERT INTO pseudo_launch
SELECT gpu_event.id, CASE place WHEN 'wrap' THEN first_id - 1 ELSE first_id END, pseudo.name_id, pseudo.op_id
FROM pseudo_event AS pseudo JOIN main.gpu_event AS gpu_event ON gpu_event.id BETWEEN pseudo.first_id AND pseudo.last_id
WHERE pseudo.place <> 'inject' AND gpu_event.call_id IS NOT NULL AND coalesce(gpu_event.cpu_op_id, 0) < pseudo.first_id
ORDER BY pseudo.first_id, pseudo.last_id DESC, pseudo.place DESC
ON CONFLICT DO UPDATE SET launcher_id = excluded.launcher_id, name_id = excluded.name_id, op_id = excluded.op_id;

-- make_launchers: Work and launchers with what files say of them.
CREATE TEMP VIEW gpu_event AS
SELECT work.id, work.trace_id, work.category_id,
  coalesce((SELECT name_id FROM said_event WHERE said_event.id = work.id), work.name_id) AS name_id, work.track_id, work.device,
  work.stream, work.ts_ns, work.dur_ns, work.bytes, work.correlation, work.external_id, work.args_id, work.call_id,
  work.cpu_op_id, coalesce(launch.launcher_id, work.launcher_id) AS launcher_id,
  coalesce(launch.name_id, (SELECT name_id FROM said_event WHERE said_event.id = work.launcher_id), work.launcher_name_id) AS
    launcher_name_id,
  coalesce(launch.op_id, (SELECT op_id FROM said_event WHERE said_event.id = work.launcher_id), work.launcher_op_id) AS
    launcher_op_id, coalesce(around.track_id, work.launcher_track_id) AS launcher_track_id,
  coalesce(around.ts_ns, work.launcher_ts_ns) AS launcher_ts_ns, coalesce(around.below, work.launcher_below) AS launcher_below,
  CASE WHEN launch.id IS NULL THEN work.nested_call END AS nested_call, work.uid, work.link_id
FROM main.gpu_event AS work LEFT JOIN pseudo_launch AS launch ON launch.id = work.id
LEFT JOIN main.event AS around ON around.id = launch.launcher_id;

-- change_events: Events with the names, ops and arguments that extension files give them.
CREATE TEMP VIEW event AS
SELECT own.id AS id, trace_id, category_id,
  coalesce((SELECT name_id FROM said_event WHERE said_event.id = own.id), own.name_id) AS name_id, track_id, ts_ns, dur_ns, up,
  below, child_ns, coalesce((SELECT op_id FROM said_event WHERE said_event.id = own.id), own.op_id) AS op_id,
  coalesce((SELECT args_id FROM said_event WHERE said_event.id = own.id), own.args_id) AS args_id, correlation, uid, parent_id,
  last_id, self_ns
FROM main.event AS own; CREATE TEMP VIEW args AS
SELECT id, json FROM main.args
UNION ALL SELECT id, json FROM said_args;
