/* op_cache: Results are kept by the number of a signature, and of the kernels and annotations
 * around it where the model asks for them. */
#include "sql/evaluate/op_cache.h"

#include "sql/binding/function.h"
#include "sql/database.h"
#include "src/base/map.h"

#include <string.h>

/* Numbers of results that are more than a signature: the cache that has them, and their place. So
 * a number from a cache that is gone finds nothing. */
enum { NUMBER_SHIFT = 32 };

struct op_cache {
    int shares;
    struct memory *memory; /* in which all of it is */
    sqlite3 *db;
    struct evaluator *evaluator;
    struct map places; /* signature and what is around it -> place in entries, from 1 */
    struct map models; /* name -> place in the evaluator's rows, from 2; 1 = no model */
    struct map shown;  /* two hashes of shown parameters -> their number */
    ARRAY(struct op_entry *) entries;
    sqlite3_stmt *ask_op, *ask_args, *ask_name; /* only while a call is evaluated */
    struct database_state state;
    unsigned statements; /* of the context, when it was made */
    unsigned generation;
    bool compat;
    int failure; /* why a question was not answered, a result code of SQLite */
};

void op_cache_release(void *pointer)
{
    struct op_cache *self = pointer;
    if (!self || --self->shares > 0)
        return;
    for (size_t i = 0; i < self->entries.count; i++) {
        outcome_free(&self->entries.items[i]->outcome);
        memory_free(self->entries.items[i]);
    }
    array_free(&self->entries);
    map_free(&self->places);
    map_free(&self->models);
    map_free(&self->shown);
    evaluator_close(self->evaluator);
    memory_free(self);
}

struct op_cache *op_cache_retain(struct op_cache *self)
{
    self->shares++;
    return self;
}

struct op_cache *op_cache_of(sqlite3 *db, struct context *context, struct error *error)
{
    struct op_cache *self = context_kept(context, op_cache_release), *before = self;
    bool compat = context_get(context, "compat") != NULL;
    struct database_state state = database_state(db);
    if (self && self->compat == compat && self->statements == context->statements &&
        database_state_equal(&self->state, &state))
        return self;
    struct memory *asking = memory_enter(&context->memory);
    self = memory_zeroed(1, sizeof *self);
    self->memory = &context->memory;
    self->evaluator = evaluator_open(db, context, compat, error);
    if (self->evaluator)
        evaluator_keep(self->evaluator);
    memory_enter(asking);
    if (!self->evaluator) {
        memory_free(self);
        return NULL;
    }
    self->shares = 1;
    self->db = db;
    self->compat = compat;
    self->state = state;
    self->statements = context->statements;
    self->generation = before ? before->generation + 1 : 1;
    context_keep(context, self, op_cache_release);
    return self;
}

struct model *op_cache_model(struct op_cache *self, int64_t name_id, const char *name)
{
    struct memory *before = memory_enter(self->memory);
    uint32_t *place = map_put(&self->models, name_id, 0);
    struct model *rows = evaluator_models(self->evaluator)->items;
    if (*place == 0) {
        struct model *found = evaluator_find(self->evaluator, name);
        if (found)
            evaluator_prepare(self->evaluator, found);
        *place = found ? (uint32_t)(found - rows) + 2 : 1;
    }
    memory_enter(before);
    return *place > 1 ? &rows[*place - 2] : NULL;
}

/* ------------------------------------------------------------------ hashes */

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ at[i]) * 0x100000001B3u; /* FNV-1a */
    return hash;
}

static const uint64_t hash_start = 0xCBF29CE484222325u, hash_other = 0x9E3779B97F4A7C15u;

/* A number for what a model asks for; 0 when it asks for nothing that is there. */
static int64_t hash_around(const struct op_around *around, int needs)
{
    uint64_t hash = hash_start;
    bool any = false;
    if (needs & NEEDS_KERNELS && around->kernel_count) {
        hash = hash_bytes(hash, around->kernels, around->kernel_count * sizeof *around->kernels);
        any = true;
    }
    if (needs & NEEDS_ARGS && around->args) {
        hash = hash_bytes(hash, &around->args, sizeof around->args);
        any = true;
    }
    if (needs & NEEDS_FORWARD && around->forward) {
        hash = hash_bytes(hash * 3, &around->forward, sizeof around->forward);
        any = true;
    }
    if (needs & NEEDS_STEP && around->annotation) {
        hash = hash_bytes(hash * 5, around->annotation, strlen(around->annotation));
        any = true;
    }
    return any ? (int64_t)(hash | 1) : 0;
}

