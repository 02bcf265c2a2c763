/* report_notes: see report_notes.h. */
#include "src/report/report_notes.h"

#include "sql/binding/context.h"
#include "sql/database.h"
#include "src/command/session.h"

#include <stdio.h>
#include <string.h>

/* Each row of a question is a line. */
static bool ask(struct warehouse *warehouse, const char *name, const char *sql, struct error *error)
{
    sqlite3_stmt *rows = warehouse_prepare(warehouse, sql, error);
    bool done = rows != NULL;
    while (warehouse_next(warehouse, rows, &done, error)) {
        struct text line = {0};
        if (text_format(&line, "%s%s%s", name ? name : "", name ? ": " : "",
                        (const char *)sqlite3_column_text(rows, 0)))
            session_say(text_view(&line));
        text_free(&line);
    }
    sqlite3_finalize(rows);
    return done;
}

bool report_notes_find_nodes(struct warehouse *warehouse, const char *set,
                             const struct arguments *arguments, struct error *error)
{
    static const char sql[] = "SELECT count(properties) FROM device WHERE trace_id = (SELECT "
                              "trace_id FROM run_rank ORDER BY run, place LIMIT 1)";
    int64_t size = 0;
    char text[24];
    if (strcmp(set, "collectives") != 0 || arguments_has(arguments, "gpus-per-node"))
        return true;
    if (database_ask(warehouse->db, sql, 0, &size) != SQLITE_OK)
        return warehouse_error(warehouse, error);
    snprintf(text, sizeof text, "%lld", (long long)size);
    if (size)
        fprintf(stderr, "tpq: --gpus-per-node %s: the first trace has properties of as many\n",
                text);
    return context_set(warehouse->context, "gpus-per-node", size ? text : NULL) ||
           error_memory(error);
}

bool report_notes_warn(struct warehouse *warehouse, struct error *error)
{
    return ask(warehouse, NULL,
               "SELECT run || ': ' || code || ': ' || detail FROM rank_warning ORDER BY run, code",
               error);
}

bool report_notes_say(struct warehouse *warehouse, const char *name, bool is_long,
                      struct error *error)
{
    static const char *const questions[] = {
        "SELECT 'no op of the group ' || op_group FROM (SELECT DISTINCT op_group, place FROM "
        "op_group WHERE purpose = 'sheet') WHERE op_group NOT IN (SELECT op_group.op_group FROM "
        "(SELECT DISTINCT event.op_id AS op_id FROM scope CROSS JOIN event ON event.id BETWEEN "
        "scope.first_event AND scope.last_event WHERE event.op_id IS NOT NULL) AS used JOIN op ON "
        "op.id = used.op_id JOIN string ON string.id = op.name_id JOIN op_group ON "
        "op_group.purpose = 'sheet' AND op_group.op = string.text WHERE op.dims_id IS NOT NULL) "
        "ORDER BY place",
        "SELECT 'grouped_breakdown: in no group, and so Other: ' || group_concat(name, ', ') FROM "
        "(SELECT name FROM breakdown_launcher WHERE op_group = 'Other' ORDER BY mean_ns DESC, "
        "name) HAVING count(*)",
        "SELECT code || ': ' || detail FROM rank_warning ORDER BY code",
    };
    static const char shapes[] =
        "SELECT 'ops with shapes below ' || root || ': ' || name || ' (' || uid || ', ' || "
        "printf('%.3f', duration_ms) || ' ms)' || coalesce(', which calls ' || children || ' for ' "
        "|| printf('%.3f', children_ms) || ' ms', '') FROM ops_with_shapes";
    bool done = true;
    for (size_t i = 0; i < sizeof questions / sizeof *questions && done; i++)
        done = ask(warehouse, name, questions[i], error);
    return done && (!is_long || ask(warehouse, name, shapes, error));
}

bool report_notes_check(struct warehouse *warehouse, bool *refused, struct error *refusal,
                        struct error *error)
{
    sqlite3_stmt *row = warehouse_prepare(
        warehouse,
        "SELECT run, detail FROM rank_warning WHERE code IN ('W01', 'W04', 'W05', 'W06')", error);
    bool done = row != NULL;
    *refused = warehouse_next(warehouse, row, &done, error);
    if (*refused)
        error_set(refusal, STATUS_BAD_INPUT, "%s: %s (--strict-ranks)",
                  (const char *)sqlite3_column_text(row, 0),
                  (const char *)sqlite3_column_text(row, 1));
    sqlite3_finalize(row);
    return done;
}
