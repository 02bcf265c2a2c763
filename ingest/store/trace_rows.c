/* trace_rows: four tables over one cursor, which goes through events and facts of slices in the
 * order of the numbers of events: appending is what a b-tree does best. The values of an event are
 * made at once, others column by column; columns stand in the order in which store.c inserts them.
 */
#include "ingest/store/trace_rows.h"

#include <assert.h>
#include <sqlite3.h>

/* ------------------------------------------------------------------ events */

enum {
    EVENT_ID,
    EVENT_TRACE,
    EVENT_CATEGORY,
    EVENT_NAME,
    EVENT_TRACK,
    EVENT_START,
    EVENT_DURATION,
    EVENT_UP,
    EVENT_BELOW,
    EVENT_CHILDREN,
    EVENT_SIGNATURE,
    EVENT_ARGUMENTS,
    EVENT_CORRELATION,
    EVENT_UID,
};

enum {
    GPU_ID,
    GPU_TRACE,
    GPU_CATEGORY,
    GPU_NAME,
    GPU_TRACK,
    GPU_DEVICE,
    GPU_STREAM,
    GPU_START,
    GPU_DURATION,
    GPU_BYTES,
    GPU_CORRELATION,
    GPU_EXTERNAL,
    GPU_ARGUMENTS,
    GPU_CALL,
    GPU_OP,
    GPU_LAUNCHER,
    GPU_LAUNCHER_NAME,
    GPU_LAUNCHER_SIGNATURE,
    GPU_LAUNCHER_TRACK,
    GPU_LAUNCHER_START,
    GPU_LAUNCHER_BELOW,
    GPU_NESTED,
    GPU_UID,
    GPU_LINK,
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

static void launch_values(const struct rows *rows, const struct gpu_slice *gpu, uint32_t side,
                          int64_t *values)
{
    if (!gpu->call) {
        for (int i = GPU_CALL; i <= GPU_NESTED; i++)
            values[i] = NONE;
        values[GPU_LINK] = NONE;
        return;
    }
    const struct call_slice *call = &rows->trace->calls.items[gpu->call - 1];
    uint32_t op = trace_origin(rows->trace, side, call->op);
    uint32_t launcher = trace_origin(rows->trace, side, call->launcher);
    launcher = launcher ? launcher - 1 : call->slice; /* an op, else the call */
    const struct slice *slice = &rows->trace->slices.items[launcher];
    values[GPU_CALL] = rows_event(rows, call->slice);
    values[GPU_OP] = op ? rows_event(rows, op - 1) : NONE;
    values[GPU_LAUNCHER] = rows_event(rows, launcher);
    values[GPU_LAUNCHER_NAME] = rows->strings[slice->name];
    values[GPU_LAUNCHER_SIGNATURE] = signature_of(rows, slice);
    values[GPU_LAUNCHER_TRACK] = slice_track(rows, launcher);
    values[GPU_LAUNCHER_START] = slice->start - rows->trace->start;
    values[GPU_LAUNCHER_BELOW] = rows->trace->tree.descendants[launcher];
    values[GPU_NESTED] = call->nested;
    values[GPU_LINK] = rows->trace->links.items[side];
}

/* The row of a slice; NONE is NULL. */
static void event_row(const struct rows *rows, uint32_t index, int64_t *values)
{
    const struct trace *trace = rows->trace;
    const struct tree *tree = &trace->tree;
    const struct slice *slice = &trace->slices.items[index];
    uint32_t parent = tree->parent[index];
    values[EVENT_ID] = rows_event(rows, index);
    values[EVENT_TRACE] = rows->trace_id;
    values[EVENT_CATEGORY] = rows->categories[slice->category];
    values[EVENT_NAME] = rows->strings[slice->name];
    values[EVENT_TRACK] = slice_track(rows, index);
    values[EVENT_START] = slice->start - trace->start;
    values[EVENT_DURATION] = slice->duration;
    values[EVENT_UP] =
        parent ? (int64_t)tree->number[index] - (int64_t)tree->number[parent - 1] : NONE;
    values[EVENT_BELOW] = tree->descendants[index];
    values[EVENT_CHILDREN] = tree->child_time[index];
    values[EVENT_SIGNATURE] = signature_of(rows, slice);
    values[EVENT_ARGUMENTS] = arguments_of(rows, slice);
    values[EVENT_CORRELATION] = id_or_none(trace, correlation_of(trace, slice));
    values[EVENT_UID] = slice->uid;
}

/* The second row of a slice on an accelerator. */
static void gpu_event_row(const struct rows *rows, uint32_t index, int64_t *values)
{
    const struct trace *trace = rows->trace;
    const struct slice *slice = &trace->slices.items[index];
    const struct gpu_slice *gpu = &trace->gpus.items[slice->side];
    values[GPU_ID] = rows_event(rows, index);
    values[GPU_TRACE] = rows->trace_id;
    values[GPU_CATEGORY] = rows->categories[slice->category];
    values[GPU_NAME] = rows->strings[slice->name];
    values[GPU_TRACK] = slice_track(rows, index);
    values[GPU_DEVICE] = gpu->device >= 0 ? gpu->device : NONE;
    values[GPU_STREAM] = gpu->stream;
    values[GPU_START] = slice->start - trace->start;
    values[GPU_DURATION] = slice->duration;
    values[GPU_BYTES] = gpu->bytes;
    values[GPU_CORRELATION] = id_or_none(trace, gpu->correlation);
    values[GPU_EXTERNAL] = id_or_none(trace, gpu->external);
    values[GPU_ARGUMENTS] = arguments_of(rows, slice);
    values[GPU_UID] = slice->uid;
    launch_values(rows, gpu, slice->side, values);
}

/* ------------------------------------------------------------------ other values */

enum rows_kind { ROWS_EVENT, ROWS_GPU_EVENT, ROWS_MEMORY, ROWS_FACT };

enum { EVENT_ROW_VALUES = 24 };

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
    int64_t values[EVENT_ROW_VALUES]; /* of the event that `next` stands for */
};

