/* one_run: see one_run.h. */
#include "query/select/one_run.h"

#include "sql/binding/table.h"
#include "sql/docs.h"
#include "sql/provider.h"
#include "sql/sqlite.h"
#include "sql/views.h"
#include "src/base/array.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ the run of a statement
 *
 * SQLite's own words for its plan (EXPLAIN) say it, on a connection whose tables are only watched
 * (context.h): each is opened with the run that is wanted of it, or for all of them. A run counts
 * that is written in the statement, or is that of a row of a table which is asked for such a run
 * itself, as in a join by run. Anything else counts as all runs: a run that is found always holds.
 */

/* An instruction of SQLite's. */
struct instruction {
    char *opcode, *words; /* words: the fourth operand */
    int64_t operands[3];
};

struct program {
    ARRAY(struct instruction) all;
};

/* Where a table is opened for rows. What wants all runs has neither of the last two. */
struct opening {
    int64_t cursor, column;               /* column: that has the run; -1 = it is not asked for */
    int64_t cursor_of_row, column_of_row; /* what is read for it, of a row in hand; -1 = nothing */
    const char *run;                      /* what is written for it */
};

typedef ARRAY(struct opening) opening_list;

/* ------------------------------------------------------------------ reading */

static bool add_instruction(struct program *self, sqlite3_stmt *row)
{
    const char *opcode = (const char *)sqlite3_column_text(row, 1);
    const char *words = (const char *)sqlite3_column_text(row, 5);
    bool has_words = sqlite3_column_type(row, 5) != SQLITE_NULL;
    struct instruction *added = opcode && (words || !has_words) ? array_push(&self->all) : NULL;
    if (!added)
        return false;
    *added = (struct instruction){.opcode = strdup(opcode), .words = strdup(words ? words : "")};
    for (int i = 0; i < 3; i++)
        added->operands[i] = sqlite3_column_int64(row, 2 + i);
    return added->opcode && added->words;
}

