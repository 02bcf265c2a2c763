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
#include "sql/binding/table.h"
#include "sql/database.h"
#include "sql/evaluate/op_cache.h"

struct op_cursor {
    struct table_cursor base;
    sqlite3_stmt *ops;
    struct op_cache *cache;       /* with a share, while there is an entry in hand */
    const struct op_entry *entry; /* of the signature in hand */
    int64_t op, metric;           /* of the signature, and of what is asked about it */
    int64_t variant;              /* what was asked for, when it is more than a signature */

    /* of op_param */
    struct literals shown;
    int name; /* of the parameter in hand; the value is next to it */
    int64_t position;
};

/* Both tables: the keys are op_id and metric_id. The rows are the cursor itself. */
static int start(struct table_cursor *base, const struct table_wish *wish, struct error *error)
{
    (void)error;
    struct op_cursor *cursor = (struct op_cursor *)base;
    bool is_narrow = wish->keys[0] || wish->keys[1];
    cursor->name = LITERAL_NONE;
    base->parts[0] = cursor;
    int result = database_prepare(
        wish->db, is_narrow ? OP_CACHE_SELECT "WHERE op.id = ?1" : OP_CACHE_SELECT "ORDER BY op.id",
        &cursor->ops, NULL);
    if (result != SQLITE_OK)
        return result;
    if (wish->keys[0])
        return sqlite3_bind_value(cursor->ops, 1, wish->keys[0]);
    if (!wish->keys[1])
        return SQLITE_OK;
    int64_t metric = sqlite3_value_int64(wish->keys[1]);
    const struct op_entry *variant = op_cache_variant(wish->context, metric);
    cursor->variant = variant ? metric : 0; /* no signature has such a number */
    return sqlite3_bind_int64(cursor->ops, 1, variant ? variant->op_id : metric);
}

static void stop(struct table_cursor *base)
{
    struct op_cursor *cursor = (struct op_cursor *)base;
    database_finalize(cursor->ops);
    op_cache_release(cursor->cache);
    literal_free(&cursor->shown);
}

