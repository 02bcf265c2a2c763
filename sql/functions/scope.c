/* scope: the selection of a connection, as SQL sees it.
 *
 *     scope                   a table: run, trace_id, first_event, last_event, is_recompute
 *
 *     SELECT run, trace_id FROM scope                 every trace, or what the program selected
 *
 * Every report is FROM scope CROSS JOIN a narrow table ON id BETWEEN first_event AND last_event:
 * what is not selected is not even looked at. Without a selection scope lists the traces of the
 * database; `=` on run and trace_id is used to narrow that list. is_recompute is NULL unless the
 * selection was parted into what recomputes activations (1) and what does not (0).
 */
#include "sql/binding/function.h"

#include <stdlib.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

enum { COLUMN_RUN, COLUMN_TRACE, COLUMN_FIRST, COLUMN_LAST, COLUMN_RECOMPUTE };
enum { NARROW_RUN = 1, NARROW_TRACE = 2, IN_ORDER = 4 };

struct scope_table {
    sqlite3_vtab base;
    sqlite3 *db;
    struct context *context;
};

struct scope_cursor {
    sqlite3_vtab_cursor base;
    sqlite3_stmt *traces; /* without a selection */
    size_t next;          /* with one */
    uint32_t *order;      /* its rows by run, trace and is_recompute; NULL = as they are */
    char *run;            /* wanted; NULL = any */
    bool narrow_trace;
    sqlite3_int64 trace_id;
    bool at_end;
};

static int scope_connect(sqlite3 *db, void *context, int count, const char *const *arguments,
                         sqlite3_vtab **out, char **error)
{
    (void)count, (void)arguments, (void)error;
    int result = sqlite3_declare_vtab(db, "CREATE TABLE scope(run TEXT, trace_id INTEGER, "
                                          "first_event INTEGER, last_event INTEGER, "
                                          "is_recompute INTEGER)");
    if (result != SQLITE_OK)
        return result;
    sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    struct scope_table *table = sqlite3_malloc(sizeof *table);
    if (!table)
        return SQLITE_NOMEM;
    *table = (struct scope_table){.db = db, .context = context};
    *out = &table->base;
    return SQLITE_OK;
}

static int scope_disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

/* Reports group by run, trace and is_recompute: when the rows come in that order, nothing behind
 * them needs to be sorted. */
static bool is_in_order(const sqlite3_index_info *info)
{
    static const int order[] = {COLUMN_RUN, COLUMN_TRACE, COLUMN_RECOMPUTE};
    if (info->nOrderBy == 0 || info->nOrderBy > 3)
        return false;
    for (int i = 0; i < info->nOrderBy; i++)
        if (info->aOrderBy[i].iColumn != order[i] || info->aOrderBy[i].desc)
            return false;
    return true;
}

static int scope_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    int places[2] = {-1, -1};
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];
        if (!constraint->usable || constraint->op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        bool same_bytes = strcmp(sqlite3_vtab_collation(info, i), "BINARY") == 0;
        if ((constraint->iColumn == COLUMN_RUN && same_bytes) ||
            constraint->iColumn == COLUMN_TRACE)
            places[constraint->iColumn] = i;
    }
    int arguments = 0;
    info->estimatedRows = 100;
    for (int column = 0; column < 2; column++)
        if (places[column] >= 0) {
            info->aConstraintUsage[places[column]].argvIndex = ++arguments;
            info->idxNum |= column == COLUMN_RUN ? NARROW_RUN : NARROW_TRACE;
            info->estimatedRows = 1;
        }
    info->estimatedCost = (double)info->estimatedRows;
    if (is_in_order(info)) {
        info->idxNum |= IN_ORDER;
        info->orderByConsumed = 1;
    }
    return SQLITE_OK;
}

