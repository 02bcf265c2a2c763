/* overlay: Triggers give rows their source and let later files win. Then ops, calls and launchers
 * of pseudo ops are made. */
#include "sql/warehouse/overlay.h"

#include "sql/database.h"
#include "sql/warehouse/schema.h"
#include "src/base/text.h"

#include <string.h>

/* Keys of each table: a later file's row takes the place of an earlier one's with the same key.
 * Without a key rows stand beside each other, and which one holds is asked later. */
static const struct subject {
    const char *table, *name, *key, *second, *third; /* its name in errors; columns of the key */
    const char *changes; /* columns whose change makes a row the file's */
} subjects[] = {
    {"op_category", "op", "op", NULL, NULL, "category, is_prefix"},
    {"op_group", "op", "purpose", "op", NULL, "op_group, place, is_prefix"},
    {"tt_category", "op", "op", NULL, NULL, "category, is_newer"},
    {"perf_family", "family", "family", NULL, NULL, "params, flops, bytes, flops_bwd, bytes_bwd"},
    {"device_model", "device", "device", "kind", NULL,
     "name_pattern, mem_bw_gbps, memory_gb, cores, origin"},
    {"device_peak", "device", "device", "kind", "spec", "tflops, origin"},
    {"pseudo_op", "name", "event", "place", "name", "donor, args"},
    {"op_override", "event", "event", NULL, NULL, "name, args"},
    {"ext_sheet", "name", "name", NULL, NULL, "sql, position"},
    {"ext_note", "text", "text", NULL, NULL, "text"},
    {"perf_model", "op", NULL, NULL, NULL,
     "op, match, priority, profile, family, params, shown, flops, bytes, flops_bwd, bytes_bwd, "
     "valid, category, bwd_category, sheet, precision, ceiling"},
    {"advice_rule", "rule", "rule", NULL, NULL,
     "position, threshold, unit, level, needs, title, action, report, "
     "is_symptom, saving_kind, doc, measure"},
    {"advice_tie", "rule", "rule", NULL, NULL,
     "covered_by, covered_percent, path_kind, headline, lever_first"},
    {"advice_name", "pattern", "mark", "subject", "pattern", "mark, subject, pattern"},
    {"host_lever", "pattern", "pattern", NULL, NULL, "position, lever"},
    {"roofline_lever", "lever", "position", NULL, NULL, "sheet, feature, least, most, lever"},
    {"health_check", "\"check\"", "\"check\"", NULL, NULL, "warning_count, warning_share"},
    {"kernel_category", "pattern", NULL, NULL, NULL,
     "purpose, priority, kind, pattern, category, reason"},
};

enum { SUBJECT_COUNT = sizeof subjects / sizeof *subjects };

static bool run(struct warehouse *warehouse, const char *sql, struct error *error)
{
    return database_run(warehouse->db, sql) == SQLITE_OK ||
           database_error(warehouse->db, "extensions", error);
}

static void add_key(const struct subject *subject, const char *prefix, struct text *sql)
{
    const char *const columns[] = {subject->key, subject->second, subject->third};
    for (int i = 0; i < 3 && columns[i]; i++)
        text_format(sql, "%s%s = %s.%s", i ? " AND " : "", columns[i], prefix, columns[i]);
}

static bool has_temporary(struct warehouse *warehouse, const char *name, int64_t *found,
                          struct error *error)
{
    return warehouse_ask_about(warehouse, "SELECT count(*) FROM temp.sqlite_schema WHERE name = ?1",
                               name, found, error);
}

/* Links are added to those of the traces; one that is there already is none. */
static const char make_edges[] =
    "CREATE TEMP VIEW edge AS SELECT from_id, to_id, kind, trace_id FROM main.edge "
    "UNION ALL SELECT from_id, to_id, kind, "
    "(SELECT trace_id FROM main.event WHERE id = from_id) FROM added_edge;"
    "CREATE TEMP TRIGGER tpq_edge_instead INSTEAD OF INSERT ON temp.edge BEGIN "
    "SELECT tpq_set('extension-row', CAST(NEW.from_id AS TEXT));"
    "INSERT INTO added_edge (from_id, to_id, kind, source) "
    "SELECT NEW.from_id, NEW.to_id, NEW.kind, tpq_option('extension-place') WHERE NOT EXISTS ("
    "SELECT 1 FROM edge WHERE from_id = NEW.from_id AND to_id = NEW.to_id AND kind = NEW.kind); "
    "END;";