/* Goes to the next signature that has a model. */
static int next_op(struct table_cursor *base)
{
    struct op_cursor *cursor = (struct op_cursor *)base;
    struct context *context = table_context(base);
    struct error error = {0};
    int result;
    while ((result = sqlite3_step(cursor->ops)) == SQLITE_ROW) {
        struct op_cache *cache = op_cache_of(table_db(base), context, &error);
        if (!cache)
            return table_fail(base, &error);
        op_cache_retain(cache);
        op_cache_release(cursor->cache);
        cursor->cache = cache;
        cursor->entry = cursor->variant ? op_cache_variant(context, cursor->variant) : NULL;
        if (!cursor->entry && cursor->variant)
            continue; /* what it was given for has changed */
        result = cursor->entry ? SQLITE_OK : op_cache_read(cache, cursor->ops, &cursor->entry);
        if (result != SQLITE_OK)
            return result;
        base->rowid = cursor->op = sqlite3_column_int64(cursor->ops, 0);
        cursor->metric = cursor->variant ? cursor->variant : cursor->op;
        if (cursor->entry->model)
            return SQLITE_OK;
    }
    base->at_end = true;
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

/* Goes to the first parameter of the signature in hand, if it has one. */
static void first_param(struct op_cursor *cursor)
{
    const struct text *shown = &cursor->entry->outcome.shown;
    literal_clear(&cursor->shown);
    int object = cursor->entry->outcome.status <= OUTCOME_NO_BYTES && shown->count
                     ? literal_read(&cursor->shown, text_view(shown))
                     : LITERAL_NONE;
    cursor->position = 1;
    cursor->name = object >= 0 ? literal_at(&cursor->shown, object)->first : LITERAL_NONE;
}

static int next_param(struct table_cursor *base)
{
    struct op_cursor *cursor = (struct op_cursor *)base;
    int result = SQLITE_OK;
    if (cursor->name >= 0) {
        cursor->position++;
        cursor->name =
            literal_at(&cursor->shown, literal_at(&cursor->shown, cursor->name)->next)->next;
    }
    while (cursor->name < 0 && !base->at_end && result == SQLITE_OK) {
        result = next_op(base);
        if (result == SQLITE_OK && !base->at_end)
            first_param(cursor);
        if (cursor->shown.out_of_memory)
            result = SQLITE_NOMEM;
    }
    base->rowid = (cursor->op << 8) + cursor->position;
    return result;
}

/* ------------------------------------------------------------------ columns */

static int give_name(sqlite3_context *out, struct table_cursor *cursor)
{
    sqlite3_result_value(out, sqlite3_column_value(((struct op_cursor *)cursor)->ops, 2));
    return SQLITE_OK;
}

/* The figure that the column's offset names. */
static int give_figure(sqlite3_context *out, struct table_cursor *cursor)
{
    op_entry_give(((struct op_cursor *)cursor)->entry, (enum op_figure)cursor->column->offset, out);
    return SQLITE_OK;
}

static int give_param(sqlite3_context *out, struct table_cursor *base)
{
    struct op_cursor *cursor = (struct op_cursor *)base;
    sqlite3_result_text(out, literal_text(&cursor->shown, cursor->name), -1, SQLITE_TRANSIENT);
    return SQLITE_OK;
}

static int give_value(sqlite3_context *out, struct table_cursor *base)
{
    struct op_cursor *cursor = (struct op_cursor *)base;
    const struct literals *shown = &cursor->shown;
    int value = literal_at(shown, cursor->name)->next;
    struct text json = {0};
    bool done = true;
    if (literal_text(shown, value)) {
        sqlite3_result_text(out, literal_text(shown, value), -1, SQLITE_TRANSIENT);
    } else if (literal_type(shown, value) == LITERAL_INTEGER) {
        sqlite3_result_int64(out, literal_at(shown, value)->integer);
    } else if (literal_type(shown, value) == LITERAL_REAL) {
        sqlite3_result_double(out, literal_at(shown, value)->real);
    } else if (literal_type(shown, value) != LITERAL_NULL) {
        done = literal_add_json(shown, value, &json);
        if (done)
            sqlite3_result_text(out, json.items, (int)json.count, SQLITE_TRANSIENT);
        text_free(&json);
    }
    return done ? SQLITE_OK : SQLITE_NOMEM;
}

#define OF_OP(member)   TABLE_AT(INT64, 0, struct op_cursor, member)
#define GIVEN(function) .origin = TABLE_GIVEN, .give = (function)
#define OP_ID                                                                            \
    {                                                                                    \
        "op_id", "INTEGER", "call signature", OF_OP(op), .role = TABLE_KEY | TABLE_ALONE \
    }
#define METRIC_ID                                                                                \
    {                                                                                            \
        "metric_id", "INTEGER",                                                                  \
            "call signature with all that counts: op_call gives one for each call, and a query " \
            "with it asks about the call",                                                       \
            OF_OP(metric), .role = TABLE_KEY | TABLE_ALONE                                       \
    }

static const struct table_column metric_columns[] = {
    OP_ID,
    {"name", "TEXT", "name of the op", GIVEN(give_name)},
    OP_FIGURE_COLUMNS(give_figure),
    METRIC_ID,
    {0},
};

static const struct table_column param_columns[] = {
    OP_ID,
    {"position", "INTEGER", "place of the parameter as reports show it, from 1", OF_OP(position)},
    {"name", "TEXT", "name of the parameter", GIVEN(give_param)},
    {"value", "", "value of the parameter; lists and truth values as JSON", GIVEN(give_value)},
    METRIC_ID,
    {0},
};

static const struct table metrics = {
    TABLE_MADE(metric_columns, 5000, 1, struct op_cursor, start, next_op, stop)};
static const struct table params = {
    TABLE_MADE(param_columns, 5000, 1, struct op_cursor, start, next_param, stop)};

const struct function op_functions[] = {
    TABLE("op_metric", metrics,
          "A table: what the models say about each call signature whose op has one. What a "
          "signature does not say, such as the batch of a step, is absent."),
    TABLE("op_param", params,
          "A table: the parameters of each call signature that a model could be used for, in the "
          "order in which reports show them; lists and truth values as JSON."),
    {0},
};