static int read_program(struct program *self, sqlite3 *db, const char *sql)
{
    sqlite3_stmt *row = NULL;
    char *question = sqlite3_mprintf("EXPLAIN %s", sql);
    int result = question ? sqlite3_prepare_v2(db, question, -1, &row, NULL) : SQLITE_NOMEM;
    sqlite3_free(question);
    if (result == SQLITE_OK && sqlite3_stmt_isexplain(row) != 1)
        result = SQLITE_ERROR;
    while (result == SQLITE_OK && (result = sqlite3_step(row)) == SQLITE_ROW)
        result = add_instruction(self, row) ? SQLITE_OK : SQLITE_NOMEM;
    sqlite3_finalize(row);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

/* ------------------------------------------------------------------ what a register has */

enum { FIRST, SECOND, THIRD };

static bool is_named(const struct instruction *self, const char *opcode)
{
    return strcmp(self->opcode, opcode) == 0;
}

static bool is_one_of(const struct instruction *self, const char *const *opcodes)
{
    while (*opcodes && !is_named(self, *opcodes))
        opcodes++;
    return *opcodes != NULL;
}

/* What is followed by the next instruction, by the operand that names the register written. */
static const char *const into_second[] = {"String8", "Integer", "Int64", "Real",
                                          "Null",    "SCopy",   "Copy",  NULL};
static const char *const into_third[] = {"VColumn", "Column", NULL};
static const char *const into_none[] = {"Affinity", "VOpen", NULL};

/* What often has a small number in the second operand that is no address, neither. */
static const char *const without_address[] = {"ResultRow",     "MakeRecord",
                                              "AggStep",       "AggFinal",
                                              "Function",      "OpenRead",
                                              "OpenEphemeral", "OpenDup",
                                              "NullRow",       "NewRowid",
                                              "Sequence",      "SorterOpen",
                                              "SorterInsert",  "SorterData",
                                              "IdxInsert",     "Insert",
                                              "Compare",       "Move",
                                              "Noop",          "IdxRowid",
                                              "Rowid",         "DeferredSeek",
                                              "Concat",        "Add",
                                              "Subtract",      "Multiply",
                                              "Divide",        "Cast",
                                              "Real",          "PureFunc",
                                              "And",           "Or",
                                              "Not",           NULL};

/* Unknown ones may. */
static bool may_jump(const struct instruction *self)
{
    return !(is_one_of(self, into_second) || is_one_of(self, into_third) ||
             is_one_of(self, into_none) || is_one_of(self, without_address));
}

/* Whether nothing comes between two instructions, the second one included, from elsewhere. */
static bool is_straight(const struct program *program, size_t from, size_t to)
{
    for (size_t i = 0; i < program->all.count; i++) {
        const struct instruction *other = &program->all.items[i];
        bool is_inside =
            other->operands[SECOND] > (int64_t)from && other->operands[SECOND] <= (int64_t)to;
        if (is_inside && may_jump(other))
            return false;
    }
    return true;
}

/* The instruction that gave a register what it has; NULL: that is not known. */
static const struct instruction *writer_of(const struct program *program, size_t at, int64_t reg)
{
    for (size_t i = at; i-- > 0;) {
        const struct instruction *before = &program->all.items[i];
        bool is_second = is_one_of(before, into_second), is_third = is_one_of(before, into_third);
        bool is_known = is_second || is_third || is_one_of(before, into_none);
        bool is_of_several = is_second && before->operands[THIRD]; /* registers */
        if (!is_known || is_of_several)
            return NULL;
        if ((is_second && before->operands[SECOND] == reg) ||
            (is_third && before->operands[THIRD] == reg))
            return is_straight(program, i, at) ? before : NULL;
    }
    return NULL;
}

/* ------------------------------------------------------------------ openings */

/* The first argument stands behind two numbers, of the plan and of arguments. */
static bool add_opening(const struct program *program, size_t at, opening_list *list)
{
    const struct instruction *filter = &program->all.items[at];
    size_t length = strlen(TABLE_WATCHED);
    if (!is_named(filter, "VFilter") || strncmp(filter->words, TABLE_WATCHED, length) != 0)
        return true;
    const char *column = filter->words + length;
    struct opening opening = {filter->operands[FIRST], *column ? strtoll(column, NULL, 10) : -1, -1,
                              -1, NULL};
    const struct instruction *writer =
        *column ? writer_of(program, at, filter->operands[THIRD] + 2) : NULL;
    if (writer && is_named(writer, "String8"))
        opening.run = writer->words;
    if (writer && is_named(writer, "VColumn")) {
        opening.cursor_of_row = writer->operands[FIRST];
        opening.column_of_row = writer->operands[SECOND];
    }
    return array_add(list, opening);
}

/* Whether a column of a row in hand is the run that its table was asked for. */
static bool has_run(const opening_list *list, int64_t cursor, int64_t column)
{
    bool is_known = false;
    for (size_t i = 0; i < list->count && cursor >= 0; i++) {
        const struct opening *opening = &list->items[i];
        if (opening->cursor == cursor && opening->column != column)
            return false;
        is_known |= opening->cursor == cursor;
    }
    return is_known;
}

/* The run that is wanted of all of them. */
static const char *common_run(const opening_list *list)
{
    const char *run = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const struct opening *opening = &list->items[i];
        if (!opening->run && !has_run(list, opening->cursor_of_row, opening->column_of_row))
            return NULL;
        if (opening->run && run && strcmp(run, opening->run) != 0)
            return NULL;
        run = opening->run ? opening->run : run;
    }
    return run;
}

/* `*run` is the caller's; NULL: there is no one such run. A result code of SQLite. */
static int plan_run_find(sqlite3 *db, const char *sql, char **run)
{
    struct program program = {0};
    opening_list list = {0};
    *run = NULL;
    int result = read_program(&program, db, sql);
    for (size_t i = 0; i < program.all.count && result == SQLITE_OK; i++)
        result = add_opening(&program, i, &list) ? SQLITE_OK : SQLITE_NOMEM;
    const char *found = result == SQLITE_OK ? common_run(&list) : NULL;
    if (found && !(*run = strdup(found)))
        result = SQLITE_NOMEM;
    array_free(&list);
    for (size_t i = 0; i < program.all.count; i++) {
        free(program.all.items[i].opcode);
        free(program.all.items[i].words);
    }
    array_free(&program.all);
    return result;
}

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
