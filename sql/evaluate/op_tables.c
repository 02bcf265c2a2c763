/* op_tables: what the models say about the call signatures of a warehouse.
 *
 *     op_metric    a table: a row for each signature whose op has a model: FLOPs, bytes, status
 *     op_param     a table: a row for each parameter that such a signature shows
 *
 *     SELECT name, flops, bytes FROM op_metric WHERE op_id = 7            -> aten::mm, 240, 296
 *
 * Each signature is evaluated once for a connection, and again when the catalog or anything else in
 * the database has changed. With the option compat the rows of that profile hold. What a signature
 * does not say (kernels, the batch of a step, the forward op) is absent here. Equality on op_id is
 * used; without it all signatures are gone through.
 */
#include "base/map.h"
#include "evaluator.h"
#include "functions/functions.h"

#include <string.h>

SQLITE_EXTENSION_INIT3

struct entry {
    struct model *model; /* NULL = the op has none */
    struct outcome outcome;
};

/* The results so far. The context of the connection has a share, and each cursor that stands on
 * one of them: so they stay while somebody reads, whatever changes. */
struct op_cache {
    int shares;
    struct evaluator *evaluator;
    struct map places; /* signature -> place in entries, from 1 */
    struct map models; /* name -> place in the evaluator's rows, from 1; 1 = no model */
    ARRAY(struct entry *) entries;
    unsigned data_version;
    int changes;
    bool compat;
};

static void release_cache(void *pointer)
{
    struct op_cache *self = pointer;
    if (!self || --self->shares > 0)
        return;
    for (size_t i = 0; i < self->entries.count; i++) {
        outcome_free(&self->entries.items[i]->outcome);
        free(self->entries.items[i]);
    }
    array_free(&self->entries);
    map_free(&self->places);
    map_free(&self->models);
    evaluator_close(self->evaluator);
    free(self);
}

struct op_table {
    sqlite3_vtab base;
    sqlite3 *db;
    struct context *context;
    bool shows_params; /* op_param; otherwise op_metric */
};

struct op_cursor {
    sqlite3_vtab_cursor base;
    sqlite3_stmt *ops;
    struct op_cache *cache;    /* with a share, while there is an entry in hand */
    const struct entry *entry; /* of the signature in hand */
    struct literals shown;
    int name, position; /* of the parameter in hand */
    bool at_end;
};

static struct op_table *table_of(const struct op_cursor *cursor)
{
    return (struct op_table *)(void *)cursor->base.pVtab;
}

/* ------------------------------------------------------------------ the cache */

static struct op_cache *cache_of(struct op_table *table, struct error *error)
{
    struct context *context = table->context;
    struct op_cache *cache = context->models;
    bool compat = context_get(context, "compat") != NULL;
    unsigned data_version = 0;
    sqlite3_file_control(table->db, "main", SQLITE_FCNTL_DATA_VERSION, &data_version);
    int changes = sqlite3_total_changes(table->db);
    if (cache && cache->compat == compat && cache->data_version == data_version &&
        cache->changes == changes)
        return cache;
    release_cache(cache);
    context->models = NULL;
    cache = calloc(1, sizeof *cache);
    if (cache)
        cache->evaluator = evaluator_open(table->db, compat, error);
    else
        error_memory(error);
    if (!cache || !cache->evaluator) {
        free(cache);
        return NULL;
    }
    cache->shares = 1;
    cache->compat = compat;
    cache->data_version = data_version;
    cache->changes = changes;
    context->models = cache;
    context->free_models = release_cache;
    return cache;
}

/* The model of a name; false when memory is out. */
static bool model_of(struct op_cache *cache, int64_t name_id, const char *name,
                     struct model **model)
{
    uint32_t *place = map_put(&cache->models, name_id, 0);
    struct model *rows = evaluator_models(cache->evaluator)->items;
    if (!place)
        return false;
    if (*place == 0) {
        struct model *found = evaluator_find(cache->evaluator, name);
        *place = found ? (uint32_t)(found - rows) + 2 : 1;
    }
    *model = *place > 1 ? &rows[*place - 2] : NULL;
    return true;
}

