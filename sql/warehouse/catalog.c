/* catalog: Each report of the docs becomes a row, and so does each of its columns. */
#include "sql/warehouse/catalog.h"

#include "sql/database.h"

#include <stdlib.h>
#include <string.h>

bool catalog_is_report(const struct doc_object *object)
{
    return object->is_view && docs_declared(object, "set") != NULL;
}

/* A report's "N SHEET" in a set that is not its own; NULL: it is not there. */
static const char *said_elsewhere(const struct doc_object *report, const char *set)
{
    const char *also = docs_declared(report, "also");
    size_t length = set ? strlen(set) : 0;
    return also && length && strncmp(also, set, length) == 0 && also[length] == ' '
               ? also + length + 1
               : NULL;
}

bool catalog_in_set(const struct doc_object *report, const char *set)
{
    const char *own = docs_declared(report, "set");
    return set && ((own && strcmp(own, set) == 0) || said_elsewhere(report, set));
}

const char *catalog_sheet_elsewhere(const struct doc_object *report)
{
    const char *also = docs_declared(report, "also");
    const char *place = also ? also + strcspn(also, " ") : NULL;
    return place ? place + strspn(place, " 0123456789") : NULL;
}

const char *catalog_sheet(const struct doc_object *report, const char *set)
{
    return said_elsewhere(report, set) ? catalog_sheet_elsewhere(report)
                                       : docs_declared(report, "sheet");
}

const char *catalog_position(const struct doc_object *report, const char *set)
{
    const char *elsewhere = said_elsewhere(report, set);
    return elsewhere ? elsewhere : docs_declared(report, "position");
}

static const char *declared(const struct doc_object *object, const char *key, const char *otherwise)
{
    const char *value = docs_declared(object, key);
    return value ? value : otherwise;
}

static bool insert(sqlite3_stmt *statement, struct error *error)
{
    sqlite3_step(statement);
    return sqlite3_reset(statement) == SQLITE_OK ||
           database_error(sqlite3_db_handle(statement), "filling the catalog", error);
}

/* The texts are there until the row is. */
static void bind(sqlite3_stmt *statement, int place, const char *text)
{
    sqlite3_bind_text(statement, place, text, -1, SQLITE_STATIC);
}

struct adding {
    sqlite3_stmt *report, *column;
};

static bool catalog_add_column(const struct adding *self, const struct doc_object *object,
                               int position, const struct doc_column *column, struct error *error)
{
    const char *const texts[] = {object->name,     column->name,    column->heading, column->unit,
                                 column->polarity, column->meaning, "tpq",           column->type};
    sqlite3_bind_int(self->column, 1, position);
    for (int i = 0; i < (int)(sizeof texts / sizeof *texts); i++)
        bind(self->column, i + 2, texts[i]);
    return insert(self->column, error);
}

static const char insert_report[] =
    "INSERT OR IGNORE INTO report (position, name, set_name, sheet, alias, unit, shown, meaning, "
    "source) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
static const char insert_column[] =
    "INSERT OR IGNORE INTO report_column (position, report, name, heading, unit, polarity, "
    "meaning, source, type) VALUES (?1, ?2, ?3, ?4, nullif(?5, ''), nullif(?6, ''), ?7, ?8, "
    "nullif(?9, ''))";

bool catalog_fill(sqlite3 *db, struct error *error)
{
    static const char *const tables[] = {
        "op_category",  "kernel_category", "tt_category",   "device_model",     "device_peak",
        "deviation",    "op_group",        "op_schema",     "perf_family",      "perf_model",
        "step_pattern", "phase_signal",    "phase_rule",    "launch_kind",      "call_kind",
        "advice_rule",  "advice_tie",      "advice_name",   "what_if_scenario", "health_check",
        "health_touch", "report",          "report_column", "host_lever",       "roofline_lever",
        "search_word",  "setup_pattern",   "identity_key"};
    bool done = true;
    for (size_t i = 0; i < sizeof tables / sizeof *tables && done; i++)
        done =
            database_run_made(db, database_format("DELETE FROM %s WHERE source = 'tpq'", tables[i]),
                              "filling the catalog", error);
    for (int i = 0; i < sql_file_count && done; i++)
        if (strncmp(sql_files[i].path, "catalog/", strlen("catalog/")) == 0)
            done = sqlite3_exec(db, sql_files[i].text, NULL, NULL, NULL) == SQLITE_OK ||
                   database_error(db, sql_files[i].path, error);
    doc_list docs;
    if (!done)
        return false;
    docs_read(sql_files, sql_file_count, &docs);
    struct adding adding = {0};
    done = (database_prepare(db, insert_report, &adding.report, NULL) == SQLITE_OK &&
            database_prepare(db, insert_column, &adding.column, NULL) == SQLITE_OK) ||
           database_error(db, "filling the catalog", error);
    for (size_t i = 0; i < docs.count && done; i++)
        if (catalog_is_report(&docs.items[i])) {
            const struct doc_object *object = &docs.items[i];
            const char *const texts[] = {object->name,
                                         declared(object, "set", ""),
                                         declared(object, "sheet", object->name),
                                         docs_declared(object, "alias"),
                                         declared(object, "unit", "trace"),
                                         docs_declared(object, "when"),
                                         object->meaning,
                                         "tpq"};
            sqlite3_bind_int(adding.report, 1, atoi(declared(object, "position", "1000")));
            for (int j = 0; j < (int)(sizeof texts / sizeof *texts); j++)
                bind(adding.report, j + 2, texts[j]);
            const doc_columns *columns = docs_columns(object);
            done = insert(adding.report, error);
            for (size_t j = 0; done && j < columns->count; j++)
                done = catalog_add_column(&adding, object, (int)j + 1, &columns->items[j], error);
        }
    database_finalize(adding.report);
    database_finalize(adding.column);
    docs_free(&docs);
    return done;
}
