/* tree_tables: walks through the call tree, as tables.
 *
 *     ancestors(event)              the events above it, nearest first: id, depth (1, 2, ...)
 *     descendants(event [, depth])  the events below it in preorder: id, depth; not deeper than
 *                                   `depth` levels when it is given
 *     kernels_below(event)          accelerator work below it: id, call_id (what launched it)
 *
 *     SELECT name FROM ancestors(4711) JOIN slice USING (id)
 *     SELECT sum(dur_ns) FROM kernels_below(4711) JOIN gpu_event USING (id)
 *
 * They live on the numbering: what is below an event is the ids up to its last descendant. NULL, or
 * an id that does not exist, gives no rows.
 */
#include "sql/binding/function.h"

#include <string.h>

SQLITE_EXTENSION_INIT3

enum walk { WALK_ANCESTORS, WALK_DESCENDANTS, WALK_KERNELS };

enum { COLUMN_ID, COLUMN_SECOND, COLUMN_EVENT, COLUMN_LEVELS };

/* One statement each; ?1 is the event. The second column: of a descendant its last id, of
 * accelerator work its call. An ancestor has a smaller id; a broken tree is no reason to walk in
 * circles. */
static const char *const statements[] = {
    [WALK_ANCESTORS] = "SELECT id, NULL FROM event WHERE id = "
                       "(SELECT parent_id FROM event WHERE id = ?1) AND id < ?1",
    [WALK_DESCENDANTS] = "SELECT below.id, below.last_id FROM event AS top CROSS JOIN event AS "
                         "below ON below.id > top.id AND below.id <= top.last_id WHERE top.id = ?1",
    [WALK_KERNELS] = "SELECT gpu_event.id, call_id FROM event AS top CROSS JOIN gpu_event ON "
                     "gpu_event.id > top.id AND gpu_event.id <= top.last_id WHERE top.id = ?1",
};

/* Hidden columns are the arguments. With the event, ids tell the rows of several walks apart. */
#define DECLARE(second, arguments)                                               \
    "CREATE TABLE walk(id INTEGER, " second " INTEGER, event HIDDEN, " arguments \
    "PRIMARY KEY (event, id)) WITHOUT ROWID"
static const char *const declarations[] = {
    [WALK_ANCESTORS] = DECLARE("depth", ""),
    [WALK_DESCENDANTS] = DECLARE("depth", "levels HIDDEN, "),
    [WALK_KERNELS] = DECLARE("call_id", ""),
};

struct walk_table {
    sqlite3_vtab base;
    sqlite3 *db;
    enum walk walk;
};

struct walk_cursor {
    sqlite3_vtab_cursor base;
    sqlite3_stmt *statement;
    ARRAY(sqlite3_int64) open; /* last ids of the events that are open, outermost first */
    sqlite3_int64 event, id, depth, levels;
    bool at_end;
};

static int walk_connect(sqlite3 *db, enum walk walk, sqlite3_vtab **out)
{
    int result = sqlite3_declare_vtab(db, declarations[walk]);
    if (result != SQLITE_OK)
        return result;
    sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    struct walk_table *table = sqlite3_malloc(sizeof *table);
    if (!table)
        return SQLITE_NOMEM;
    *table = (struct walk_table){.db = db, .walk = walk};
    *out = &table->base;
    return SQLITE_OK;
}

#define CONNECT(function, walk)                                                              \
    static int function(sqlite3 *db, void *context, int count, const char *const *arguments, \
                        sqlite3_vtab **out, char **error)                                    \
    {                                                                                        \
        (void)context, (void)count, (void)arguments, (void)error;                            \
        return walk_connect(db, walk, out);                                                  \
    }

CONNECT(connect_ancestors, WALK_ANCESTORS)
CONNECT(connect_descendants, WALK_DESCENDANTS)
CONNECT(connect_kernels, WALK_KERNELS)

static int walk_disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

static int walk_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    int event = -1, levels = -1;
    bool waits = false; /* an argument depends on a table that comes later */
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];
        if (constraint->op != SQLITE_INDEX_CONSTRAINT_EQ || constraint->iColumn < COLUMN_EVENT)
            continue;
        if (!constraint->usable)
            waits = true;
        else if (constraint->iColumn == COLUMN_EVENT)
            event = i;
        else
            levels = i;
    }
    if (waits)
        return SQLITE_CONSTRAINT;
    info->estimatedCost = event >= 0 ? 100 : 1e9;
    info->estimatedRows = event >= 0 ? 100 : 1;
    info->idxNum = event >= 0;
    if (event >= 0) {
        info->aConstraintUsage[event].argvIndex = 1;
        info->aConstraintUsage[event].omit = 1;
    }
    if (event >= 0 && levels >= 0) {
        info->aConstraintUsage[levels].argvIndex = 2;
        info->aConstraintUsage[levels].omit = 1;
    }
    return SQLITE_OK;
}

static int walk_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    (void)table;
    struct walk_cursor *cursor = sqlite3_malloc(sizeof *cursor);
    if (!cursor)
        return SQLITE_NOMEM;
    *cursor = (struct walk_cursor){0};
    *out = &cursor->base;
    return SQLITE_OK;
}