bool overlay_open(struct warehouse *warehouse, struct error *error)
{
    int64_t is_open = 0, is_made = 0; /* the catalog may be this connection's already */
    if (!has_temporary(warehouse, "pseudo_op", &is_open, error) || is_open)
        return is_open != 0;
    if (!has_temporary(warehouse, "perf_model", &is_made, error) ||
        (!is_made && !views_make_tables(warehouse->db, tables_catalog, "", error)) ||
        !views_make_tables(warehouse->db, "overlay/", NULL, error))
        return false;
    bool done = true;
    for (int i = 0; i < SUBJECT_COUNT && done; i++) {
        /* Rows get the place that they come from, whatever they say themselves. */
        const struct subject *subject = &subjects[i];
        const char *table = subject->table;
        struct text sql = {0};
        text_format(&sql,
                    "CREATE TEMP TRIGGER tpq_%s_before BEFORE INSERT ON temp.%s BEGIN "
                    "SELECT tpq_set('extension-row', NEW.%s);",
                    table, table, subject->name);
        if (subject->key) {
            text_format(&sql, "DELETE FROM %s WHERE ", table);
            add_key(subject, "NEW", &sql);
            text_add_string(&sql, " AND instr(source, tpq_option('extension-file') || ':') <> 1;");
        }
        text_format(&sql,
                    "END; CREATE TEMP TRIGGER tpq_%s_after AFTER INSERT ON temp.%s BEGIN "
                    "UPDATE %s SET source = tpq_option('extension-place') WHERE ",
                    table, table, table);
        if (subject->key)
            add_key(subject, "NEW", &sql);
        else if (strcmp(table, "perf_model") == 0)
            text_add_string(&sql, "rowid = NEW.rowid");
        else
            text_add_string(&sql, "purpose = NEW.purpose AND priority = NEW.priority");
        text_add_string(&sql, "; END;");
        if (strcmp(table, "perf_model") == 0)
            text_format(&sql,
                        "CREATE TEMP TRIGGER tpq_%s_changed AFTER UPDATE OF %s ON temp.%s BEGIN "
                        "UPDATE %s SET source = tpq_option('extension-place') WHERE rowid = "
                        "NEW.rowid; END;",
                        table, subject->changes, table, table);
        done = run(warehouse, sql.items, error);
        text_free(&sql);
    }
    return done && run(warehouse, make_edges, error);
}

void overlay_set_place(struct warehouse *warehouse, const char *path, int line, struct error *error)
{
    struct text place = {0};
    (void)error;
    text_format(&place, "%s:%d", path, line);
    context_set(warehouse->context, "extension-file", path);
    context_set(warehouse->context, "extension-place", place.items);
    context_set(warehouse->context, "extension-row", NULL);
    text_free(&place);
}

const char *overlay_row(const struct warehouse *warehouse)
{
    return context_get(warehouse->context, "extension-row");
}

/* ------------------------------------------------------------------ what a file added */

/* Each gives what is wrong about rows whose source begins with ?1: place, name, words. */
static const char *const checks[] = {
    "SELECT later.source, later.op, 'stands twice, first at ' || earlier.source "
    "FROM perf_model AS later JOIN perf_model AS earlier ON earlier.op = later.op "
    "AND earlier.match = later.match AND earlier.priority = later.priority "
    "AND earlier.rowid < later.rowid "
    "AND (earlier.profile = later.profile OR 'both' IN (earlier.profile, later.profile)) "
    "WHERE instr(later.source, ?1) = 1 AND instr(earlier.source, ?1) = 1",
    "SELECT source, name, 'there is no event ' || event FROM pseudo_op "
    "WHERE instr(source, ?1) = 1 AND event NOT IN (SELECT id FROM event WHERE id = "
    "pseudo_op.event)",
    "SELECT source, name, 'there is no event ' || donor || ' to take arguments from' "
    "FROM pseudo_op WHERE instr(source, ?1) = 1 AND donor IS NOT NULL "
    "AND donor NOT IN (SELECT id FROM event WHERE id = pseudo_op.donor)",
    "SELECT source, name, 'event ' || pseudo_op.event || ' launches nothing' FROM pseudo_op "
    "WHERE instr(source, ?1) = 1 AND place = 'inject' AND NOT EXISTS ("
    "SELECT 1 FROM event JOIN category ON category.id = event.category_id "
    "LEFT JOIN gpu_event ON gpu_event.id = event.id WHERE event.id = pseudo_op.event "
    "AND (category.role = 'call' OR gpu_event.call_id IS NOT NULL))",
    "SELECT source, name, 'nothing is below event ' || pseudo_op.event FROM pseudo_op "
    "WHERE instr(source, ?1) = 1 AND place = 'wrap' AND EXISTS ("
    "SELECT 1 FROM event WHERE event.id = pseudo_op.event AND event.below = 0)",
    "SELECT source, coalesce(name, event), 'there is no event ' || event FROM op_override "
    "WHERE instr(source, ?1) = 1 AND event NOT IN (SELECT id FROM event WHERE id = "
    "op_override.event)",
    "SELECT source, from_id, 'there are no two events ' || from_id || ' and ' || to_id || "
    "' of one trace to link' FROM added_edge WHERE instr(source, ?1) = 1 AND NOT EXISTS ("
    "SELECT 1 FROM event AS first JOIN event AS second ON second.trace_id = first.trace_id "
    "WHERE first.id = from_id AND second.id = to_id)",
};

