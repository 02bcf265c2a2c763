/* trace_rows: three tables over one cursor, which goes through events and facts of slices in the
 * order of the numbers of events: appending is what a b-tree does best. The values of an event are
 * made at once, others column by column; columns stand in the order in which store.c inserts them.
 */
#include "ingest/store/trace_rows.h"

#include <assert.h>
#include <sqlite3.h>

/* ------------------------------------------------------------------ events */

/* Values of rows in the order of EVENT_COLUMNS and GPU_EVENT_COLUMNS; NONE is NULL. */
struct event_values {
    int64_t id, trace, category, name, track, start, duration, up, below, child_time, signature,
        arguments, correlation, uid;
};
struct gpu_event_values {
    int64_t id, trace, category, name, track, device, stream, start, duration, bytes, correlation,
        external, arguments, call, op, launcher, launcher_name, launcher_signature, launcher_track,
        launcher_start, launcher_below, nested, uid, link;
};

int64_t rows_event(const struct rows *rows, uint32_t slice)
{
    return rows->first_event + rows->trace->tree.number[slice];
}

int64_t rows_track(const struct rows *rows, uint32_t place, enum track_kind kind)
{
    size_t key = (size_t)place * TRACK_KIND_COUNT + kind;
    return rows->first_track + rows->trace->tree.track[key] - 1;
}

/* Ids that were texts in the file have no integer form. */
static int64_t id_or_none(const struct trace *trace, int64_t id)
{
    return id > NONE + UINT32_MAX ? id & trace->id_bits : NONE;
}

static int64_t slice_track(const struct rows *rows, uint32_t index)
{
    const struct slice *slice = &rows->trace->slices.items[index];
    return rows_track(rows, slice->place, track_kind_of(trace_role(rows->trace, slice)));
}

static int64_t correlation_of(const struct trace *trace, const struct slice *slice)
{
    switch (trace_role(trace, slice)) {
    case ROLE_GPU:
        return trace->gpus.items[slice->side].correlation;
    case ROLE_CALL:
        return trace->calls.items[slice->side].correlation;
    default:
        return slice->side && !(slice->side & SIDE_OF_IDS)
                   ? trace->correlations.items[slice->side - 1]
                   : NONE;
    }
}

static int64_t signature_of(const struct rows *rows, const struct slice *slice)
{
    return slice->op ? rows->ops[slice->op] : NONE;
}

static int64_t arguments_of(const struct rows *rows, const struct slice *slice)
{
    return slice->arguments ? rows->arguments[slice->arguments] : NONE;
}

static struct event_values event_row(const struct rows *rows, uint32_t index)
{
    const struct trace *trace = rows->trace;
    const struct tree *tree = &trace->tree;
    const struct slice *slice = &trace->slices.items[index];
    uint32_t parent = tree->parent[index];
    return (struct event_values){
        .id = rows_event(rows, index),
        .trace = rows->trace_id,
        .category = rows->categories[slice->category],
        .name = rows->strings[slice->name],
        .track = slice_track(rows, index),
        .start = slice->start - trace->start,
        .duration = slice->duration,
        .up = parent ? (int64_t)tree->number[index] - (int64_t)tree->number[parent - 1] : NONE,
        .below = tree->descendants[index],
        .child_time = tree->child_time[index],
        .signature = signature_of(rows, slice),
        .arguments = arguments_of(rows, slice),
        .correlation = id_or_none(trace, correlation_of(trace, slice)),
        .uid = slice->uid,
    };
}