/* ------------------------------------------------------------------ evaluating */

/* Steps a statement that asks for one row by its id; false when there is none. */
static bool op_cache_ask(struct op_cache *self, sqlite3_stmt **statement, const char *sql,
                         int64_t id)
{
    int result = database_find(self->db, statement, sql, id, 0);
    if (result != SQLITE_ROW && result != SQLITE_DONE)
        self->failure = result;
    return result == SQLITE_ROW;
}

/* A text of a row, NULL for NULL. */
static const char *op_cache_text_of(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL ? NULL : database_text(row, column);
}

static const char ask_op_sql[] = OP_CACHE_SELECT "WHERE op.id = ?1";
static const char ask_args_sql[] = "SELECT json FROM args WHERE id = ?1";
static const char ask_said_args_sql[] = "SELECT json FROM said_args WHERE id = ?1";

static void add_around(struct op_cache *self, const struct op_around *around, int needs,
                       struct signature *call)
{
    if (needs & NEEDS_KERNELS && around->kernel_count) {
        struct text json = {0};
        text_add_byte(&json, '[');
        for (size_t i = 0; i < around->kernel_count; i++) {
            bool found = op_cache_ask(self, &self->ask_name,
                                      "SELECT text FROM string WHERE id = ?1", around->kernels[i]);
            const char *name = found ? op_cache_text_of(self->ask_name, 0) : "";
            name = name ? name : "";
            if (i != 0)
                text_add_byte(&json, ',');
            text_add_json(&json, view_of(name));
        }
        text_add_byte(&json, ']');
        call->kernels = signature_part(call, json.items);
        text_free(&json);
    }
    if (needs & NEEDS_ARGS && around->args &&
        op_cache_ask(self, &self->ask_args, around->args > 0 ? ask_args_sql : ask_said_args_sql,
                     around->args)) {
        call->args = signature_part(call, op_cache_text_of(self->ask_args, 0));
        call->output_types = literal_member(&call->values, call->args, "Output type");
    }
    if (needs & NEEDS_FORWARD && around->forward &&
        op_cache_ask(self, &self->ask_op, ask_op_sql, around->forward)) {
        call->has_forward = true;
        int *const parts[] = {&call->forward_dims, &call->forward_types, &call->forward_strides,
                              &call->forward_concrete};
        for (int i = 0; i < 4; i++)
            *parts[i] = signature_part(call, op_cache_text_of(self->ask_op, i + 3));
    }
    if (needs & NEEDS_STEP && around->annotation)
        signature_annotate(call, around->annotation);
}

static int evaluate(struct op_cache *self, sqlite3_stmt *ops, const struct op_around *around,
                    struct op_entry *entry)
{
    struct signature call = {0};
    self->failure = SQLITE_OK;
    const char *name = op_cache_text_of(ops, 2);
    signature_start(&call, name ? name : "");
    int *const parts[] = {&call.dims, &call.types, &call.strides, &call.concrete};
    for (int i = 0; i < 4; i++)
        *parts[i] = signature_part(&call, op_cache_text_of(ops, i + 3));
    if (around) /* asks of its own: the row in hand is read by now */
        add_around(self, around, entry->model->needs, &call);
    if (!self->failure) {
        evaluator_run(self->evaluator, entry->model, &call, &entry->outcome);

        /* Parameters that read the same have one number. */
        const struct text *text = &entry->outcome.shown;
        bool usable = entry->outcome.status <= OUTCOME_NO_BYTES;
        size_t length = usable ? text->count : 0;
        uint32_t *number =
            map_put(&self->shown, (int64_t)hash_bytes(hash_start, text->items, length),
                    (int64_t)hash_bytes(hash_other, text->items, length));
        if (*number == 0)
            *number = (uint32_t)self->shown.count;
        entry->shown = *number;
    }
    signature_free(&call);
    return self->failure;
}

