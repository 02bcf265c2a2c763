/* one_run: see one_run.h. */
#include "query/select/one_run.h"

#include "query/select/plan_run.h"
#include "sql/binding/table.h"
#include "sql/docs.h"
#include "sql/provider.h"
#include "sql/views.h"

#include <string.h>

/* A view of ours, in the empty database as a table that is never read, unless it is about more than
 * its runs. */
struct watched_view {
    doc_list docs; /* of its file */
    const struct doc_object *view;
    struct table table;
    struct table_column *columns;
};

/* ------------------------------------------------------------------ the empty database */

static int have_no_row(struct table_cursor *cursor)
{
    cursor->at_end = true;
    return SQLITE_OK;
}

static void free_view(struct watched_view *self)
{
    if (self) {
        free(self->columns);
        docs_free(&self->docs);
    }
    free(self);
}

static struct watched_view *read_view(const char *name)
{
    struct watched_view *self = calloc(1, sizeof *self);
    const doc_columns *columns = NULL;
    bool done = self && docs_read_view(sql_files, sql_file_count, name, &self->docs) &&
                (self->view = docs_find(&self->docs, name)) &&
                (columns = docs_columns(self->view)) &&
                (self->columns = calloc(columns->count + 1, sizeof *self->columns));
    for (size_t i = 0; done && i < columns->count; i++) {
        const char *column = columns->items[i].name;
        bool is_run = strcmp(column, "run") == 0;
        self->columns[i] = (struct table_column){.name = column,
                                                 .type = is_run ? "TEXT" : "",
                                                 .origin = TABLE_INT64,
                                                 .role = is_run ? TABLE_RUN : 0};
    }
    if (done) {
        self->table =
            (struct table){.columns = self->columns, .all = 1e4, .found = 1e3, .next = have_no_row};
        return self;
    }
    free_view(self);
    return NULL;
}

/* Rows of pairs of traces are rows of two runs. */
static bool is_by_run(const struct doc_object *view)
{
    const char *unit = docs_declared(view, "unit");
    bool is_pair = unit && strcmp(unit, "pair") == 0;
    return docs_column(view, "run") && !is_pair && !docs_declared(view, "across-runs");
}

static bool is_there(const struct one_run *self, const char *name)
{
    size_t at = 0;
    while (at < self->views.count && strcmp(self->views.items[at]->view->name, name) != 0)
        at++;
    return at < self->views.count;
}

/* Makes the views of ours that a text may name. */
static bool add_views(struct one_run *self, const char *text)
{
    bool done = true;
    for (int i = 0; i < sql_view_count && done; i++) {
        const char *name = sql_views[i].name;
        if (!strcasestr(text, name) || is_there(self, name))
            continue;
        struct watched_view *view = read_view(name);
        done = view && array_reserve(&self->views, 1) &&
               (!is_by_run(view->view) ||
                table_bind(self->probe.db, name, &view->table, self->probe.context) == SQLITE_OK);
        if (done)
            self->views.items[self->views.count++] = view;
        else
            free_view(view);
    }
    return done;
}

static bool open_probe(struct one_run *self, struct error *error)
{
    if (self->is_open)
        return true;
    self->is_open = warehouse_open(&self->probe, "memory", WAREHOUSE_MEMORY, 0, error);
    if (self->is_open)
        self->probe.context->is_watched = true;
    return self->is_open;
}

/* ------------------------------------------------------------------ views of users */

/* Makes the views that stand in the file beside ours. One that cannot be made leaves it unknown
 * which run those are about that name it. */