/* The second row of a slice on an accelerator. */
static struct gpu_event_values gpu_event_row(const struct rows *rows, uint32_t index)
{
    const struct trace *trace = rows->trace;
    const struct slice *slice = &trace->slices.items[index];
    const struct gpu_slice *gpu = &trace->gpus.items[slice->side];
    struct gpu_event_values values = {
        .id = rows_event(rows, index),
        .trace = rows->trace_id,
        .category = rows->categories[slice->category],
        .name = rows->strings[slice->name],
        .track = slice_track(rows, index),
        .device = gpu->device >= 0 ? gpu->device : NONE,
        .stream = gpu->stream,
        .start = slice->start - trace->start,
        .duration = slice->duration,
        .bytes = gpu->bytes,
        .correlation = id_or_none(trace, gpu->correlation),
        .external = id_or_none(trace, gpu->external),
        .arguments = arguments_of(rows, slice),
        .uid = slice->uid,
    };
    if (!gpu->call) {
        values.call = values.op = values.launcher = values.launcher_name =
            values.launcher_signature = values.launcher_track = values.launcher_start =
                values.launcher_below = values.nested = values.link = NONE;
        return values;
    }
    const struct call_slice *call = &trace->calls.items[gpu->call - 1];
    uint32_t op = trace_origin(trace, slice->side, call->op);
    uint32_t launcher = trace_origin(trace, slice->side, call->launcher);
    launcher = launcher ? launcher - 1 : call->slice; /* an op, else the call */
    const struct slice *above = &trace->slices.items[launcher];
    values.call = rows_event(rows, call->slice);
    values.op = op ? rows_event(rows, op - 1) : NONE;
    values.launcher = rows_event(rows, launcher);
    values.launcher_name = rows->strings[above->name];
    values.launcher_signature = signature_of(rows, above);
    values.launcher_track = slice_track(rows, launcher);
    values.launcher_start = above->start - trace->start;
    values.launcher_below = trace->tree.descendants[launcher];
    values.nested = call->nested;
    values.link = trace->links.items[slice->side];
    return values;
}

/* ------------------------------------------------------------------ other values */

enum rows_kind { ROWS_EVENT, ROWS_GPU_EVENT, ROWS_FACT };

struct rows_table {
    sqlite3_vtab base;
    const struct rows *rows;
    enum rows_kind kind;
};

struct rows_cursor {
    sqlite3_vtab_cursor base;
    const struct rows *rows;
    enum rows_kind kind;
    size_t next, count;
    uint32_t slice;    /* that `next` stands for */
    size_t fact;       /* likewise: index of the row */
    uint32_t *fact_of; /* slice -> index + 1 of its first row; of facts that slices have */
    union {            /* of the event that `next` stands for */
        struct event_values event;
        struct gpu_event_values gpu;
        int64_t values[sizeof(struct gpu_event_values) / sizeof(int64_t)];
    };
};

static void integer_or_null(sqlite3_context *out, int64_t value)
{
    if (value != NONE)
        sqlite3_result_int64(out, value);
}

static void text_or_null(sqlite3_context *out, const struct trace *trace, uint32_t number)
{
    if (!number)
        return;
    struct view text = intern_view(&trace->strings, number);
    sqlite3_result_text64(out, text.bytes, text.length, SQLITE_STATIC, SQLITE_UTF8);
}

/* `number` is the index of a row. */
static void row_id(const struct rows *rows, const struct fact_table *table, uint32_t number,
                   sqlite3_context *out)
{
    size_t list = facts_find(&rows->trace->facts, table);
    assert(list < rows->trace->facts.count && number < rows->trace->facts.items[list].count);
    sqlite3_result_int64(out, rows->first_facts[list] + number);
}

static void fact_column(const struct rows *rows, size_t index, sqlite3_context *out, int place)
{
    const struct fact_list *list = &rows->list;
    const struct fact_column *column = &list->table->columns[place];
    const void *row = fact_row(list, index);
    const void *member = (const char *)row + column->offset;
    switch (column->type) {
    case FACT_ID:
        row_id(rows, list->table, (uint32_t)index, out);
        break;
    case FACT_TRACE:
        sqlite3_result_int64(out, rows->trace_id);
        break;
    case FACT_INTEGER:
        integer_or_null(out, *(const int64_t *)member);
        break;
    case FACT_ADDRESS:
        sqlite3_result_int64(out, *(const int64_t *)member);
        break;
    case FACT_TIME:
        sqlite3_result_int64(
            out, (int64_t)((uint64_t) * (const int64_t *)member - (uint64_t)rows->trace->start));
        break;
    case FACT_REAL:
        sqlite3_result_double(out, *(const double *)member);
        break;
    case FACT_SMALL:
        sqlite3_result_int(out, *(const int16_t *)member);
        break;
    case FACT_INDEX:
        if (*(const int32_t *)member >= 0)
            sqlite3_result_int(out, *(const int32_t *)member);
        break;
    case FACT_FLAG:
        sqlite3_result_int(out, *(const bool *)member);
        break;
    default: {

        /* Columns that a number in the row stands for: of a slice, a text, a signature, a row. */
        uint32_t number = fact_number(row, column);
        switch (column->type) {
        case FACT_EVENT:
            sqlite3_result_int64(out, rows_event(rows, number));
            break;
        case FACT_TRACK:
            sqlite3_result_int64(out, rows_track(rows, number, TRACK_THREAD));
            break;
        case FACT_NUMBER:
            sqlite3_result_int64(out, number);
            break;
        case FACT_ROW:
            row_id(rows, column->of, number, out);
            break;
        case FACT_WORD:
            if (!number)
                sqlite3_result_text(out, "", 0, SQLITE_STATIC);
            text_or_null(out, rows->trace, number);
            break;
        case FACT_TEXT:
            text_or_null(out, rows->trace, number);
            break;
        default:
            if (number && column->type == FACT_ROW_OR_NULL)
                row_id(rows, column->of, number - 1, out);
            else if (number)
                sqlite3_result_int64(out, column->type == FACT_STRING ? rows->strings[number]
                                          : column->type == FACT_OP   ? rows->ops[number]
                                                                      : (int64_t)number);
        }
    }
    }
}

