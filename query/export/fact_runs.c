/* fact_runs: Each selection begins a new read transaction, so that writers can go on between
 * traces. If the database changed meanwhile, the traces in hand are looked up again, and a changed
 * run is an error. Tables with open types are read once in full before any is exported. */
#include "query/export/fact_runs.h"

#include "query/select/selection.h"
#include "sql/database.h"

#include <string.h>

enum { ROW_NAME, ROW_TRACE, ROW_KEY, ROW_FORMAT };

static const char runs_and_traces[] =
    "SELECT key.run, key.trace_id, key.trace, trace.format FROM fact_key AS key "
    "JOIN trace ON trace.id = key.trace_id "
    "ORDER BY key.run, trace.rank, trace.path, key.trace, key.trace_id";

/* ------------------------------------------------------------------ what others change meanwhile
 */

/* Rows that are read from now on are of one moment, up to the next call. Others write between two
 * traces. */
static bool begin_moment(struct export *export, bool *is_another)
{
    sqlite3 *db = export->warehouse->db;
    int64_t version = 0;
    if ((!sqlite3_get_autocommit(db) &&
         !warehouse_run(export->warehouse, "COMMIT", export->error)) ||
        !warehouse_run(export->warehouse, "BEGIN", export->error))
        return false;
    if (database_ask(db, "SELECT data_version + ?1 FROM pragma_data_version", 0, &version) !=
        SQLITE_OK)
        return warehouse_error(export->warehouse, export->error);
    *is_another = version != export->version;
    export->version = version;
    return true;
}

static bool is_known(const struct fact_run *self, sqlite3_stmt *row)
{
    const char *name = database_text(row, ROW_NAME), *key = database_text(row, ROW_KEY);
    int64_t id = sqlite3_column_int64(row, ROW_TRACE);
    for (size_t i = 0; i < self->traces.count; i++)
        if (self->traces.items[i].id == id)
            return strcmp(name, self->name) == 0 && strcmp(key, self->traces.items[i].key) == 0;
    return false;
}

static bool has_changed(const struct fact_run *self, struct error *error)
{
    return error_set(error, STATUS_DATABASE,
                     "the run %.200s was changed while it was exported: export it again",
                     self->name);
}

/* Numbers of traces that went are given again. */
static bool check_selected(const struct fact_run *self, size_t count, struct export *export)
{
    sqlite3_stmt *rows = warehouse_prepare(export->warehouse, runs_and_traces, export->error);
    bool done = rows != NULL;
    while (warehouse_next(export->warehouse, rows, &done, export->error))
        count -= is_known(self, rows);
    database_finalize(rows);
    return done && (!count || has_changed(self, export->error));
}

/* Selects one of its traces, or with SIZE_MAX all of them, as they are at this moment: until the
 * next call nobody else's changes are seen, and they wait. Fails when one of them is not there any
 * more. */
static bool fact_run_select(const struct fact_run *self, size_t trace, struct export *export)
{
    ARRAY(int64_t) ids = {0};
    struct text words = {0};
    bool is_another, is_empty;
    if (!begin_moment(export, &is_another))
        return false;
    for (size_t i = 0; i < self->traces.count; i++)
        if (i == trace || trace == SIZE_MAX)
            array_add(&ids, self->traces.items[i].id);
    struct selection selection = {.traces = ids.items, .trace_count = ids.count};
    bool done = selection_apply(export->warehouse, &selection, &is_empty, &words, export->error) &&
                (!is_another || check_selected(self, ids.count, export));
    array_free(&ids);
    text_free(&words);
    if (!done && export->error->status == STATUS_USAGE) /* there is no such trace */
        return has_changed(self, export->error);
    return done;
}

/* ------------------------------------------------------------------ sets of reports */

typedef ARRAY(const char *) set_list;

/* All rows of a table, before any is exported. */
static bool look_at(const struct fact_runs *self, struct export_table *table, struct export *export)
{
    sqlite3_stmt *rows = export_table_rows(table, export->warehouse, export->error);
    bool done = rows != NULL;
    for (size_t i = 0; i < self->count && done; i++) {
        const struct fact_run *run = &self->items[i];
        size_t last = table->kind == SHEET_OF_RUN ? 0 : run->traces.count - 1;
        for (size_t trace = 0; trace <= last && done; trace++) {
            done = fact_run_select(run, table->kind == SHEET_OF_RUN ? SIZE_MAX : trace, export) &&
                   export_table_look(table, export->warehouse, rows, export->error);
            sqlite3_reset(rows);
        }
    }
    database_finalize(rows);
    export_table_settle(table);
    return done;
}

bool fact_runs_open(struct fact_runs *self, struct export *export, struct export_tables *tables)
{
    set_list sets = {0};
    bool is_another;
    *self = (struct fact_runs){0};
    *tables = (struct export_tables){0};
    bool done = begin_moment(export, &is_another);
    if (done) {
        sqlite3_stmt *rows = warehouse_prepare(export->warehouse, runs_and_traces, export->error);
        done = rows != NULL;
        while (warehouse_next(export->warehouse, rows, &done, export->error)) {
            /* Traces come run by run; a run of several formats takes the usual set. */
            const char *name = database_text(rows, ROW_NAME), *key = database_text(rows, ROW_KEY),
                       *format = database_text(rows, ROW_FORMAT);
            if (!self->count || strcmp(self->items[self->count - 1].name, name) != 0)
                array_add(self, (struct fact_run){.name = memory_text(name)});
            struct fact_run *run = &self->items[self->count - 1];
            const char *set = export->options.set_of(format);
            run->set = run->set && strcmp(run->set, set) != 0 ? export->options.set_of(NULL) : set;
            array_add(&run->traces,
                      (struct fact_trace){sqlite3_column_int64(rows, ROW_TRACE), memory_text(key)});
        }
        database_finalize(rows);
    }
    if (done) {
        for (size_t i = 0; i < self->count; i++) {
            bool is_there = false;
            for (size_t j = 0; j < sets.count; j++)
                is_there |= strcmp(sets.items[j], self->items[i].set) == 0;
            if (!is_there)
                array_add(&sets, self->items[i].set);
        }
        array_add(&sets, NULL);
    }
    struct fact_choice choice = {
        .reports = export->options.reports,
        .sheets = export->options.sheets,
        .sets = sets.items,
        .has_events = export->options.has_events,
        .has_runs = !export->options.is_per_trace,
    };
    done = done && export_tables_open(tables, export->warehouse, &choice, export->error);
    if (done)
        for (size_t i = 0; i < tables->count && done; i++)
            done = !tables->items[i].is_open || look_at(self, &tables->items[i], export);
    return done;
}

bool fact_run_has(const struct fact_run *self, const struct export_table *table)
{
    return !table->set || strcmp(table->set, self->set) == 0;
}

bool fact_run_write(const struct fact_run *self, struct export *export,
                    const struct export_tables *tables, fact_add *add, fact_end *end, void *writer)
{
    bool done = true;
    size_t last = self->traces.count;
    for (size_t i = 0; i <= last && done; i++) {
        const char *trace = i < last ? self->traces.items[i].key : NULL;
        if (!trace && export->options.is_per_trace)
            break;
        done = fact_run_select(self, trace ? i : SIZE_MAX, export);
        for (size_t j = 0; j < tables->count && done; j++) {
            const struct export_table *table = &tables->items[j];
            if ((table->kind == SHEET_OF_RUN) == !trace && fact_run_has(self, table))
                done = add(writer, j, trace);
        }
        done = done && (!trace || !end || end(writer, trace));
    }
    return done;
}
