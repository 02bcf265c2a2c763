/* call_table: `call_metric`, what the models say about each call in a range of events.
 *
 *     call_metric(trace_id, first_event, last_event)     a table: a row for each call whose op has
 * a model, then the pseudo ops there
 *
 *     SELECT op_call.id, flops FROM scope CROSS JOIN
 *         call_metric(scope.trace_id, scope.first_event, scope.last_event) AS op_call
 *
 * Where the row for an op asks about more than the signature, it is looked up around the call: its
 * other arguments, the kernels below it, the batch that an annotation around it tells, and the
 * forward op of a backward one. NULL arguments give no rows. A pseudo op has the id of the first
 * event inside.
 */
#include "base/map.h"
#include "functions/functions.h"
#include "op_cache.h"

SQLITE_EXTENSION_INIT3

enum { KERNELS_MAX = 16 }; /* so many kernels of a call can be asked about */

enum {
    COLUMN_ID,
    COLUMN_LAST,
    COLUMN_NAME,
    COLUMN_OP,
    COLUMN_METRIC,
    COLUMN_PSEUDO,
    COLUMN_FIGURES, /* in the order of enum op_figure */
    COLUMN_TRACE = COLUMN_FIGURES + OP_PARAMS + 1,
    COLUMN_FROM,
    COLUMN_TO,
};

static const char declaration[] =
    "CREATE TABLE call_metric(id INTEGER, last_id INTEGER, name_id INTEGER, op_id INTEGER, "
    "metric_id INTEGER, is_pseudo INTEGER, model TEXT, status TEXT, reason TEXT, flops, bytes, "
    "flops_bwd, bytes_bwd, compute_spec TEXT, category TEXT, bwd_category TEXT, sheet TEXT, "
    "params TEXT, trace HIDDEN, first_event HIDDEN, last_event HIDDEN)";

struct call_table {
    sqlite3_vtab base;
    sqlite3 *db;
    struct context *context;
};

/* An annotation that tells a batch. */
struct batch {
    int64_t start, end;
    int64_t longest; /* the last end of this one and all before it */
    int64_t step[STEP_FIELDS];
};

enum {
    ASK_CALLS,
    ASK_PSEUDO,
    ASK_OP,
    ASK_ARGS,
    ASK_KERNELS,
    ASK_TEXT,
    ASK_BATCHES,
    ASK_LINKS,
    ASK_FORWARD,
    ASK_PARENT,
    ASK_COUNT
};

static const char *const questions[ASK_COUNT] = {
    [ASK_CALLS] = "SELECT id, last_id, name_id, op_id, args_id, ts_ns, dur_ns, NULL FROM event "
                  "WHERE id BETWEEN ?1 AND ?2 AND op_id IS NOT NULL",
    [ASK_PSEUDO] = "SELECT pseudo.first_id, pseudo.last_id, pseudo.name_id, pseudo.op_id, "
                   "pseudo.args_id, event.ts_ns, event.dur_ns, pseudo.args "
                   "FROM pseudo_event AS pseudo JOIN event ON event.id = pseudo.first_id "
                   "WHERE pseudo.first_id BETWEEN ?1 AND ?2 ORDER BY pseudo.first_id, pseudo.id",
    [ASK_OP] = "SELECT op.id, name_id, name.text, dims.text, types.text, strides.text, "
               "concrete.text FROM op JOIN string AS name ON name.id = name_id "
               "LEFT JOIN string AS dims ON dims.id = dims_id "
               "LEFT JOIN string AS types ON types.id = types_id "
               "LEFT JOIN string AS strides ON strides.id = strides_id "
               "LEFT JOIN string AS concrete ON concrete.id = concrete_id WHERE op.id = ?1",
    [ASK_ARGS] = "SELECT json FROM args WHERE id = ?1",
    [ASK_KERNELS] = "SELECT name_id FROM gpu_event WHERE id BETWEEN ?1 AND ?2 "
                    "ORDER BY ts_ns, id LIMIT 16", /* KERNELS_MAX */
    [ASK_TEXT] = "SELECT text FROM string WHERE id = ?1",
    [ASK_BATCHES] = "SELECT name, ts_ns, ts_ns + dur_ns FROM signpost WHERE trace_id = ?1 "
                    "AND dur_ns IS NOT NULL ORDER BY ts_ns, id",
    [ASK_LINKS] = "SELECT from_id, to_id FROM edge WHERE kind = 'forward_backward' AND from_id "
                  "BETWEEN (SELECT first_event FROM trace WHERE id = ?1) "
                  "AND (SELECT last_event FROM trace WHERE id = ?1)",
    [ASK_FORWARD] = "SELECT op_id FROM event WHERE id = ?1",
    [ASK_PARENT] = "SELECT parent_id FROM event WHERE id = ?1",
};