static int make_entry(struct op_cache *self, sqlite3_stmt *ops, const struct op_around *around,
                      const struct op_entry **made)
{
    int64_t op = sqlite3_column_int64(ops, 0);
    struct model *model = op_cache_model(self, sqlite3_column_int64(ops, 1), database_text(ops, 2));
    *made = NULL;
    int64_t key = around && model ? hash_around(around, model->needs) : 0;
    uint32_t *place = map_put(&self->places, op, key);
    if (*place) {
        *made = self->entries.items[*place - 1];
        return SQLITE_OK;
    }
    struct op_entry *entry = memory_zeroed(1, sizeof *entry);
    array_add(&self->entries, entry);
    entry->model = model;
    entry->op_id = op;
    uint32_t number = (uint32_t)self->entries.count;
    entry->metric_id = key ? (int64_t)self->generation << NUMBER_SHIFT | number : op;
    int result = model ? evaluate(self, ops, key ? around : NULL, entry) : SQLITE_OK;
    if (result == SQLITE_OK) { /* one that is half done is none */
        *made = entry;
        *place = number;
    }
    return result;
}

/* The entry that is known already; NULL = none. */
static const struct op_entry *known_entry(const struct op_cache *self, int64_t op, int64_t key)
{
    uint32_t place = map_get(&self->places, op, key);
    return place ? self->entries.items[place - 1] : NULL;
}

int op_cache_read(struct op_cache *self, sqlite3_stmt *ops, const struct op_entry **entry)
{
    *entry = known_entry(self, sqlite3_column_int64(ops, 0), 0);
    struct memory *before = memory_enter(self->memory);
    int result = *entry ? SQLITE_OK : make_entry(self, ops, NULL, entry);
    memory_enter(before);
    return result;
}

int op_cache_get(struct op_cache *self, int64_t op, const struct op_around *around,
                 const struct op_entry **entry)
{
    *entry = known_entry(self, op, 0);
    if (*entry && around && (*entry)->model)
        *entry = known_entry(self, op, hash_around(around, (*entry)->model->needs));
    if (*entry)
        return SQLITE_OK;
    struct memory *before = memory_enter(self->memory);
    sqlite3_stmt *ops = NULL; /* ask_op is for forward ops */
    self->ask_op = self->ask_args = self->ask_name = NULL;
    int result = database_find(self->db, &ops, ask_op_sql, op, 0);
    if (result == SQLITE_ROW)
        result = make_entry(self, ops, NULL, entry);
    else if (result == SQLITE_DONE)
        result = SQLITE_CORRUPT;
    if (result == SQLITE_OK && around && (*entry)->model)
        result = make_entry(self, ops, around, entry);
    database_finalize(ops);
    database_finalize(self->ask_op);
    database_finalize(self->ask_args);
    database_finalize(self->ask_name);
    self->ask_op = self->ask_args = self->ask_name = NULL;
    memory_enter(before);
    return result;
}

const struct op_entry *op_cache_variant(const struct context *context, int64_t metric_id)
{
    const struct op_cache *self = context_kept(context, op_cache_release);
    size_t place = (size_t)(metric_id & UINT32_MAX);
    if (!self || metric_id <= 0 || metric_id >> NUMBER_SHIFT != (int64_t)self->generation ||
        place == 0 || place > self->entries.count)
        return NULL;
    const struct op_entry *entry = self->entries.items[place - 1];
    return entry->metric_id == metric_id ? entry : NULL;
}

/* ------------------------------------------------------------------ values */

void op_give_text(sqlite3_context *out, const char *text)
{
    if (text && *text)
        sqlite3_result_text(out, text, -1, SQLITE_TRANSIENT);
}

void op_give_figure(sqlite3_context *out, const struct figure *figure)
{
    if (figure->type == FIGURE_INTEGER)
        sqlite3_result_int64(out, figure->integer);
    else if (figure->type == FIGURE_REAL)
        sqlite3_result_double(out, figure->real);
}

