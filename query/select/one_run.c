/* one_run: see one_run.h. */
#include "query/select/one_run.h"

#include "query/select/plan_run.h"
#include "sql/binding/table.h"
#include "sql/provider.h"

#include <string.h>

/* A view as a table that is never read. */
struct watched_view {
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

static struct watched_view *make_view(const struct doc_object *view)
{
    struct watched_view *self = calloc(1, sizeof *self);
    if (!self || !(self->columns = calloc(view->columns.count + 1, sizeof *self->columns))) {
        free(self);
        return NULL;
    }
    for (size_t i = 0; i < view->columns.count; i++) {
        const char *name = view->columns.items[i].name;
        bool is_run = strcmp(name, "run") == 0;
        self->columns[i] = (struct table_column){.name = name,
                                                 .type = is_run ? "TEXT" : "",
                                                 .origin = TABLE_INT64,
                                                 .role = is_run ? TABLE_RUN : 0};
    }
    self->view = view;
    self->table =
        (struct table){.columns = self->columns, .all = 1e4, .found = 1e3, .next = have_no_row};
    return self;
}

static void free_view(struct watched_view *self)
{
    if (self)
        free(self->columns);
    free(self);
}

/* Rows of pairs of traces are rows of two runs. */
static bool is_by_run(const struct doc_object *object)
{
    const char *unit = docs_declared(object, "unit");
    bool is_pair = unit && strcmp(unit, "pair") == 0;
    return object->is_view && docs_column(object, "run") && !is_pair &&
           !docs_declared(object, "across-runs");
}

static bool is_there(const struct one_run *self, const struct doc_object *view)
{
    size_t at = 0;
    while (at < self->views.count && self->views.items[at]->view != view)
        at++;
    return at < self->views.count;
}

/* Makes the views that a text may name. */
static bool add_views(struct one_run *self, const char *text)
{
    bool done = true;
    for (size_t i = 0; i < self->docs.count && done; i++) {
        const struct doc_object *object = &self->docs.items[i];
        if (!is_by_run(object) || !strcasestr(text, object->name) || is_there(self, object))
            continue;
        struct watched_view *view = make_view(object);
        done = view && array_reserve(&self->views, 1) &&
               table_bind(self->probe.db, object->name, &view->table, self->probe.context) ==
                   SQLITE_OK;
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
    if (!docs_read(sql_files, sql_file_count, &self->docs))
        return error_memory(error);
    self->is_open = warehouse_open(&self->probe, "memory", WAREHOUSE_MEMORY, 0, error);
    if (self->is_open)
        self->probe.context->is_watched = true;
    return self->is_open;
}

/* ------------------------------------------------------------------ a statement */

/* The run that all of it is about, ours, or NULL. */
static bool find_run(struct one_run *self, const char *text, char **run, struct error *error)
{
    if (!open_probe(self, error))
        return false;
    int result = add_views(self, text) ? plan_run_find(self->probe.db, text, run) : SQLITE_NOMEM;
    return result != SQLITE_NOMEM || error_memory(error);
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
        found = !name || !text || !warehouse->hides_views || !provider_may_have_given(name, text);
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
    bool done = !may_be_about_one(warehouse, text) || find_run(self, text, &run, error);
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
    docs_free(&self->docs);
    free(self->run);
    *self = (struct one_run){0};
}
