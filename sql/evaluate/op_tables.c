/* op_tables: what the models say about the call signatures of a warehouse.
 *
 *     op_metric    a table: a row for each signature whose op has a model: FLOPs, bytes, status
 *     op_param     a table: a row for each parameter that such a signature shows
 *
 *     SELECT name, flops, bytes FROM op_metric WHERE op_id = 7            -> aten::mm, 240, 296
 *
 * Each signature is evaluated once for a connection, and again when the catalog or anything else in
 * the database has changed. With the option compat the rows of that profile hold. What a signature
 * does not say (kernels, the batch of a step, the forward op) is absent here, but for a metric_id
 * that op_call gave. Equality on op_id and metric_id is used; without it all signatures are
 * gone through.
 */
#include "sql/binding/function.h"
#include "sql/evaluate/op_cache.h"

SQLITE_EXTENSION_INIT3

struct op_table {
    sqlite3_vtab base;
    sqlite3 *db;
    struct context *context;
    bool shows_params; /* op_param; otherwise op_metric */
};

struct op_cursor {
    sqlite3_vtab_cursor base;
    sqlite3_stmt *ops;
    struct op_cache *cache;       /* with a share, while there is an entry in hand */
    const struct op_entry *entry; /* of the signature in hand */
    struct literals shown;
    int name, position; /* of the parameter in hand */
    int64_t variant;    /* what was asked for, when it is more than a signature */
    bool at_end;
};

static struct op_table *table_of(const struct op_cursor *cursor)
{
    return (struct op_table *)(void *)cursor->base.pVtab;
}

/* ------------------------------------------------------------------ the tables */

enum {
    METRIC_OP,
    METRIC_NAME,
    METRIC_MODEL,
    METRIC_STATUS,
    METRIC_REASON,
    METRIC_FLOPS,
    METRIC_BYTES,
    METRIC_FLOPS_BWD,
    METRIC_BYTES_BWD,
    METRIC_SPEC,
    METRIC_CATEGORY,
    METRIC_CATEGORY_BWD,
    METRIC_SHEET,
    METRIC_PARAMS,
    METRIC_ID,
};

enum { PARAM_OP, PARAM_POSITION, PARAM_NAME, PARAM_VALUE, PARAM_METRIC };

static int connect(sqlite3 *db, void *context, const char *declaration, bool shows_params,
                   sqlite3_vtab **out)
{
    int result = sqlite3_declare_vtab(db, declaration);
    if (result != SQLITE_OK)
        return result;
    sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    struct op_table *table = sqlite3_malloc(sizeof *table);
    if (!table)
        return SQLITE_NOMEM;
    *table = (struct op_table){.db = db, .context = context, .shows_params = shows_params};
    *out = &table->base;
    return SQLITE_OK;
}

static int metric_connect(sqlite3 *db, void *context, int count, const char *const *arguments,
                          sqlite3_vtab **out, char **error)
{
    (void)count, (void)arguments, (void)error;
    return connect(db, context,
                   "CREATE TABLE op_metric(op_id INTEGER, name TEXT, model TEXT, status TEXT, "
                   "reason TEXT, flops, bytes, flops_bwd, bytes_bwd, compute_spec TEXT, "
                   "category TEXT, bwd_category TEXT, sheet TEXT, params TEXT, metric_id INTEGER)",
                   false, out);
}

static int param_connect(sqlite3 *db, void *context, int count, const char *const *arguments,
                         sqlite3_vtab **out, char **error)
{
    (void)count, (void)arguments, (void)error;
    return connect(db, context,
                   "CREATE TABLE op_param(op_id INTEGER, position INTEGER, name TEXT, value, "
                   "metric_id INTEGER)",
                   true, out);
}

static int op_disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

enum { ALL, BY_SIGNATURE, BY_METRIC };

static int op_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    bool shows_params = ((const struct op_table *)(const void *)table)->shows_params;
    info->estimatedRows = 5000;
    for (int i = 0; i < info->nConstraint && info->idxNum == ALL; i++) {
        const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];
        bool is_metric = constraint->iColumn == (shows_params ? PARAM_METRIC : METRIC_ID);
        if (constraint->usable && constraint->op == SQLITE_INDEX_CONSTRAINT_EQ &&
            (constraint->iColumn == METRIC_OP || is_metric)) {
            info->aConstraintUsage[i].argvIndex = 1;
            info->idxNum = is_metric ? BY_METRIC : BY_SIGNATURE;
            info->estimatedRows = 1;
        }
    }
    info->estimatedCost = (double)info->estimatedRows;
    return SQLITE_OK;
}