struct call_cursor {
    sqlite3_vtab_cursor base;
    sqlite3_stmt *asked[ASK_COUNT];
    struct op_cache *cache;
    sqlite3_stmt *calls; /* of events, then of pseudo ops */
    const struct op_entry *entry;
    struct signature call;
    int64_t metric, from, to, trace, known_trace; /* known: of batches and links */
    ARRAY(struct batch) batches;
    ARRAY(int64_t) forward;
    struct map links; /* backward event -> place in forward, from 1 */
    bool has_batches, has_links, has_failed, at_end;
};

/* ------------------------------------------------------------------ asking */

static struct call_table *table_of(const struct call_cursor *cursor)
{
    return (struct call_table *)(void *)cursor->base.pVtab;
}

/* A statement, from its start. NULL on failure. */
static sqlite3_stmt *ask(struct call_cursor *cursor, int which, int64_t first, int64_t second)
{
    sqlite3_stmt **statement = &cursor->asked[which];
    if (*statement)
        sqlite3_reset(*statement);
    else if (sqlite3_prepare_v2(table_of(cursor)->db, questions[which], -1, statement, NULL) !=
             SQLITE_OK)
        return NULL;
    sqlite3_bind_int64(*statement, 1, first);
    if (sqlite3_bind_parameter_count(*statement) > 1)
        sqlite3_bind_int64(*statement, 2, second);
    return *statement;
}

/* The text that the one row of an answer is; NULL when there is none. */
static const char *ask_text(struct call_cursor *cursor, int which, int64_t id)
{
    sqlite3_stmt *statement = ask(cursor, which, id, 0);
    int result = statement ? sqlite3_step(statement) : SQLITE_ERROR;
    cursor->has_failed |= result != SQLITE_ROW && result != SQLITE_DONE;
    return result == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
}

/* Whether this connection has the table of pseudo ops; -1 when that cannot be found out. */
static int has_pseudo_ops(sqlite3 *db)
{
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(
        db, "SELECT count(*) FROM temp.sqlite_schema WHERE name = 'pseudo_event'", -1, &statement,
        NULL);
    if (result == SQLITE_OK)
        result = sqlite3_step(statement);
    int has_them = result == SQLITE_ROW ? sqlite3_column_int(statement, 0) : -1;
    sqlite3_finalize(statement);
    return has_them;
}

/* ------------------------------------------------------------------ what is around a call */

static bool read_batches(struct call_cursor *cursor)
{
    sqlite3_stmt *rows = ask(cursor, ASK_BATCHES, cursor->trace, 0);
    struct signature words = {0};
    int64_t longest = INT64_MIN;
    int result = SQLITE_ERROR;
    cursor->batches.count = 0;
    cursor->has_batches = true;
    while (rows && (result = sqlite3_step(rows)) == SQLITE_ROW) {
        if (!signature_annotate(&words, (const char *)sqlite3_column_text(rows, 0)))
            continue;
        struct batch *batch = array_push(&cursor->batches);
        if (!batch)
            return false;
        *batch = (struct batch){.start = sqlite3_column_int64(rows, 1),
                                .end = sqlite3_column_int64(rows, 2)};
        longest = batch->end > longest ? batch->end : longest;
        batch->longest = longest;
        memcpy(batch->step, words.step, sizeof batch->step);
    }
    return result == SQLITE_DONE;
}

/* The first batch that begins no later and ends later. The first whose end is later is it, or there
 * is none: those behind it begin no earlier. */