/* ------------------------------------------------------------------ the tables */

static int rows_connect(sqlite3 *db, const struct rows *rows, enum rows_kind kind,
                        sqlite3_vtab **out)
{
    static const char *const words[] = {
        [ROWS_EVENT] = "CREATE TABLE x(" EVENT_COLUMNS ")",
        [ROWS_GPU_EVENT] = "CREATE TABLE x(" GPU_EVENT_COLUMNS ")",
    };
    struct memory_attempt attempt;
    if (!memory_try_in(&attempt, memory_in_use()))
        return SQLITE_NOMEM;
    struct text made = {0};
    if (kind == ROWS_FACT) {
        text_add_string(&made, "CREATE TABLE x(");
        rows_fact_columns(rows->list.table, &made);
        text_add_byte(&made, ')');
    }
    int result = sqlite3_declare_vtab(db, kind == ROWS_FACT ? made.items : words[kind]);
    text_free(&made);
    memory_leave(&attempt);
    if (result != SQLITE_OK)
        return result;
    struct rows_table *table = sqlite3_malloc(sizeof *table);
    if (!table)
        return SQLITE_NOMEM;
    *table = (struct rows_table){.rows = rows, .kind = kind};
    *out = &table->base;
    return SQLITE_OK;
}

#define CONNECT(function, kind)                                                           \
    static int function(sqlite3 *db, void *rows, int count, const char *const *arguments, \
                        sqlite3_vtab **out, char **error)                                 \
    {                                                                                     \
        (void)count, (void)arguments, (void)error;                                        \
        return rows_connect(db, rows, kind, out);                                         \
    }

CONNECT(connect_event, ROWS_EVENT)
CONNECT(connect_gpu_event, ROWS_GPU_EVENT)
CONNECT(connect_fact, ROWS_FACT)

static int rows_disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

static int rows_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    info->estimatedCost = 1e6;
    return SQLITE_OK;
}

static uint32_t slice_of_fact(const struct fact_list *list, size_t index)
{
    return fact_number(fact_row(list, index), list->table->columns);
}

/* Facts of slices go in the order of events like all others, so it is told where each stands. */
static uint32_t *list_facts(const struct rows *rows)
{
    const struct trace *trace = rows->trace;
    const struct fact_list *list = &rows->list;
    if (!fact_table_has_slices(list->table))
        return NULL;
    uint32_t *fact_of = memory_zeroed(trace->slices.count, sizeof *fact_of);
    for (size_t i = list->count; i-- > 0;)
        fact_of[slice_of_fact(list, i)] = (uint32_t)i + 1;
    return fact_of;
}

static int rows_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
    const struct rows_table *table = (const struct rows_table *)base;
    struct rows_cursor *cursor = sqlite3_malloc(sizeof *cursor);
    if (!cursor)
        return SQLITE_NOMEM;
    *cursor = (struct rows_cursor){.rows = table->rows, .kind = table->kind};
    struct memory_attempt attempt;
    if (!memory_try_in(&attempt, memory_in_use())) {
        sqlite3_free(cursor);
        return SQLITE_NOMEM;
    }
    cursor->fact_of = table->kind == ROWS_FACT ? list_facts(table->rows) : NULL;
    memory_leave(&attempt);
    *out = &cursor->base;
    return SQLITE_OK;
}

static int rows_close(sqlite3_vtab_cursor *base)
{
    struct rows_cursor *cursor = (struct rows_cursor *)base;
    memory_free(cursor->fact_of);
    sqlite3_free(cursor);
    return SQLITE_OK;
}

/* Events, and facts of slices, go in the order of the numbers of events: appending is what a b-tree
 * does best. */