bool overlay_check(struct warehouse *warehouse, const char *path, struct error *error)
{
    struct text prefix = {0};
    bool done = true;
    text_format(&prefix, "%s:", path);
    for (size_t i = 0; i < sizeof checks / sizeof *checks && done; i++) {
        sqlite3_stmt *statement = warehouse_prepare(warehouse, checks[i], error);
        done = statement != NULL;
        if (!done)
            break;
        sqlite3_bind_text(statement, 1, prefix.items, -1, SQLITE_STATIC);
        int result = sqlite3_step(statement);
        if (result == SQLITE_ROW)
            done = error_set(error, STATUS_BAD_INPUT, "%s: op '%s': %s",
                             sqlite3_column_text(statement, 0), sqlite3_column_text(statement, 1),
                             sqlite3_column_text(statement, 2));
        else if (result != SQLITE_DONE)
            done = warehouse_error(warehouse, error);
        database_finalize(statement);
    }
    text_free(&prefix);
    return done;
}

/* ------------------------------------------------------------------ pseudo ops */

/* Calls of ops that extension files add or change: pseudo ops, and overridden events. New texts,
 * signatures and lists of arguments stand in front of those of the file, with numbers below zero.
 */
static const char make_calls[] =
    "CREATE TEMP TABLE string AS SELECT id, text FROM main.string;"
    "CREATE UNIQUE INDEX temp.string_by_id ON string (id);"
    "CREATE UNIQUE INDEX temp.string_by_text ON string (text);"
    "CREATE TEMP TABLE op AS SELECT id, name_id, dims_id, types_id, strides_id, concrete_id "
    "FROM main.op;"
    "CREATE UNIQUE INDEX temp.op_by_id ON op (id);"
    "CREATE INDEX temp.op_by_words ON op (name_id, dims_id, types_id);"
    /* what each was called with */
    "CREATE TEMP TABLE said_call AS "
    "SELECT said.place AS place, target.id AS target, target.last_id AS last_id, "
    "coalesce(said.name, own.text) AS name, "
    "coalesce(json_extract(said.args, '$.dims'), dims.text) AS dims, "
    "coalesce(json_extract(said.args, '$.types'), types.text) AS types, "
    "coalesce(json_extract(said.args, '$.strides'), strides.text) AS strides, "
    "coalesce(json_extract(said.args, '$.concrete'), concrete.text) AS concrete, "
    "json_remove(json_patch(coalesce(args.json, '{}'), coalesce(said.args, '{}')), "
    "'$.dims', '$.types', '$.strides', '$.concrete') AS args "
    "FROM (SELECT place, name, event, donor, args FROM pseudo_op UNION ALL "
    "SELECT 'instead', name, event, event, args FROM op_override) AS said "
    "JOIN main.event AS named ON named.id = said.event "
    "LEFT JOIN main.gpu_event ON gpu_event.id = named.id AND said.place = 'inject' "
    "JOIN main.event AS target ON target.id = coalesce(gpu_event.call_id, named.id) "
    "JOIN main.string AS own ON own.id = target.name_id "
    "LEFT JOIN main.event AS donor ON donor.id = said.donor "
    "LEFT JOIN main.op AS given ON given.id = donor.op_id "
    "LEFT JOIN main.string AS dims ON dims.id = given.dims_id "
    "LEFT JOIN main.string AS types ON types.id = given.types_id "
    "LEFT JOIN main.string AS strides ON strides.id = given.strides_id "
    "LEFT JOIN main.string AS concrete ON concrete.id = given.concrete_id "
    "LEFT JOIN main.args ON args.id = donor.args_id;";