static const struct batch *batch_around(const struct call_cursor *cursor, int64_t start,
                                        int64_t end)
{
    size_t low = 0, high = cursor->batches.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (cursor->batches.items[middle].longest > end)
            high = middle;
        else
            low = middle + 1;
    }
    const struct batch *found = low < cursor->batches.count ? &cursor->batches.items[low] : NULL;
    return found && found->start <= start ? found : NULL;
}

static bool read_links(struct call_cursor *cursor)
{
    sqlite3_stmt *rows = ask(cursor, ASK_LINKS, cursor->trace, 0);
    map_free(&cursor->links);
    cursor->links = (struct map){0};
    int result = SQLITE_ERROR;
    cursor->forward.count = 0;
    cursor->has_links = true;
    while (rows && (result = sqlite3_step(rows)) == SQLITE_ROW) {
        uint32_t *place = map_put(&cursor->links, sqlite3_column_int64(rows, 1), 0);
        int64_t *forward = place && *place == 0 ? array_push(&cursor->forward) : NULL;
        if (!place || (!forward && *place == 0))
            return false;
        if (forward) { /* rows come by forward op, and the first one counts */
            *forward = sqlite3_column_int64(rows, 0);
            *place = (uint32_t)cursor->forward.count;
        }
    }
    return result == SQLITE_DONE;
}

/* The signature of the forward op; 0 when there is none. Mostly what the autograd engine wraps
 * around a backward op is what is linked. */
static int64_t forward_of(struct call_cursor *cursor, int64_t id)
{
    enum { CLIMB_MAX = 5 };
    uint32_t place = map_get(&cursor->links, id, 0);
    for (int i = 0; i < CLIMB_MAX && !place && cursor->links.count; i++) {
        sqlite3_stmt *parent = ask(cursor, ASK_PARENT, id, 0);
        if (!parent || sqlite3_step(parent) != SQLITE_ROW ||
            sqlite3_column_type(parent, 0) == SQLITE_NULL)
            return 0;
        id = sqlite3_column_int64(parent, 0);
        place = map_get(&cursor->links, id, 0);
    }
    sqlite3_stmt *row =
        place ? ask(cursor, ASK_FORWARD, cursor->forward.items[place - 1], 0) : NULL;
    return row && sqlite3_step(row) == SQLITE_ROW ? sqlite3_column_int64(row, 0) : 0;
}

/* What a row for an op looks at beside the signature. */
struct surroundings {
    int64_t kernels[KERNELS_MAX];
    int kernel_count;
    const struct batch *batch;
    int64_t forward;
};

static bool look_around(struct call_cursor *cursor, int uses, struct surroundings *around)
{
    int64_t id = sqlite3_column_int64(cursor->calls, 0);
    int64_t start = sqlite3_column_int64(cursor->calls, 5);
    *around = (struct surroundings){0};
    if (cursor->known_trace != cursor->trace)
        cursor->has_batches = cursor->has_links = false;
    cursor->known_trace = cursor->trace;
    if (uses & CALL_KERNELS) {
        sqlite3_stmt *rows = ask(cursor, ASK_KERNELS, id, sqlite3_column_int64(cursor->calls, 1));
        int result = SQLITE_ERROR; /* the question is for no more than KERNELS_MAX */
        while (rows && (result = sqlite3_step(rows)) == SQLITE_ROW)
            around->kernels[around->kernel_count++] = sqlite3_column_int64(rows, 0);
        if (result != SQLITE_DONE)
            return false;
    }
    if (uses & CALL_STEP) {
        if (!cursor->has_batches && !read_batches(cursor))
            return false;
        around->batch = batch_around(cursor, start, start + sqlite3_column_int64(cursor->calls, 6));
    }
    if (uses & CALL_FORWARD) {
        if (!cursor->has_links && !read_links(cursor))
            return false;
        around->forward = forward_of(cursor, id);
    }
    return true;
}

