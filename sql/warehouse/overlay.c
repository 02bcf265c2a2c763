/* overlay: Triggers give rows their source and let later files win. Then ops, calls and launchers
 * of pseudo ops are made. */
#include "sql/warehouse/overlay.h"

#include "sql/asked.h"
#include "sql/warehouse/overlay.sql.h"
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

bool overlay_check(struct warehouse *warehouse, const char *path, struct error *error)
{
    struct text prefix = {0};
    struct asked asked;
    const char *source, *name, *words;
    text_format(&prefix, "%s:", path);
    ASK(&asked, warehouse->db, check_added, prefix.items);
    bool done = !ASKED_ROW(&asked, &source, &name, &words) ||
                error_set(error, STATUS_BAD_INPUT, "%s: op '%s': %s", source, name, words);
    text_free(&prefix);
    return asked_done(&asked, warehouse->path, error) && done;
}

/* ------------------------------------------------------------------ pseudo ops */

bool overlay_close(struct warehouse *warehouse, struct error *error)
{
    struct asked asked;
    int64_t pseudo_ops = 0, around_events = 0, overrides = 0, edges = 0;
    overlay_set_place(warehouse, "", 0, error);
    if (!run(warehouse, take_categories, error))
        return false;
    asked_open(&asked, warehouse->db,
               "SELECT count(*), count(*) FILTER (WHERE place <> 'inject'), (SELECT count(*) FROM "
               "op_override), (SELECT count(*) FROM added_edge) FROM pseudo_op");
    ASKED_ROW(&asked, &pseudo_ops, &around_events, &overrides, &edges);
    bool done = asked_done(&asked, warehouse->path, error);
    if (done && !edges)
        done = run(warehouse, "DROP VIEW temp.edge", error);
    if (done && (pseudo_ops || overrides))
        done = run(warehouse, make_calls, error) && run(warehouse, number_calls, error);
    if (done && (around_events || overrides))
        done = run(warehouse, find_launchers, error) && run(warehouse, make_launchers, error);
    return done && (!overrides || run(warehouse, change_events, error));
}