static int scope_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    (void)table;
    struct scope_cursor *cursor = sqlite3_malloc(sizeof *cursor);
    if (!cursor)
        return SQLITE_NOMEM;
    *cursor = (struct scope_cursor){0};
    *out = &cursor->base;
    return SQLITE_OK;
}

static void scope_reset(struct scope_cursor *cursor)
{
    sqlite3_finalize(cursor->traces);
    sqlite3_free(cursor->run);
    free(cursor->order);
    sqlite3_vtab_cursor base = cursor->base;
    *cursor = (struct scope_cursor){.base = base};
}

static int scope_close(sqlite3_vtab_cursor *base)
{
    scope_reset((struct scope_cursor *)base);
    sqlite3_free(base);
    return SQLITE_OK;
}

static const struct context *context_of(const struct scope_cursor *cursor)
{
    return ((const struct scope_table *)(const void *)cursor->base.pVtab)->context;
}

static bool is_wanted(const struct scope_cursor *cursor, const struct selected *row)
{
    return (!cursor->run || strcmp(cursor->run, row->run) == 0) &&
           (!cursor->narrow_trace || cursor->trace_id == row->trace_id);
}

static const struct selected *row_at(const struct scope_cursor *cursor, size_t place)
{
    return &context_of(cursor)->selection.items[cursor->order ? cursor->order[place] : place];
}

static int compare_selected(const void *left, const void *right, void *context)
{
    const struct selected *rows = context;
    uint32_t first = *(const uint32_t *)left, second = *(const uint32_t *)right;
    const struct selected *a = &rows[first], *b = &rows[second];
    int order = strcmp(a->run, b->run);
    if (order == 0)
        order = (a->trace_id > b->trace_id) - (a->trace_id < b->trace_id);
    if (order == 0)
        order = (a->is_recompute > b->is_recompute) - (a->is_recompute < b->is_recompute);
    return order ? order : (first > second) - (first < second);
}

static int put_in_order(struct scope_cursor *cursor)
{
    const struct context *context = context_of(cursor);
    size_t count = context->selection.count;
    cursor->order = malloc((count + 1) * sizeof *cursor->order);
    if (!cursor->order)
        return SQLITE_NOMEM;
    for (size_t i = 0; i < count; i++)
        cursor->order[i] = (uint32_t)i;
    qsort_r(cursor->order, count, sizeof *cursor->order, compare_selected,
            context->selection.items);
    return SQLITE_OK;
}

static int scope_next(sqlite3_vtab_cursor *base)
{
    struct scope_cursor *cursor = (struct scope_cursor *)base;
    const struct context *context = context_of(cursor);
    if (cursor->traces) {
        int result = sqlite3_step(cursor->traces);
        cursor->at_end = result != SQLITE_ROW;
        return result == SQLITE_ROW || result == SQLITE_DONE ? SQLITE_OK : result;
    }
    while (cursor->next < context->selection.count &&
           !is_wanted(cursor, row_at(cursor, cursor->next)))
        cursor->next++;
    cursor->at_end = cursor->next >= context->selection.count;
    cursor->next++;
    return SQLITE_OK;
}

#define TRACES_BY                                                                               \
    "SELECT run.name, trace.id, first_event, last_event, NULL FROM trace JOIN run ON run.id = " \
    "trace.run_id WHERE (?1 IS NULL OR run.name = ?1) AND (?2 IS NULL OR trace.id = ?2) "       \
    "ORDER BY "

static int prepare_traces(struct scope_cursor *cursor, bool in_order)
{
    sqlite3 *db = ((struct scope_table *)(void *)cursor->base.pVtab)->db;
    int result =
        sqlite3_prepare_v2(db, in_order ? TRACES_BY "run.name, trace.id" : TRACES_BY "trace.id", -1,
                           &cursor->traces, NULL);
    if (result != SQLITE_OK)
        return result;
    if (cursor->run)
        sqlite3_bind_text(cursor->traces, 1, cursor->run, -1, SQLITE_STATIC);
    if (cursor->narrow_trace)
        sqlite3_bind_int64(cursor->traces, 2, cursor->trace_id);
    return SQLITE_OK;
}