/* The place of the question; 0: memory is out. */
static uint32_t place_of(struct call_cursor *cursor, int uses, const struct surroundings *around)
{
    struct op_cache *cache = cursor->cache;
    uint32_t place = op_cache_start(cache, cursor->entry->op_id);
    if (place && uses & CALL_ARGS)
        place = op_cache_part(cache, place, sqlite3_column_int64(cursor->calls, 4));
    if (place && uses & CALL_KERNELS)
        place = op_cache_part(cache, place, around->kernel_count);
    for (int i = 0; i < around->kernel_count && place; i++)
        place = op_cache_part(cache, place, around->kernels[i]);
    if (place && uses & CALL_STEP)
        place = op_cache_part(cache, place, around->batch != NULL);
    for (int i = 0; i < STEP_FIELDS && around->batch && place; i++)
        place = op_cache_part(cache, place, around->batch->step[i]);
    if (place && uses & CALL_FORWARD)
        place = op_cache_part(cache, place, around->forward);
    return place;
}

static int read_kernels(struct call_cursor *cursor, const struct surroundings *around)
{
    struct text names = {0};
    bool done = text_add_byte(&names, '[');
    for (int i = 0; i < around->kernel_count && done; i++) {
        const char *name = ask_text(cursor, ASK_TEXT, around->kernels[i]);
        done = text_add_string(&names, i ? "," : "") &&
               text_add_json(&names, view_of(name ? name : ""));
    }
    done = done && text_add_byte(&names, ']');
    int place = done ? signature_part(&cursor->call, names.items) : LITERAL_NONE;
    cursor->call.values.out_of_memory |= !done;
    text_free(&names);
    return place;
}

static bool read_signature(struct call_cursor *cursor, int64_t op_id)
{
    sqlite3_stmt *op = ask(cursor, ASK_OP, op_id, 0);
    struct signature *call = &cursor->call;
    if (!op || sqlite3_step(op) != SQLITE_ROW ||
        !signature_start(call, (const char *)sqlite3_column_text(op, 2)))
        return false;
    call->dims = signature_part(call, (const char *)sqlite3_column_text(op, 3));
    call->types = signature_part(call, (const char *)sqlite3_column_text(op, 4));
    call->strides = signature_part(call, (const char *)sqlite3_column_text(op, 5));
    call->concrete = signature_part(call, (const char *)sqlite3_column_text(op, 6));
    return true;
}

static bool read_forward(struct call_cursor *cursor, int64_t op_id)
{
    sqlite3_stmt *op = ask(cursor, ASK_OP, op_id, 0);
    struct signature *call = &cursor->call;
    call->has_forward = op && sqlite3_step(op) == SQLITE_ROW;
    if (!call->has_forward)
        return true;
    call->forward_dims = signature_part(call, (const char *)sqlite3_column_text(op, 3));
    call->forward_types = signature_part(call, (const char *)sqlite3_column_text(op, 4));
    call->forward_strides = signature_part(call, (const char *)sqlite3_column_text(op, 5));
    call->forward_concrete = signature_part(call, (const char *)sqlite3_column_text(op, 6));
    return true;
}

/* The whole call, with all that the row asks about. */
static bool read_call(struct call_cursor *cursor, int uses, const struct surroundings *around)
{
    struct signature *call = &cursor->call;
    if (!read_signature(cursor, cursor->entry->op_id))
        return false;
    if (uses & CALL_ARGS) {
        const char *own = (const char *)sqlite3_column_text(cursor->calls, 7);
        int64_t id = sqlite3_column_int64(cursor->calls, 4);
        call->args = signature_part(call, own ? own : ask_text(cursor, ASK_ARGS, id));
        call->output_types = literal_member(&call->values, call->args, "Output type");
    }
    if (uses & CALL_KERNELS)
        call->kernels = read_kernels(cursor, around);
    if (around->batch) {
        call->has_step = true;
        memcpy(call->step, around->batch->step, sizeof call->step);
    }
    return (!around->forward || read_forward(cursor, around->forward)) &&
           !call->values.out_of_memory && !cursor->has_failed;
}