static const char number_calls[] =
    "INSERT INTO string (id, text) SELECT -row_number() OVER (ORDER BY text), text FROM ("
    "SELECT name AS text FROM said_call UNION SELECT dims FROM said_call "
    "UNION SELECT types FROM said_call UNION SELECT strides FROM said_call "
    "UNION SELECT concrete FROM said_call) "
    "WHERE text IS NOT NULL AND text NOT IN (SELECT text FROM main.string);"
    "CREATE TEMP TABLE said_words AS SELECT place, target, last_id, name, name.id AS name_id, "
    "dims.id AS dims_id, types.id AS types_id, strides.id AS strides_id, "
    "concrete.id AS concrete_id, args FROM said_call JOIN string AS name ON name.text = name "
    "LEFT JOIN string AS dims ON dims.text = dims "
    "LEFT JOIN string AS types ON types.text = types "
    "LEFT JOIN string AS strides ON strides.text = strides "
    "LEFT JOIN string AS concrete ON concrete.text = concrete;"
    "INSERT INTO op SELECT -row_number() OVER (ORDER BY name_id, dims_id, types_id, strides_id, "
    "concrete_id), name_id, dims_id, types_id, strides_id, concrete_id FROM ("
    "SELECT name_id, dims_id, types_id, strides_id, concrete_id FROM said_words "
    "EXCEPT SELECT name_id, dims_id, types_id, strides_id, concrete_id FROM main.op);"
    "INSERT INTO said_args (id, json) SELECT -row_number() OVER (ORDER BY args), args "
    "FROM (SELECT DISTINCT args FROM said_words);"
    "CREATE TEMP TABLE said AS SELECT place, target, last_id, name, said_words.name_id AS name_id, "
    "op.id AS op_id, said_args.id AS args_id "
    "FROM said_words JOIN said_args ON said_args.json = said_words.args "
    "JOIN op ON op.name_id = said_words.name_id AND op.dims_id IS said_words.dims_id "
    "AND op.types_id IS said_words.types_id AND op.strides_id IS said_words.strides_id "
    "AND op.concrete_id IS said_words.concrete_id;"
    "INSERT INTO pseudo_event (id, place, first_id, last_id, name_id, op_id, args_id) "
    "SELECT row_number() OVER (ORDER BY target, place, name), place, "
    "CASE place WHEN 'wrap' THEN target + 1 ELSE target END, last_id, name_id, op_id, args_id "
    "FROM said WHERE place <> 'instead';"
    "CREATE TEMP TABLE said_event (id INTEGER PRIMARY KEY, name_id, op_id, args_id);"
    "INSERT INTO said_event SELECT target, said.name_id, "
    "CASE WHEN own.op_id IS NOT NULL OR coalesce(op.dims_id, op.types_id, op.strides_id, "
    "op.concrete_id) IS NOT NULL THEN said.op_id END, "
    "CASE WHEN said_args.json <> '{}' THEN said.args_id END "
    "FROM said JOIN main.event AS own ON own.id = target JOIN op ON op.id = said.op_id "
    "JOIN said_args ON said_args.id = said.args_id WHERE place = 'instead';"
    "DROP TABLE said; DROP TABLE said_words; DROP TABLE said_call;";

/* A model gives its op a category, too, unless somebody else says which it is. */
static const char take_categories[] =
    "INSERT INTO op_category (op, category, is_prefix) "
    "SELECT op, min(category), match = 'prefix' FROM perf_model "
    "WHERE source NOT IN ('tpq', 'user') AND category IS NOT NULL AND match IN ('exact', 'prefix') "
    "AND op NOT IN (SELECT op FROM op_category WHERE source <> 'tpq') GROUP BY op;"
    "UPDATE op_category SET source = (SELECT min(source) FROM perf_model "
    "WHERE perf_model.op = op_category.op AND source <> 'tpq') WHERE source = ':0';";

/* A pseudo op around events that is nearer than the op that launched work is its launcher. It has
 * the id of the event, which launches nothing itself then. An op around a launch is none: the op
 * that launched stays. */
static const char find_launchers[] =
    "CREATE TEMP TABLE pseudo_launch (id INTEGER PRIMARY KEY, launcher_id, name_id, op_id);"
    "INSERT INTO pseudo_launch SELECT gpu_event.id, CASE place WHEN 'wrap' THEN first_id - 1 ELSE "
    "first_id END, pseudo.name_id, pseudo.op_id "
    "FROM pseudo_event AS pseudo JOIN main.gpu_event AS gpu_event "
    "ON gpu_event.id BETWEEN pseudo.first_id AND pseudo.last_id "
    "WHERE pseudo.place <> 'inject' AND gpu_event.call_id IS NOT NULL "
    "AND coalesce(gpu_event.cpu_op_id, 0) < pseudo.first_id ORDER BY pseudo.first_id, "
    "pseudo.last_id DESC, pseudo.place DESC "
    "ON CONFLICT DO UPDATE SET launcher_id = excluded.launcher_id, name_id = excluded.name_id, "
    "op_id = excluded.op_id;";