static void settle(struct rows_cursor *cursor)
{
    const struct rows *rows = cursor->rows;
    const struct trace *trace = rows->trace;
    if (cursor->kind == ROWS_EVENT && cursor->next < cursor->count)
        cursor->event = event_row(rows, trace->tree.order[cursor->next]);
    while (cursor->kind == ROWS_GPU_EVENT && cursor->next < cursor->count) {
        uint32_t index = trace->tree.order[cursor->next];
        if (trace_role(trace, &trace->slices.items[index]) == ROLE_GPU) {
            cursor->gpu = gpu_event_row(rows, index);
            break;
        }
        cursor->next++;
    }
    cursor->fact = cursor->next;
    if (!cursor->fact_of)
        return;
    for (; cursor->next < cursor->count; cursor->next++) {
        cursor->slice = trace->tree.order[cursor->next];
        cursor->fact = (size_t)cursor->fact_of[cursor->slice] - 1;
        if (cursor->fact_of[cursor->slice])
            return;
    }
}

static int rows_filter(sqlite3_vtab_cursor *base, int number, const char *text, int count,
                       sqlite3_value **arguments)
{
    (void)number, (void)text, (void)count, (void)arguments;
    struct rows_cursor *cursor = (struct rows_cursor *)base;
    const struct trace *trace = cursor->rows->trace;
    cursor->next = 0;
    cursor->count = cursor->fact_of || cursor->kind != ROWS_FACT ? trace->slices.count
                                                                 : cursor->rows->list.count;
    settle(cursor);
    return SQLITE_OK;
}

/* True if the slice in hand has one more row. */
static bool has_more(const struct rows_cursor *cursor)
{
    const struct fact_list *list = &cursor->rows->list;
    return cursor->fact + 1 < list->count && slice_of_fact(list, cursor->fact + 1) == cursor->slice;
}

static int rows_next(sqlite3_vtab_cursor *base)
{
    struct rows_cursor *cursor = (struct rows_cursor *)base;
    if (cursor->kind == ROWS_FACT && cursor->fact_of && has_more(cursor)) {
        cursor->fact++;
        return SQLITE_OK;
    }
    cursor->next++;
    settle(cursor);
    return SQLITE_OK;
}

static int rows_eof(sqlite3_vtab_cursor *base)
{
    const struct rows_cursor *cursor = (const struct rows_cursor *)base;
    return cursor->next >= cursor->count;
}

static int rows_column(sqlite3_vtab_cursor *base, sqlite3_context *out, int column)
{
    const struct rows_cursor *cursor = (const struct rows_cursor *)base;
    if (cursor->kind == ROWS_FACT)
        fact_column(cursor->rows, cursor->fact, out, column);
    else
        integer_or_null(out, cursor->values[column]);
    return SQLITE_OK;
}

static int rows_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
    *rowid = (sqlite3_int64)((const struct rows_cursor *)base)->next;
    return SQLITE_OK;
}

#define MODULE(connect)                                                                       \
    {                                                                                         \
        .xConnect = (connect), .xBestIndex = rows_best_index, .xDisconnect = rows_disconnect, \
        .xOpen = rows_open, .xClose = rows_close, .xFilter = rows_filter, .xNext = rows_next, \
        .xEof = rows_eof, .xColumn = rows_column, .xRowid = rows_rowid                        \
    }

int rows_register(sqlite3 *db, const struct rows *rows)
{
    static const sqlite3_module event = MODULE(connect_event),
                                gpu_event = MODULE(connect_gpu_event);
    void *data = (void *)(uintptr_t)rows;
    int result = sqlite3_create_module(db, "trace_event", &event, data);
    return result == SQLITE_OK ? sqlite3_create_module(db, "trace_gpu_event", &gpu_event, data)
                               : result;
}

int rows_register_facts(sqlite3 *db, const struct rows *rows)
{
    static const sqlite3_module fact = MODULE(connect_fact);
    return sqlite3_create_module(db, "trace_fact", &fact, (void *)(uintptr_t)rows);
}

void rows_fact_columns(const struct fact_table *table, struct text *out)
{
    for (const struct fact_column *column = table->columns; column->name; column++)
        text_format(out, "%s%s", column > table->columns ? ", " : "", column->name);
}

void rows_unregister(sqlite3 *db)
{
    sqlite3_create_module(db, "trace_event", NULL, NULL);
    sqlite3_create_module(db, "trace_gpu_event", NULL, NULL);
    sqlite3_create_module(db, "trace_fact", NULL, NULL);
}