/* Goes from what the signature gives to what the call gives. */
static bool ask_more(struct call_cursor *cursor, int uses)
{
    struct surroundings around;
    if (!look_around(cursor, uses, &around))
        return false;
    uint32_t place = place_of(cursor, uses, &around);
    if (!place)
        return false;
    cursor->metric = op_cache_number(cursor->cache, place);
    const struct op_entry *known = op_cache_variant(cursor->cache, cursor->metric);
    if (!known && read_call(cursor, uses, &around))
        known = op_cache_answer(cursor->cache, place, cursor->entry->op_id, cursor->entry->model,
                                &cursor->call);
    cursor->entry = known;
    return known != NULL;
}

/* ------------------------------------------------------------------ the table */

static int call_connect(sqlite3 *db, void *context, int count, const char *const *arguments,
                        sqlite3_vtab **out, char **error)
{
    (void)count, (void)arguments, (void)error;
    int result = sqlite3_declare_vtab(db, declaration);
    if (result != SQLITE_OK)
        return result;
    sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    struct call_table *table = sqlite3_malloc(sizeof *table);
    if (!table)
        return SQLITE_NOMEM;
    *table = (struct call_table){.db = db, .context = context};
    *out = &table->base;
    return SQLITE_OK;
}

static int call_disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

static int call_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    int found[3] = {-1, -1, -1};
    bool waits = false; /* an argument depends on a table that comes later */
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];
        if (constraint->op != SQLITE_INDEX_CONSTRAINT_EQ || constraint->iColumn < COLUMN_TRACE)
            continue;
        if (constraint->usable)
            found[constraint->iColumn - COLUMN_TRACE] = i;
        else
            waits = true;
    }
    if (waits)
        return SQLITE_CONSTRAINT;
    info->idxNum = found[0] >= 0 && found[1] >= 0 && found[2] >= 0;
    info->estimatedCost = info->idxNum ? 1e5 : 1e12;
    info->estimatedRows = info->idxNum ? 100000 : 1;
    for (int i = 0; i < 3 && info->idxNum; i++) {
        info->aConstraintUsage[found[i]].argvIndex = i + 1;
        info->aConstraintUsage[found[i]].omit = 1;
    }
    return SQLITE_OK;
}

static int call_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    (void)table;
    struct call_cursor *cursor = sqlite3_malloc(sizeof *cursor);
    if (!cursor)
        return SQLITE_NOMEM;
    *cursor = (struct call_cursor){.at_end = true};
    *out = &cursor->base;
    return SQLITE_OK;
}