static int walk_close(sqlite3_vtab_cursor *base)
{
    struct walk_cursor *cursor = (struct walk_cursor *)base;
    sqlite3_finalize(cursor->statement);
    array_free(&cursor->open);
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static enum walk walk_of(const struct walk_cursor *cursor)
{
    return ((const struct walk_table *)(const void *)cursor->base.pVtab)->walk;
}

/* Depth in the preorder: how many of the events opened before still last. */
static int descend(struct walk_cursor *cursor, sqlite3_int64 last)
{
    while (cursor->open.count && cursor->open.items[cursor->open.count - 1] < cursor->id)
        cursor->open.count--;
    cursor->depth = (sqlite3_int64)cursor->open.count + 1;
    sqlite3_int64 *added = array_push(&cursor->open);
    if (!added)
        return SQLITE_NOMEM;
    *added = last;
    return SQLITE_OK;
}

static int walk_next(sqlite3_vtab_cursor *base)
{
    struct walk_cursor *cursor = (struct walk_cursor *)base;
    enum walk walk = walk_of(cursor);
    for (;;) {
        int result = sqlite3_step(cursor->statement);
        if (result != SQLITE_ROW) {
            cursor->at_end = true;
            return result == SQLITE_DONE ? SQLITE_OK : result;
        }
        cursor->id = sqlite3_column_int64(cursor->statement, 0);
        if (walk == WALK_DESCENDANTS) {
            result = descend(cursor, sqlite3_column_int64(cursor->statement, 1));
            if (result != SQLITE_OK)
                return result;
            if (cursor->depth > cursor->levels)
                continue;
        } else if (walk == WALK_ANCESTORS) {
            cursor->depth++;
            sqlite3_reset(cursor->statement);
            sqlite3_bind_int64(cursor->statement, 1, cursor->id);
        }
        return SQLITE_OK;
    }
}

static int walk_filter(sqlite3_vtab_cursor *base, int has_event, const char *unused, int count,
                       sqlite3_value **arguments)
{
    (void)unused;
    struct walk_cursor *cursor = (struct walk_cursor *)base;
    const struct walk_table *table = (const struct walk_table *)(const void *)base->pVtab;
    sqlite3_finalize(cursor->statement);
    cursor->statement = NULL;
    cursor->open.count = 0;
    cursor->depth = 0;
    cursor->levels = count > 1 && sqlite3_value_type(arguments[1]) != SQLITE_NULL
                         ? sqlite3_value_int64(arguments[1])
                         : INT64_MAX;
    cursor->at_end = !has_event || sqlite3_value_type(arguments[0]) == SQLITE_NULL;
    if (cursor->at_end)
        return SQLITE_OK;
    cursor->event = sqlite3_value_int64(arguments[0]);
    int result =
        sqlite3_prepare_v2(table->db, statements[table->walk], -1, &cursor->statement, NULL);
    if (result != SQLITE_OK)
        return result;
    sqlite3_bind_int64(cursor->statement, 1, cursor->event);
    return walk_next(base);
}

static int walk_eof(sqlite3_vtab_cursor *base)
{
    return ((struct walk_cursor *)base)->at_end;
}

static int walk_column(sqlite3_vtab_cursor *base, sqlite3_context *out, int column)
{
    const struct walk_cursor *cursor = (const struct walk_cursor *)base;
    if (column == COLUMN_ID)
        sqlite3_result_int64(out, cursor->id);
    else if (column == COLUMN_SECOND && walk_of(cursor) == WALK_KERNELS)
        sqlite3_result_value(out, sqlite3_column_value(cursor->statement, 1));
    else if (column == COLUMN_SECOND)
        sqlite3_result_int64(out, cursor->depth);
    else if (column == COLUMN_EVENT)
        sqlite3_result_int64(out, cursor->event);
    return SQLITE_OK;
}

#define MODULE(connect)                                                                       \
    {                                                                                         \
        .xConnect = (connect), .xBestIndex = walk_best_index, .xDisconnect = walk_disconnect, \
        .xOpen = walk_open, .xClose = walk_close, .xFilter = walk_filter, .xNext = walk_next, \
        .xEof = walk_eof, .xColumn = walk_column                                              \
    }

static const sqlite3_module ancestors_module = MODULE(connect_ancestors);
static const sqlite3_module descendants_module = MODULE(connect_descendants);
static const sqlite3_module kernels_module = MODULE(connect_kernels);

const struct function tree_functions[] = {
    {.name = "ancestors",
     .call = "ancestors(event)",
     .meaning = "A table: the events above an event, nearest first, with their distance: id, "
                "depth. No rows for NULL or an id that does not exist.",
     .kind = FUNCTION_TABLE,
     .module = &ancestors_module},
    {.name = "descendants",
     .call = "descendants(event [, depth])",
     .meaning = "A table: the events below an event in preorder, with their depth below it, not "
                "deeper than the second argument: id, depth. No rows for NULL or an id that does "
                "not exist.",
     .kind = FUNCTION_TABLE,
     .module = &descendants_module},
    {.name = "kernels_below",
     .call = "kernels_below(event)",
     .meaning = "A table: the accelerator work that was launched below an event, and the call that "
                "launched it: id, call_id. No rows for "
                "NULL or an id that does not exist.",
     .kind = FUNCTION_TABLE,
     .module = &kernels_module},
    {0},
};
