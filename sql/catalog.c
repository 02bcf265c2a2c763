/* catalog: see catalog.h. */
#include "sql/catalog.h"

#include "sql/database.h"

#include <stdlib.h>
#include <string.h>

bool catalog_is_report(const struct doc_object *object)
{
    return object->is_view && docs_declared(object, "set") != NULL;
}

static bool run(sqlite3 *db, char *sql, struct error *error)
{
    bool done = sql && sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
    if (!done && sql)
        database_error(db, "filling the catalog", error);
    else if (!done)
        error_memory(error);
    sqlite3_free(sql);
    return done;
}

static const char *declared(const struct doc_object *object, const char *key, const char *otherwise)
{
    const char *value = docs_declared(object, key);
    return value ? value : otherwise;
}

static bool add_report(sqlite3 *db, const struct doc_object *object, const char *source,
                       struct error *error)
{
    bool done =
        run(db,
            sqlite3_mprintf("INSERT OR IGNORE INTO report (name, set_name, sheet, alias, position, "
                            "unit, shown, meaning, source) VALUES (%Q, %Q, %Q, %Q, %d, %Q, %Q, "
                            "%Q, %Q)",
                            object->name, declared(object, "set", ""),
                            declared(object, "sheet", object->name), docs_declared(object, "alias"),
                            atoi(declared(object, "position", "1000")),
                            declared(object, "unit", "trace"), docs_declared(object, "when"),
                            object->meaning, source),
            error);
    for (size_t i = 0; i < object->columns.count && done; i++) {
        const struct doc_column *column = &object->columns.items[i];
        done = run(db,
                   sqlite3_mprintf("INSERT OR IGNORE INTO report_column (report, position, name, "
                                   "heading, unit, polarity, meaning, source) VALUES (%Q, %d, %Q, "
                                   "%Q, nullif(%Q, ''), nullif(%Q, ''), %Q, %Q)",
                                   object->name, (int)i + 1, column->name, column->heading,
                                   column->unit, column->polarity, column->meaning, source),
                   error);
    }
    return done;
}

bool catalog_add_reports(sqlite3 *db, const doc_list *docs, const char *source, struct error *error)
{
    bool done = true;
    for (size_t i = 0; i < docs->count && done; i++)
        if (catalog_is_report(&docs->items[i]))
            done = add_report(db, &docs->items[i], source, error);
    return done;
}

bool catalog_fill(sqlite3 *db, struct error *error)
{
    static const char *const tables[] = {
        "op_category",  "kernel_category", "tt_category", "device_model", "device_peak",
        "deviation",    "op_group",        "op_schema",   "perf_family",  "perf_model",
        "step_pattern", "phase_signal",    "phase_rule",  "launch_kind",  "call_kind",
        "report",       "report_column"};
    bool done = true;
    for (size_t i = 0; i < sizeof tables / sizeof *tables && done; i++)
        done = run(db, sqlite3_mprintf("DELETE FROM %s WHERE source = 'tpq'", tables[i]), error);
    for (int i = 0; i < sql_file_count && done; i++)
        if (strncmp(sql_files[i].path, "catalog/", strlen("catalog/")) == 0)
            done = sqlite3_exec(db, sql_files[i].text, NULL, NULL, NULL) == SQLITE_OK ||
                   database_error(db, sql_files[i].path, error);
    doc_list docs;
    if (!done)
        return false;
    done = docs_read(sql_files, sql_file_count, &docs) || error_memory(error);
    done = done && catalog_add_reports(db, &docs, "tpq", error);
    docs_free(&docs);
    return done;
}