static int make_own_views(struct one_run *self, struct warehouse *warehouse)
{
    sqlite3_stmt *rows = NULL;
    int64_t ignored;
    int result = database_prepare(
        warehouse->db, "SELECT name, sql FROM main.sqlite_schema WHERE type = 'view'", &rows, NULL);
    while (result == SQLITE_OK && (result = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *name = database_text(rows, 0), *sql = database_text(rows, 1);
        result = name && sql ? SQLITE_OK : SQLITE_NOMEM;
        if (result == SQLITE_OK && !views_find(view_of(name)) &&
            text_starts_with(sql, "CREATE VIEW ") && add_views(self, sql))
            database_ask(self->probe.db, sql, 0, &ignored);
    }
    sqlite3_finalize(rows);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

/* ------------------------------------------------------------------ a statement */

/* The run that all of it is about, ours, or NULL. */
static bool find_run(struct one_run *self, struct warehouse *warehouse, const char *text,
                     char **run, struct error *error)
{
    if (!open_probe(self, error) || !warehouse_run(&self->probe, "BEGIN", error))
        return false;
    int result = make_own_views(self, warehouse);
    if (result == SQLITE_OK)
        result = add_views(self, text) ? plan_run_find(self->probe.db, text, run) : SQLITE_NOMEM;
    return warehouse_roll_back(&self->probe, "ROLLBACK", error) &&
           (result != SQLITE_NOMEM || error_memory(error));
}

/* Whether there is something in front of the tables and views of the file, but views that were
 * given (provider.h). */
static bool has_temporary(struct warehouse *warehouse)
{
    static const char sql[] =
        "SELECT name, sql FROM temp.sqlite_schema AS given WHERE NOT EXISTS (SELECT 1 FROM "
        "main.sqlite_schema AS own WHERE own.name = given.name AND own.sql = given.sql)";
    sqlite3_stmt *rows = NULL;
    bool found = false;
    int result = database_prepare(warehouse->db, sql, &rows, NULL);
    while (result == SQLITE_OK && !found && sqlite3_step(rows) == SQLITE_ROW) {
        const char *name = database_text(rows, 0), *text = database_text(rows, 1);
        found = !name || !text || !provider_may_have_given(name, text);
    }
    return sqlite3_finalize(rows) != SQLITE_OK || result != SQLITE_OK || found;
}

/* Whether a statement may be about one of several runs, as far as is seen at once. */
static bool may_be_about_one(struct warehouse *warehouse, const char *text)
{
    static const char sql[] = "SELECT count(*) > 1 FROM run";
    int64_t may_be = 0;
    return text && strcasestr(text, "run") && strchr(text, '=') &&
           database_ask(warehouse->db, sql, 0, &may_be) == SQLITE_OK && may_be &&
           !has_temporary(warehouse);
}

static bool select_run(struct warehouse *warehouse, const char *run, struct error *error)
{
    sqlite3_stmt *rows = warehouse_prepare(
        warehouse,
        "SELECT run.name, trace.id, first_event, last_event FROM run JOIN trace ON trace.run_id = "
        "run.id WHERE run.name = ?1 ORDER BY trace.id",
        error);
    bool done = rows != NULL;
    if (done)
        sqlite3_bind_text(rows, 1, run, -1, SQLITE_STATIC);
    context_select_none(warehouse->context);
    while (warehouse_next(warehouse, rows, &done, error)) {
        const char *name = (const char *)sqlite3_column_text(rows, 0);
        done = (name &&
                context_select(warehouse->context, name, sqlite3_column_int64(rows, 1),
                               sqlite3_column_int64(rows, 2), sqlite3_column_int64(rows, 3), -1)) ||
               error_memory(error);
    }
    sqlite3_finalize(rows);
    return done;
}

bool one_run_select(struct one_run *self, struct warehouse *warehouse, sqlite3_stmt *statement,
                    struct error *error)
{
    if (warehouse->context->is_selected && !self->run)
        return true; /* by a statement (tpq_select) */
    char *text = sqlite3_expanded_sql(statement), *run = NULL;
    bool done = !may_be_about_one(warehouse, text) || find_run(self, warehouse, text, &run, error);
    sqlite3_free(text);
    struct database_state state = database_state(warehouse->db);
    bool is_same = run && self->run
                       ? strcmp(run, self->run) == 0 && database_state_equal(&state, &self->state)
                       : !run && !self->run;
    if (!done || is_same) {
        free(run);
        return done;
    }
    free(self->run);
    self->run = run;
    self->state = state;
    if (run)
        return select_run(warehouse, run, error);
    context_select_all(warehouse->context);
    return true;
}

void one_run_free(struct one_run *self)
{
    if (self->is_open)
        warehouse_close(&self->probe);
    for (size_t i = 0; i < self->views.count; i++)
        free_view(self->views.items[i]);
    array_free(&self->views);
    free(self->run);
    *self = (struct one_run){0};
}