static int call_close(sqlite3_vtab_cursor *base)
{
    struct call_cursor *cursor = (struct call_cursor *)base;
    for (int i = 0; i < ASK_COUNT; i++)
        sqlite3_finalize(cursor->asked[i]);
    op_cache_release(cursor->cache);
    signature_free(&cursor->call);
    array_free(&cursor->batches);
    array_free(&cursor->forward);
    map_free(&cursor->links);
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static int fail(struct call_cursor *cursor)
{
    sqlite3 *db = table_of(cursor)->db;
    int code = sqlite3_errcode(db);
    return code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_NOMEM : code;
}

/* The result for the signature of the call in hand; NULL on failure. */
static const struct op_entry *entry_of_call(struct call_cursor *cursor)
{
    int64_t op_id = sqlite3_column_int64(cursor->calls, 3);
    const struct op_entry *known = op_cache_known(cursor->cache, op_id);
    if (known)
        return known;
    sqlite3_stmt *op = ask(cursor, ASK_OP, op_id, 0);
    return op && sqlite3_step(op) == SQLITE_ROW ? op_cache_signature(cursor->cache, op) : NULL;
}

static int call_next(sqlite3_vtab_cursor *base)
{
    struct call_cursor *cursor = (struct call_cursor *)base;
    for (;;) {
        int result = sqlite3_step(cursor->calls);
        bool is_last = result == SQLITE_DONE && cursor->calls == cursor->asked[ASK_CALLS];
        int pseudo = is_last ? has_pseudo_ops(table_of(cursor)->db) : 0;
        if (pseudo > 0)
            cursor->calls = ask(cursor, ASK_PSEUDO, cursor->from, cursor->to);
        if (pseudo < 0 || !cursor->calls)
            return fail(cursor);
        if (pseudo)
            continue;
        cursor->at_end = result != SQLITE_ROW;
        if (cursor->at_end)
            return result == SQLITE_DONE ? SQLITE_OK : result;
        cursor->entry = entry_of_call(cursor);
        if (!cursor->entry)
            return fail(cursor);
        if (!cursor->entry->model)
            continue;
        cursor->metric = cursor->entry->op_id;
        int uses = cursor->entry->model->uses;
        return !uses || ask_more(cursor, uses) ? SQLITE_OK : fail(cursor);
    }
}

static int call_filter(sqlite3_vtab_cursor *base, int has_range, const char *unused, int count,
                       sqlite3_value **arguments)
{
    (void)unused, (void)count;
    struct call_cursor *cursor = (struct call_cursor *)base;
    struct call_table *table = table_of(cursor);
    struct error error = {0};
    cursor->at_end = !has_range;
    if (!has_range)
        return SQLITE_OK;
    struct op_cache *cache = op_cache_get(table->db, table->context, &error);
    if (!cache) {
        sqlite3_free(base->pVtab->zErrMsg);
        base->pVtab->zErrMsg = sqlite3_mprintf("%s", error.text);
        return strstr(error.text, "out of memory") ? SQLITE_NOMEM : SQLITE_ERROR;
    }
    op_cache_release(cursor->cache);
    cursor->cache = cache;
    cursor->trace = sqlite3_value_int64(arguments[0]);
    cursor->from = sqlite3_value_int64(arguments[1]);
    cursor->to = sqlite3_value_int64(arguments[2]);
    cursor->calls = ask(cursor, ASK_CALLS, cursor->from, cursor->to);
    return cursor->calls ? call_next(base) : fail(cursor);
}

static int call_eof(sqlite3_vtab_cursor *base)
{
    return ((struct call_cursor *)base)->at_end;
}

static int call_column(sqlite3_vtab_cursor *base, sqlite3_context *out, int column)
{
    static const int places[] = {
        [COLUMN_ID] = 0, [COLUMN_LAST] = 1, [COLUMN_NAME] = 2, [COLUMN_OP] = 3};
    struct call_cursor *cursor = (struct call_cursor *)base;
    if (column <= COLUMN_OP)
        sqlite3_result_int64(out, sqlite3_column_int64(cursor->calls, places[column]));
    else if (column == COLUMN_METRIC)
        sqlite3_result_int64(out, cursor->metric);
    else if (column == COLUMN_PSEUDO)
        sqlite3_result_int(out, cursor->calls == cursor->asked[ASK_PSEUDO]);
    else if (column < COLUMN_TRACE)
        op_entry_give(cursor->entry, (enum op_figure)(column - COLUMN_FIGURES), out);
    else
        sqlite3_result_int64(out, column == COLUMN_TRACE  ? cursor->trace
                                  : column == COLUMN_FROM ? cursor->from
                                                          : cursor->to);
    return SQLITE_OK;
}

static int call_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
    *rowid = sqlite3_column_int64(((struct call_cursor *)base)->calls, 0);
    return SQLITE_OK;
}

static const sqlite3_module call_module = {
    .xConnect = call_connect,
    .xBestIndex = call_best_index,
    .xDisconnect = call_disconnect,
    .xOpen = call_open,
    .xClose = call_close,
    .xFilter = call_filter,
    .xNext = call_next,
    .xEof = call_eof,
    .xColumn = call_column,
    .xRowid = call_rowid,
};

const struct function call_functions[] = {
    {.name = "call_metric",
     .call = "call_metric(trace_id, first_event, last_event)",
     .meaning =
         "A table: the calls in a range of events whose op has a model, then the pseudo ops there, "
         "with what the models say about each, as in op_metric: id, last_id, name_id, op_id, "
         "metric_id, is_pseudo, model, status, reason, flops, bytes, flops_bwd, bytes_bwd, "
         "compute_spec, category, bwd_category, sheet, params. Kernels, other arguments, the batch "
         "of a step and the forward op count where the model asks about them.",
     .kind = FUNCTION_TABLE,
     .module = &call_module},
    {0},
};