static bool evaluate(struct op_cache *cache, sqlite3_stmt *ops, struct entry *entry)
{
    const char *texts[5];
    struct signature call = {0};
    for (int i = 0; i < 5; i++)
        texts[i] = (const char *)sqlite3_column_text(ops, i + 2);
    bool done =
        model_of(cache, sqlite3_column_int64(ops, 1), texts[0] ? texts[0] : "", &entry->model);
    if (!done || !entry->model)
        return done;
    done = signature_start(&call, texts[0]);
    if (done) {
        call.dims = signature_part(&call, texts[1]);
        call.types = signature_part(&call, texts[2]);
        call.strides = signature_part(&call, texts[3]);
        call.concrete = signature_part(&call, texts[4]);
        done = !call.values.out_of_memory &&
               evaluator_run(cache->evaluator, entry->model, &call, &entry->outcome);
    }
    signature_free(&call);
    return done;
}

/* The results for the signature that the statement stands on; NULL when memory is out. */
static const struct entry *entry_of(struct op_cache *cache, sqlite3_stmt *ops)
{
    uint32_t *place = map_put(&cache->places, sqlite3_column_int64(ops, 0), 0);
    if (!place || *place)
        return place ? cache->entries.items[*place - 1] : NULL;
    struct entry *entry = calloc(1, sizeof *entry);
    struct entry **added = entry ? array_push(&cache->entries) : NULL;
    if (!added) {
        free(entry);
        return NULL;
    }
    *added = entry;
    if (!evaluate(cache, ops, entry))
        return NULL;
    *place = (uint32_t)cache->entries.count;
    return entry;
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
};

enum { PARAM_OP, PARAM_POSITION, PARAM_NAME, PARAM_VALUE };

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
                   "category TEXT, bwd_category TEXT, sheet TEXT, params TEXT)",
                   false, out);
}

static int param_connect(sqlite3 *db, void *context, int count, const char *const *arguments,
                         sqlite3_vtab **out, char **error)
{
    (void)count, (void)arguments, (void)error;
    return connect(db, context,
                   "CREATE TABLE op_param(op_id INTEGER, position INTEGER, name TEXT, value)", true,
                   out);
}

static int op_disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

static int op_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    info->estimatedRows = 5000;
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];
        if (constraint->usable && constraint->op == SQLITE_INDEX_CONSTRAINT_EQ &&
            constraint->iColumn == METRIC_OP) {
            info->aConstraintUsage[i].argvIndex = 1;
            info->idxNum = 1;
            info->estimatedRows = 1;
            break;
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
    release_cache(cursor->cache);
    literal_free(&cursor->shown);
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static int fail(struct op_cursor *cursor, const struct error *error)
{
    sqlite3_free(cursor->base.pVtab->zErrMsg);
    cursor->base.pVtab->zErrMsg = sqlite3_mprintf("%s", error->text);
    return SQLITE_ERROR;
}

/* Goes to the first parameter of the signature in hand; false when there is none. */
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
        struct op_cache *cache = cache_of(table, &error);
        if (!cache)
            return fail(cursor, &error);
        cache->shares++;
        release_cache(cursor->cache);
        cursor->cache = cache;
        cursor->entry = entry_of(cache, cursor->ops);
        if (!cursor->entry)
            return SQLITE_NOMEM;
        if (cursor->entry->model && (!table->shows_params || first_param(cursor)))
            return SQLITE_OK;
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
        result = sqlite3_prepare_v2(
            table_of(cursor)->db,
            narrow ? "SELECT op.id, name_id, name.text, dims.text, types.text, strides.text, "
                     "concrete.text FROM op JOIN string AS name ON name.id = name_id "
                     "LEFT JOIN string AS dims ON dims.id = dims_id "
                     "LEFT JOIN string AS types ON types.id = types_id "
                     "LEFT JOIN string AS strides ON strides.id = strides_id "
                     "LEFT JOIN string AS concrete ON concrete.id = concrete_id WHERE op.id = ?1"
                   : "SELECT op.id, name_id, name.text, dims.text, types.text, strides.text, "
                     "concrete.text FROM op JOIN string AS name ON name.id = name_id "
                     "LEFT JOIN string AS dims ON dims.id = dims_id "
                     "LEFT JOIN string AS types ON types.id = types_id "
                     "LEFT JOIN string AS strides ON strides.id = strides_id "
                     "LEFT JOIN string AS concrete ON concrete.id = concrete_id ORDER BY op.id",
            -1, &cursor->ops, NULL);
    else
        sqlite3_reset(cursor->ops);
    if (result != SQLITE_OK)
        return result;
    cursor->at_end = false;
    if (narrow)
        sqlite3_bind_value(cursor->ops, 1, arguments[0]);
    return next_op(cursor);
}