static int scope_filter(sqlite3_vtab_cursor *base, int narrow, const char *unused, int count,
                        sqlite3_value **arguments)
{
    (void)unused, (void)count;
    struct scope_cursor *cursor = (struct scope_cursor *)base;
    scope_reset(cursor);
    int argument = 0;
    if (narrow & NARROW_RUN) {
        const unsigned char *run = sqlite3_value_text(arguments[argument++]);
        cursor->at_end = !run; /* NULL equals nothing */
        cursor->run = run ? sqlite3_mprintf("%s", run) : NULL;
        if (run && !cursor->run)
            return SQLITE_NOMEM;
    }
    if (narrow & NARROW_TRACE) {
        int type = sqlite3_value_numeric_type(arguments[argument]);
        cursor->at_end |= type == SQLITE_NULL;
        cursor->narrow_trace = type == SQLITE_INTEGER; /* anything else SQLite compares itself */
        cursor->trace_id = sqlite3_value_int64(arguments[argument]);
    }
    if (cursor->at_end)
        return SQLITE_OK;
    bool in_order = narrow & IN_ORDER;
    int result = SQLITE_OK;
    if (!context_of(cursor)->is_selected)
        result = prepare_traces(cursor, in_order);
    else if (in_order)
        result = put_in_order(cursor);
    return result == SQLITE_OK ? scope_next(base) : result;
}

static int scope_eof(sqlite3_vtab_cursor *base)
{
    return ((struct scope_cursor *)base)->at_end;
}

static int scope_column(sqlite3_vtab_cursor *base, sqlite3_context *out, int column)
{
    struct scope_cursor *cursor = (struct scope_cursor *)base;
    if (cursor->traces) {
        sqlite3_result_value(out, sqlite3_column_value(cursor->traces, column));
        return SQLITE_OK;
    }
    const struct selected *row = row_at(cursor, cursor->next - 1);
    switch (column) {
    case COLUMN_RUN:
        sqlite3_result_text(out, row->run, -1, SQLITE_TRANSIENT);
        break;
    case COLUMN_TRACE:
        sqlite3_result_int64(out, row->trace_id);
        break;
    case COLUMN_FIRST:
        sqlite3_result_int64(out, row->first_event);
        break;
    case COLUMN_LAST:
        sqlite3_result_int64(out, row->last_event);
        break;
    default:
        if (row->is_recompute >= 0)
            sqlite3_result_int(out, row->is_recompute);
        break;
    }
    return SQLITE_OK;
}

/* The same however the row was found: SQLite tells rows that two terms of an OR found by it. */
static int scope_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
    const struct scope_cursor *cursor = (const struct scope_cursor *)base;
    *rowid = cursor->traces
                 ? sqlite3_column_int64(cursor->traces, COLUMN_TRACE)
                 : row_at(cursor, cursor->next - 1) - context_of(cursor)->selection.items + 1;
    return SQLITE_OK;
}

static const sqlite3_module scope_module = {
    .xConnect = scope_connect,
    .xBestIndex = scope_best_index,
    .xDisconnect = scope_disconnect,
    .xOpen = scope_open,
    .xClose = scope_close,
    .xFilter = scope_filter,
    .xNext = scope_next,
    .xEof = scope_eof,
    .xColumn = scope_column,
    .xRowid = scope_rowid,
};

const struct function scope_functions[] = {
    {.name = "scope",
     .call = "scope(run, trace_id, first_event, last_event, is_recompute)",
     .meaning = "A table: the ranges of event ids that are selected, one row each. Without a "
                "selection every trace of the database. is_recompute tells whether a range "
                "recomputes activations; NULL when that was not asked for.",
     .kind = FUNCTION_TABLE,
     .module = &scope_module},
    {0},
};