static int op_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    (void)table;
    struct op_cursor *cursor = sqlite3_malloc(sizeof *cursor);
    if (!cursor)
        return SQLITE_NOMEM;
    *cursor = (struct op_cursor){.at_end = true};
    *out = &cursor->base;
    return SQLITE_OK;
}

static int op_close(sqlite3_vtab_cursor *base)
{
    struct op_cursor *cursor = (struct op_cursor *)base;
    sqlite3_finalize(cursor->ops);
    op_cache_release(cursor->cache);
    literal_free(&cursor->shown);
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static int fail(struct op_cursor *cursor, const struct error *error)
{
    sqlite3_free(cursor->base.pVtab->zErrMsg);
    cursor->base.pVtab->zErrMsg = sqlite3_mprintf("%s", error->text);
    return error->memory ? SQLITE_NOMEM : SQLITE_ERROR;
}

/* Goes to the first parameter of the signature in hand; false when there is none, or no memory. */
static bool first_param(struct op_cursor *cursor)
{
    const struct text *shown = &cursor->entry->outcome.shown;
    literal_clear(&cursor->shown);
    int object = cursor->entry->outcome.status <= OUTCOME_NO_BYTES && shown->count
                     ? literal_read(&cursor->shown, (struct view){shown->items, shown->count})
                     : LITERAL_NONE;
    cursor->position = 1;
    cursor->name = object >= 0 ? literal_at(&cursor->shown, object)->first : LITERAL_NONE;
    return cursor->name >= 0;
}

static bool next_param(struct op_cursor *cursor)
{
    cursor->position++;
    cursor->name = literal_at(&cursor->shown, literal_at(&cursor->shown, cursor->name)->next)->next;
    return cursor->name >= 0;
}

/* Goes to the next signature that has a row. */
static int next_op(struct op_cursor *cursor)
{
    struct op_table *table = table_of(cursor);
    struct error error = {0};
    int result;
    while ((result = sqlite3_step(cursor->ops)) == SQLITE_ROW) {
        struct op_cache *cache = op_cache_of(table->db, table->context, &error);
        if (!cache)
            return fail(cursor, &error);
        op_cache_retain(cache);
        op_cache_release(cursor->cache);
        cursor->cache = cache;
        cursor->entry = cursor->variant ? op_cache_variant(table->context, cursor->variant)
                                        : op_cache_read(cache, cursor->ops);
        if (!cursor->entry && cursor->variant)
            continue; /* what it was given for has changed */
        if (!cursor->entry)
            return SQLITE_NOMEM;
        if (cursor->entry->model && (!table->shows_params || first_param(cursor)))
            return SQLITE_OK;
        if (cursor->shown.out_of_memory)
            return SQLITE_NOMEM;
    }
    cursor->at_end = true;
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

static int op_next(sqlite3_vtab_cursor *base)
{
    struct op_cursor *cursor = (struct op_cursor *)base;
    if (table_of(cursor)->shows_params && next_param(cursor))
        return SQLITE_OK;
    return next_op(cursor);
}

static int op_filter(sqlite3_vtab_cursor *base, int narrow, const char *unused, int count,
                     sqlite3_value **arguments)
{
    (void)unused, (void)count;
    struct op_cursor *cursor = (struct op_cursor *)base;
    int result = SQLITE_OK;
    if (!cursor->ops)
        result = sqlite3_prepare_v2(table_of(cursor)->db,
                                    narrow ? OP_CACHE_SELECT "WHERE op.id = ?1"
                                           : OP_CACHE_SELECT "ORDER BY op.id",
                                    -1, &cursor->ops, NULL);
    else
        sqlite3_reset(cursor->ops);
    if (result != SQLITE_OK)
        return result;
    cursor->at_end = false;
    cursor->variant = 0;
    if (narrow == BY_METRIC) {
        int64_t metric = sqlite3_value_int64(arguments[0]);
        const struct op_entry *variant = op_cache_variant(table_of(cursor)->context, metric);
        cursor->variant = variant ? metric : 0; /* no signature has such a number */
        sqlite3_bind_int64(cursor->ops, 1, variant ? variant->op_id : metric);
    } else if (narrow) {
        sqlite3_bind_value(cursor->ops, 1, arguments[0]);
    }
    return next_op(cursor);
}

static int op_eof(sqlite3_vtab_cursor *base)
{
    return ((struct op_cursor *)base)->at_end;
}

static void metric_column(const struct op_cursor *cursor, sqlite3_context *out, int column)
{
    static const enum op_figure figures[] = {
        [METRIC_MODEL] = OP_MODEL,         [METRIC_STATUS] = OP_STATUS,
        [METRIC_REASON] = OP_REASON,       [METRIC_FLOPS] = OP_FLOPS,
        [METRIC_BYTES] = OP_BYTES,         [METRIC_FLOPS_BWD] = OP_FLOPS_BWD,
        [METRIC_BYTES_BWD] = OP_BYTES_BWD, [METRIC_SPEC] = OP_SPEC,
        [METRIC_CATEGORY] = OP_CATEGORY,   [METRIC_CATEGORY_BWD] = OP_CATEGORY_BWD,
        [METRIC_SHEET] = OP_SHEET,         [METRIC_PARAMS] = OP_PARAMS};
    if (column == METRIC_NAME)
        sqlite3_result_value(out, sqlite3_column_value(cursor->ops, 2));
    else
        op_entry_give(cursor->entry, figures[column], out);
}

static int64_t metric_of(const struct op_cursor *cursor)
{
    return cursor->variant ? cursor->variant : sqlite3_column_int64(cursor->ops, 0);
}

static void param_column(const struct op_cursor *cursor, sqlite3_context *out, int column)
{
    const struct literals *shown = &cursor->shown;
    int value = literal_at(shown, cursor->name)->next;
    struct text json = {0};
    if (column == PARAM_POSITION) {
        sqlite3_result_int(out, cursor->position);
    } else if (column == PARAM_NAME) {
        sqlite3_result_text(out, literal_text(shown, cursor->name), -1, SQLITE_TRANSIENT);
    } else if (literal_text(shown, value)) {
        sqlite3_result_text(out, literal_text(shown, value), -1, SQLITE_TRANSIENT);
    } else if (literal_type(shown, value) == LITERAL_INTEGER) {
        sqlite3_result_int64(out, literal_at(shown, value)->integer);
    } else if (literal_type(shown, value) == LITERAL_REAL) {
        sqlite3_result_double(out, literal_at(shown, value)->real);
    } else if (literal_type(shown, value) != LITERAL_NULL) {
        if (literal_add_json(shown, value, &json))
            sqlite3_result_text(out, json.items, (int)json.count, SQLITE_TRANSIENT);
        else
            sqlite3_result_error_nomem(out);
        text_free(&json);
    }
}

static int op_column(sqlite3_vtab_cursor *base, sqlite3_context *out, int column)
{
    const struct op_cursor *cursor = (const struct op_cursor *)base;
    bool shows_params = table_of(cursor)->shows_params;
    if (column == METRIC_OP)
        sqlite3_result_int64(out, sqlite3_column_int64(cursor->ops, 0));
    else if (column == (shows_params ? PARAM_METRIC : METRIC_ID))
        sqlite3_result_int64(out, metric_of(cursor));
    else if (shows_params)
        param_column(cursor, out, column);
    else
        metric_column(cursor, out, column);
    return SQLITE_OK;
}

static int op_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
    const struct op_cursor *cursor = (const struct op_cursor *)base;
    *rowid = sqlite3_column_int64(cursor->ops, 0);
    if (table_of(cursor)->shows_params)
        *rowid = (*rowid << 8) + cursor->position;
    return SQLITE_OK;
}

#define SHARED                                                                   \
    .xBestIndex = op_best_index, .xDisconnect = op_disconnect, .xOpen = op_open, \
    .xClose = op_close, .xFilter = op_filter, .xNext = op_next, .xEof = op_eof,  \
    .xColumn = op_column, .xRowid = op_rowid

static const sqlite3_module metric_module = {.xConnect = metric_connect, SHARED};
static const sqlite3_module param_module = {.xConnect = param_connect, SHARED};

const struct function op_functions[] = {
    {.name = "op_metric",
     .call = "op_metric(op_id, name, model, status, reason, flops, bytes, flops_bwd, bytes_bwd, "
             "compute_spec, category, bwd_category, sheet, params, metric_id)",
     .meaning =
         "A table: what the models say about each call signature whose op has one. status is "
         "ok, no_bytes (only FLOPs are known), fail or skip, with the reason; compute_spec "
         "the kind of peak that bounds it; params a JSON object of what is shown. What a "
         "signature does not say, such as the batch of a step, is absent; metric_id, which "
         "op_call gives for each call, asks with it.",
     .kind = FUNCTION_TABLE,
     .module = &metric_module},
    {.name = "op_param",
     .call = "op_param(op_id, position, name, value, metric_id)",
     .meaning = "A table: the parameters of each call signature that a model could be used for, in "
                "the order in which reports show them; lists and truth values as JSON.",
     .kind = FUNCTION_TABLE,
     .module = &param_module},
    {0},
};