static int op_eof(sqlite3_vtab_cursor *base)
{
    return ((struct op_cursor *)base)->at_end;
}

static void give_text(sqlite3_context *out, const char *text)
{
    if (text && *text)
        sqlite3_result_text(out, text, -1, SQLITE_TRANSIENT);
}

static void give_figure(sqlite3_context *out, const struct figure *figure)
{
    if (figure->type == FIGURE_INTEGER)
        sqlite3_result_int64(out, figure->integer);
    else if (figure->type == FIGURE_REAL)
        sqlite3_result_double(out, figure->real);
}

static void metric_column(const struct op_cursor *cursor, sqlite3_context *out, int column)
{
    const struct model *model = cursor->entry->model;
    const struct outcome *outcome = &cursor->entry->outcome;
    const struct figure *const figures[] = {&outcome->flops, &outcome->bytes, &outcome->flops_bwd,
                                            &outcome->bytes_bwd};
    char *sheet;
    switch (column) {
    case METRIC_NAME:
        sqlite3_result_value(out, sqlite3_column_value(cursor->ops, 2));
        break;
    case METRIC_MODEL:
        give_text(out, model->op);
        break;
    case METRIC_STATUS:
        give_text(out, outcome_names[outcome->status]);
        break;
    case METRIC_REASON:
        give_text(out, outcome->reason.items);
        break;
    case METRIC_FLOPS:
    case METRIC_BYTES:
    case METRIC_FLOPS_BWD:
    case METRIC_BYTES_BWD:
        give_figure(out, figures[column - METRIC_FLOPS]);
        break;
    case METRIC_SPEC:
        give_text(out, outcome->spec.items);
        break;
    case METRIC_CATEGORY:
        give_text(out, model->category);
        break;
    case METRIC_CATEGORY_BWD:
        give_text(out, model->bwd_category);
        break;
    case METRIC_SHEET:
        sheet = model_sheet(model);
        give_text(out, sheet);
        free(sheet);
        break;
    default:
        give_text(out, outcome->shown.items);
        break;
    }
}

static void param_column(const struct op_cursor *cursor, sqlite3_context *out, int column)
{
    const struct literals *shown = &cursor->shown;
    int value = literal_at(shown, cursor->name)->next;
    struct text json = {0};
    if (column == PARAM_POSITION) {
        sqlite3_result_int(out, cursor->position);
    } else if (column == PARAM_NAME) {
        give_text(out, literal_text(shown, cursor->name));
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
    if (column == METRIC_OP)
        sqlite3_result_int64(out, sqlite3_column_int64(cursor->ops, 0));
    else if (table_of(cursor)->shows_params)
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
             "compute_spec, category, bwd_category, sheet, params)",
     .meaning =
         "A table: what the models say about each call signature whose op has one. status is "
         "ok, no_bytes (only FLOPs are known), fail or skip, with the reason; compute_spec "
         "the kind of peak that bounds it; params a JSON object of what is shown. What a "
         "signature does not say, such as the batch of a step, is absent.",
     .kind = FUNCTION_TABLE,
     .module = &metric_module},
    {.name = "op_param",
     .call = "op_param(op_id, position, name, value)",
     .meaning = "A table: the parameters of each call signature that a model could be used for, in "
                "the order in which reports show them; lists and truth values as JSON.",
     .kind = FUNCTION_TABLE,
     .module = &param_module},
    {0},
};