#define GPU_EVENT(name, launcher_name, launcher_op)                                         \
    "CREATE TEMP VIEW gpu_event AS SELECT work.id, work.trace_id, work.category_id, " name  \
    ", work.track_id, work.device, work.stream, work.ts_ns, work.dur_ns, work.bytes, "      \
    "work.correlation, work.external_id, work.args_id, work.call_id, work.cpu_op_id, "      \
    "coalesce(launch.launcher_id, work.launcher_id) AS launcher_id, "                       \
    "coalesce(launch.name_id, " launcher_name ") AS launcher_name_id, "                     \
    "coalesce(launch.op_id, " launcher_op ") AS launcher_op_id, "                           \
    "coalesce(around.track_id, work.launcher_track_id) AS launcher_track_id, "              \
    "coalesce(around.ts_ns, work.launcher_ts_ns) AS launcher_ts_ns, "                       \
    "coalesce(around.below, work.launcher_below) AS launcher_below, "                       \
    "CASE WHEN launch.id IS NULL THEN work.nested_call END AS nested_call, work.uid, "      \
    "work.link_id "                                                                         \
    "FROM main.gpu_event AS work LEFT JOIN pseudo_launch AS launch ON launch.id = work.id " \
    "LEFT JOIN main.event AS around ON around.id = launch.launcher_id;"

static const char make_launchers[] =
    GPU_EVENT("work.name_id", "work.launcher_name_id", "work.launcher_op_id");

/* Events of which files say something else. What work is told with stays what the trace says. */
#define SAID(what, id, own) \
    "coalesce((SELECT " what " FROM said_event WHERE said_event.id = " id "), " own ")"
#define WORK_NAME     SAID("name_id", "work.id", "work.name_id") " AS name_id"
#define LAUNCHER_NAME SAID("name_id", "work.launcher_id", "work.launcher_name_id")
#define LAUNCHER_OP   SAID("op_id", "work.launcher_id", "work.launcher_op_id")
#define EVENT_NAME    SAID("name_id", "own.id", "own.name_id") " AS name_id"
#define EVENT_OP      SAID("op_id", "own.id", "own.op_id") " AS op_id"
#define EVENT_ARGS    SAID("args_id", "own.id", "own.args_id") " AS args_id"

static const char change_events[] =
    GPU_EVENT(WORK_NAME, LAUNCHER_NAME, LAUNCHER_OP) /* and the events themselves */
    "CREATE TEMP VIEW event AS SELECT own.id AS id, trace_id, category_id, " EVENT_NAME ", "
    "track_id, ts_ns, dur_ns, up, below, child_ns, " EVENT_OP ", " EVENT_ARGS ", correlation, "
    "uid, parent_id, last_id, self_ns FROM main.event AS own;"
    "CREATE TEMP VIEW args AS SELECT id, json FROM main.args UNION ALL "
    "SELECT id, json FROM said_args;";

/* How many rows extension files added to each. */
struct added {
    int pseudo_ops, around_events, overrides, edges;
};

static bool count_added(struct warehouse *warehouse, struct added *added, struct error *error)
{
    sqlite3_stmt *statement = warehouse_prepare(
        warehouse,
        "SELECT count(*), count(*) FILTER (WHERE place <> 'inject'), (SELECT count(*) FROM "
        "op_override), (SELECT count(*) FROM added_edge) FROM pseudo_op",
        error);
    bool done =
        statement && (sqlite3_step(statement) == SQLITE_ROW || warehouse_error(warehouse, error));
    if (done)
        *added = (struct added){sqlite3_column_int(statement, 0), sqlite3_column_int(statement, 1),
                                sqlite3_column_int(statement, 2), sqlite3_column_int(statement, 3)};
    database_finalize(statement);
    return done;
}

bool overlay_close(struct warehouse *warehouse, struct error *error)
{
    struct added added = {0};
    overlay_set_place(warehouse, "", 0, error);
    if (!run(warehouse, take_categories, error))
        return false;
    if (!count_added(warehouse, &added, error))
        return false;
    bool done = added.edges || run(warehouse, "DROP VIEW temp.edge", error);
    if (done && (added.pseudo_ops || added.overrides))
        done = run(warehouse, make_calls, error) && run(warehouse, number_calls, error);
    if (done && (added.around_events || added.overrides))
        done = run(warehouse, find_launchers, error);
    if (done && added.overrides)
        return run(warehouse, change_events, error);
    return done && (!added.around_events || run(warehouse, make_launchers, error));
}