static void integer_or_null(sqlite3_context *out, int64_t value)
{
    if (value != NONE)
        sqlite3_result_int64(out, value);
}

static void memory_column(const struct rows *rows, size_t index, sqlite3_context *out, int column)
{
    const struct memory_record *record = &rows->trace->memory.items[index];
    switch (column) {
    case 0: /* uid */
        sqlite3_result_int64(out, record->uid);
        break;
    case 1: /* track_id */
        sqlite3_result_int64(out, rows_track(rows, record->place, TRACK_THREAD));
        break;
    case 2: /* ts_ns */
        sqlite3_result_int64(out, record->time - rows->trace->start);
        break;
    case 3: /* bytes */
        integer_or_null(out, record->bytes);
        break;
    case 4: /* address */
        integer_or_null(out, record->address);
        break;
    case 5: /* total_allocated */
        integer_or_null(out, record->allocated);
        break;
    case 6: /* total_reserved */
        integer_or_null(out, record->reserved);
        break;
    case 7: /* device_type */
        if (record->device_type >= 0)
            sqlite3_result_int(out, record->device_type);
        break;
    default: /* device */
        if (record->device >= 0)
            sqlite3_result_int(out, record->device);
        break;
    }
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
    const struct fact_list *list = &rows->trace->facts.items[rows->facts];
    const struct fact_column *column = &list->table->columns[place];
    const void *row = fact_row(list, index);
    const void *member = (const char *)row + column->offset;
    switch (column->type) {
    case FACT_ID:
        sqlite3_result_int64(out, rows->first_facts[rows->facts] + (int64_t)index);
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
        [ROWS_MEMORY] = ("CREATE TABLE x(uid, track_id, ts_ns, bytes, address, total_allocated, "
                         "total_reserved, device_type, device)")};
    struct memory_attempt attempt;
    if (!memory_try_in(&attempt, memory_in_use()))
        return SQLITE_NOMEM;
    struct text made = {0};
    if (kind == ROWS_FACT) {
        const struct fact_table *table = rows->trace->facts.items[rows->facts].table;
        text_add_string(&made, "CREATE TABLE x(");
        rows_fact_columns(table, &made);
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
CONNECT(connect_memory, ROWS_MEMORY)
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
    const struct fact_list *list = &trace->facts.items[rows->facts];
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
        event_row(rows, trace->tree.order[cursor->next], cursor->values);
    while (cursor->kind == ROWS_GPU_EVENT && cursor->next < cursor->count) {
        uint32_t index = trace->tree.order[cursor->next];
        if (trace_role(trace, &trace->slices.items[index]) == ROLE_GPU) {
            gpu_event_row(rows, index, cursor->values);
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
    cursor->count = cursor->fact_of || cursor->kind <= ROWS_GPU_EVENT ? trace->slices.count
                    : cursor->kind == ROWS_MEMORY                     ? trace->memory.count
                                                  : trace->facts.items[cursor->rows->facts].count;
    settle(cursor);
    return SQLITE_OK;
}

/* True if the slice in hand has one more row. */
static bool has_more(const struct rows_cursor *cursor)
{
    const struct fact_list *list = &cursor->rows->trace->facts.items[cursor->rows->facts];
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
    switch (cursor->kind) {
    case ROWS_EVENT:
    case ROWS_GPU_EVENT:
        integer_or_null(out, cursor->values[column]);
        break;
    case ROWS_MEMORY:
        memory_column(cursor->rows, cursor->next, out, column);
        break;
    case ROWS_FACT:
        fact_column(cursor->rows, cursor->fact, out, column);
        break;
    }
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
                                gpu_event = MODULE(connect_gpu_event),
                                memory = MODULE(connect_memory);
    void *data = (void *)(uintptr_t)rows;
    int result = sqlite3_create_module(db, "trace_event", &event, data);
    if (result == SQLITE_OK)
        result = sqlite3_create_module(db, "trace_gpu_event", &gpu_event, data);
    return result == SQLITE_OK ? sqlite3_create_module(db, "trace_memory", &memory, data) : result;
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
    sqlite3_create_module(db, "trace_memory", NULL, NULL);
    sqlite3_create_module(db, "trace_fact", NULL, NULL);
}