void op_entry_give(const struct op_entry *self, enum op_figure figure, sqlite3_context *out)
{
    const struct model *model = self->model;
    const struct outcome *outcome = &self->outcome;
    const struct figure *const figures[] = {&outcome->flops, &outcome->bytes, &outcome->flops_bwd,
                                            &outcome->bytes_bwd};
    char *sheet;
    if (!model) /* the call's name has one, and its op has another name */
        return;
    switch (figure) {
    case OP_MODEL:
        op_give_text(out, model->op);
        break;
    case OP_STATUS:
        sqlite3_result_text(out, outcome_names[outcome->status], -1, SQLITE_STATIC);
        break;
    case OP_REASON:
        op_give_text(out, outcome->reason.items);
        break;
    case OP_FLOPS:
    case OP_BYTES:
    case OP_FLOPS_BWD:
    case OP_BYTES_BWD:
        op_give_figure(out, figures[figure - OP_FLOPS]);
        break;
    case OP_SPEC:
        op_give_text(out, outcome->spec.items);
        break;
    case OP_CATEGORY:
        op_give_text(out, model->category);
        break;
    case OP_CATEGORY_BWD:
        op_give_text(out, model->bwd_category);
        break;
    case OP_SHEET:
        sheet = model_sheet(model);
        op_give_text(out, sheet);
        memory_free(sheet);
        break;
    default:
        op_give_text(out, outcome->shown.items);
        break;
    }
}

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
 * gone through. */

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
static int op_cache_start(struct table_cursor *base, const struct table_wish *wish,
                          struct error *error)
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

static void op_cache_stop(struct table_cursor *base)
{
    op_cache_release(((struct op_cursor *)base)->cache);
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
        if (result == SQLITE_OK && !base->at_end) {
            /* Goes to the first parameter of the signature in hand, if it has one. */
            const struct text *shown = &cursor->entry->outcome.shown;
            literal_clear(&cursor->shown);
            int object = cursor->entry->outcome.status <= OUTCOME_NO_BYTES && shown->count
                             ? literal_read(&cursor->shown, text_view(shown))
                             : LITERAL_NONE;
            cursor->position = 1;
            cursor->name = object >= 0 ? literal_at(&cursor->shown, object)->first : LITERAL_NONE;
        }
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
    if (literal_text(shown, value))
        sqlite3_result_text(out, literal_text(shown, value), -1, SQLITE_TRANSIENT);
    else if (literal_type(shown, value) == LITERAL_INTEGER)
        sqlite3_result_int64(out, literal_at(shown, value)->integer);
    else if (literal_type(shown, value) == LITERAL_REAL)
        sqlite3_result_double(out, literal_at(shown, value)->real);
    else if (literal_type(shown, value) != LITERAL_NULL) {
        literal_add_json(shown, value, &json);
        sqlite3_result_text(out, json.items, (int)json.count, SQLITE_TRANSIENT);
        text_free(&json);
    }
    return SQLITE_OK;
}

#define OF_OP(member)   TABLE_AT(INT64, 0, struct op_cursor, member)
#define GIVEN(function) .origin = TABLE_GIVEN, .give = (function)
#define OP_ID                                                                 \
    {                                                                         \
        "op_id", "call signature", OF_OP(op), .role = TABLE_KEY | TABLE_ALONE \
    }
#define METRIC_ID                                                                                \
    {                                                                                            \
        "metric_id",                                                                             \
            "call signature with all that counts: op_call gives one for each call, and a query " \
            "with it asks about the call",                                                       \
            OF_OP(metric), .role = TABLE_KEY | TABLE_ALONE                                       \
    }

static const struct table_column metric_columns[] = {
    OP_ID,
    {"name", "name of the op", GIVEN(give_name), .type = "TEXT"},
    OP_FIGURE_COLUMNS(give_figure),
    METRIC_ID,
    {0},
};

static const struct table_column param_columns[] = {
    OP_ID,
    {"position", "place of the parameter as reports show it, from 1", OF_OP(position)},
    {"name", "name of the parameter", GIVEN(give_param), .type = "TEXT"},
    {"value", "value of the parameter; lists and truth values as JSON", GIVEN(give_value),
     .type = ""},
    METRIC_ID,
    {0},
};

static const struct table metrics = {
    TABLE_MADE(metric_columns, 5000, 1, struct op_cursor, op_cache_start, next_op, op_cache_stop)};
static const struct table params = {TABLE_MADE(param_columns, 5000, 1, struct op_cursor,
                                               op_cache_start, next_param, op_cache_stop)};

const struct function op_functions[] = {
    TABLE("op_metric", metrics,
          "A table: what the models say about each call signature whose op has one. What a "
          "signature does not say, such as the batch of a step, is absent."),
    TABLE("op_param", params,
          "A table: the parameters of each call signature that a model could be used for, in the "
          "order in which reports show them; lists and truth values as JSON."),
    {0},
};
