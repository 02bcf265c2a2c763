/* tt_tables: op tables of tt-metal as the sequence of ops that reports show.
 *
 *     tt_sequence     a row for each op or signpost that is left
 *     tt_status       a row for each run: notes, how many there were, sums of what is left
 *
 *     SELECT id, duration_ns FROM tt_sequence ORDER BY run, position
 *
 * The files of a run are hosts: lines and devices are counted on from one to the next. The options
 * tracing_mode, start_signpost, end_signpost, signpost_occurrence, ignore_signposts,
 * print_signposts, no_merge_devices, merge_by, id_range, no_host_ops and compat decide what is
 * left (tpq report --help). duration_ns is NULL where the file has none, gap_ns where nothing comes
 * before. Notes are sentences, one a line.
 */
#include "functions.h"
#include "tt_sequence.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

enum { SEQUENCE_RUN, SEQUENCE_TRACE, SEQUENCE_POSITION };
enum {
    STATUS_RUN,
    STATUS_NOTES,
    STATUS_DEVICES,
    STATUS_DEVICE_OPS,
    STATUS_HOST_OPS,
    STATUS_SIGNPOSTS,
    STATUS_DEVICE_NS
};

struct tt_table {
    sqlite3_vtab base;
    sqlite3 *db;
    const struct context *context;
    bool is_status;
};

struct tt_run {
    char *name;
    struct tt_sequence sequence;
    ARRAY(char *) texts; /* distinct names of its rows */
};

struct tt_cursor {
    sqlite3_vtab_cursor base;
    sqlite3 *db;
    const struct context *context;
    bool is_status;
    ARRAY(struct tt_run) runs;
    size_t run, row;
};

static int connect(sqlite3 *db, void *context, bool is_status, sqlite3_vtab **out)
{
    int result = sqlite3_declare_vtab(
        db, is_status ? "CREATE TABLE tt_status(run TEXT, notes TEXT, devices INTEGER, device_ops "
                        "INTEGER, host_ops INTEGER, signposts INTEGER, device_ns REAL, gap_ns REAL)"
                      : "CREATE TABLE tt_sequence(run TEXT, trace_id INTEGER, position INTEGER, "
                        "event_id INTEGER, id INTEGER, kind TEXT, device INTEGER, duration_ns "
                        "REAL, gap_ns INTEGER, merged INTEGER, least_ns INTEGER, most_ns INTEGER, "
                        "all_device_ns REAL, all_gap_ns REAL)");
    if (result != SQLITE_OK)
        return result;
    sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    struct tt_table *table = sqlite3_malloc(sizeof *table);
    if (!table)
        return SQLITE_NOMEM;
    *table = (struct tt_table){.db = db, .context = context, .is_status = is_status};
    *out = &table->base;
    return SQLITE_OK;
}

static int connect_sequence(sqlite3 *db, void *context, int count, const char *const *arguments,
                            sqlite3_vtab **out, char **error)
{
    (void)count, (void)arguments, (void)error;
    return connect(db, context, false, out);
}

static int connect_status(sqlite3 *db, void *context, int count, const char *const *arguments,
                          sqlite3_vtab **out, char **error)
{
    (void)count, (void)arguments, (void)error;
    return connect(db, context, true, out);
}

static int disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    info->estimatedCost = 1e5;
    info->estimatedRows = 1000;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
    const struct tt_table *table = (const struct tt_table *)(void *)base;
    struct tt_cursor *cursor = sqlite3_malloc(sizeof *cursor);
    if (!cursor)
        return SQLITE_NOMEM;
    *cursor = (struct tt_cursor){
        .db = table->db, .context = table->context, .is_status = table->is_status};
    *out = &cursor->base;
    return SQLITE_OK;
}

static void forget(struct tt_cursor *cursor)
{
    for (size_t i = 0; i < cursor->runs.count; i++) {
        struct tt_run *run = &cursor->runs.items[i];
        for (size_t j = 0; j < run->texts.count; j++)
            free(run->texts.items[j]);
        array_free(&run->texts);
        tt_sequence_free(&run->sequence);
        free(run->name);
    }
    array_free(&cursor->runs);
    cursor->run = cursor->row = 0;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    forget((struct tt_cursor *)(void *)base);
    sqlite3_free(base);
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ reading */

enum {
    READ_RUN,
    READ_TRACE,
    READ_EVENT,
    READ_UID,
    READ_START,
    READ_DEVICE,
    READ_KERNEL,
    READ_GAP,
    READ_CALLS,
    READ_REPLAY,
    READ_NAME,
    READ_TEXT,
    READ_CATEGORY,
    READ_ELEMENTS,
};

static const char question[] =
    "SELECT scope.run, scope.trace_id, event.id, event.uid, CASE WHEN category.name <> 'signpost' "
    "THEN device_op.host_start_ns WHEN instr(trace.metadata, '\"HOST START TS\"') THEN "
    "trace.clock_start_ns + event.ts_ns END, device_op.device, device_op.kernel_ns, "
    "device_op.gap_ns, device_op.call_count, device_op.replay, event.name_id, string.text, "
    "category.name, trace.element_count "
    "FROM scope JOIN trace ON trace.id = scope.trace_id AND trace.format = 'ttmetal' "
    "CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event "
    "JOIN category ON category.id = event.category_id JOIN string ON string.id = event.name_id "
    "LEFT JOIN device_op ON device_op.id = event.id "
    "ORDER BY scope.run, scope.trace_id, event.uid";

static int64_t integer_at(sqlite3_stmt *from, int column)
{
    return sqlite3_column_type(from, column) == SQLITE_NULL ? TT_NONE
                                                            : sqlite3_column_int64(from, column);
}

/* Where the lines and devices of a file begin. The first file says how many devices each has. */
struct hosts {
    int64_t trace, first_line, first_device, next_line, count;
};

static int start_run(struct tt_cursor *cursor, sqlite3_stmt *from, struct hosts *hosts)
{
    const char *name = (const char *)sqlite3_column_text(from, READ_RUN);
    size_t count = cursor->runs.count;
    if (!name)
        return SQLITE_NOMEM;
    if (count && strcmp(cursor->runs.items[count - 1].name, name) == 0)
        return SQLITE_OK;
    char *copy = strdup(name);
    struct tt_run *run = copy ? array_push(&cursor->runs) : NULL;
    if (!run) {
        free(copy);
        return SQLITE_NOMEM;
    }
    *run = (struct tt_run){.name = copy};
    *hosts = (struct hosts){.trace = -1};
    return SQLITE_OK;
}

static void start_trace(sqlite3_stmt *from, struct hosts *hosts)
{
    int64_t trace = sqlite3_column_int64(from, READ_TRACE);
    if (trace == hosts->trace)
        return;
    if (hosts->trace >= 0)
        hosts->first_device += hosts->count;
    hosts->first_line = hosts->next_line;
    hosts->next_line += sqlite3_column_int64(from, READ_ELEMENTS);
    hosts->trace = trace;
}

/* The name of a row, kept once for each run. */
static const char *keep_text(struct tt_run *run, sqlite3_stmt *from)
{
    const char *text = (const char *)sqlite3_column_text(from, READ_TEXT);
    for (size_t i = run->texts.count; text && i && run->texts.count - i < 64; i--)
        if (strcmp(run->texts.items[i - 1], text) == 0)
            return run->texts.items[i - 1];
    char *copy = text ? strdup(text) : NULL;
    char **added = copy ? array_push(&run->texts) : NULL;
    if (added)
        *added = copy;
    else
        free(copy);
    return added ? copy : NULL;
}

static int add_row(struct tt_run *run, sqlite3_stmt *from, struct hosts *hosts, bool is_first)
{
    const char *category = (const char *)sqlite3_column_text(from, READ_CATEGORY);
    struct tt_row row = {
        .trace = hosts->trace,
        .event = sqlite3_column_int64(from, READ_EVENT),
        .id = hosts->first_line + sqlite3_column_int64(from, READ_UID),
        .start = integer_at(from, READ_START),
        .device = integer_at(from, READ_DEVICE),
        .kernel = integer_at(from, READ_KERNEL),
        .gap = integer_at(from, READ_GAP),
        .call_count = integer_at(from, READ_CALLS),
        .replay = integer_at(from, READ_REPLAY),
        .name = sqlite3_column_int64(from, READ_NAME),
        .text = keep_text(run, from),
    };
    if (!row.text || !category)
        return SQLITE_NOMEM;
    row.kind = strcmp(category, "tt_dnn_device") == 0 ? TT_DEVICE
               : strcmp(category, "signpost") == 0    ? TT_SIGNPOST
                                                      : TT_OTHER;
    if (row.device != TT_NONE && is_first && row.device >= hosts->count)
        hosts->count = row.device + 1;
    if (row.device != TT_NONE)
        row.device += hosts->first_device;
    struct tt_row *added = array_push(&run->sequence.rows);
    if (!added)
        return SQLITE_NOMEM;
    *added = row;
    return SQLITE_OK;
}

static int read_rows(struct tt_cursor *cursor, bool *several)
{
    sqlite3_stmt *from = NULL;
    struct hosts hosts = {.trace = -1};
    int result = sqlite3_prepare_v2(cursor->db, question, -1, &from, NULL);
    *several = false;
    while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW) {
        result = start_run(cursor, from, &hosts);
        if (result != SQLITE_OK)
            break;
        start_trace(from, &hosts);
        bool is_first = hosts.first_line == 0 && hosts.first_device == 0;
        *several |= !is_first;
        result = add_row(&cursor->runs.items[cursor->runs.count - 1], from, &hosts, is_first);
    }
    sqlite3_finalize(from);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

/* ------------------------------------------------------------------ options */

static bool has(const struct tt_cursor *cursor, const char *option)
{
    return context_get(cursor->context, option) != NULL;
}

/* A line number with commas between thousands; false when there are no digits. */
static bool read_line(const char **at, int64_t *number)
{
    const char *start = *at;
    int64_t value = 0;
    for (; isdigit((unsigned char)**at) || **at == ','; (*at)++)
        if (**at != ',' && value < INT64_MAX / 100)
            value = value * 10 + (**at - '0');
    if (*at == start)
        return false;
    *number = value;
    return true;
}

static struct tt_options options_of(const struct tt_cursor *cursor, bool several)
{
    const struct context *context = cursor->context;
    const char *merge_by = context_get(context, "merge_by"), *at = context_get(context, "id_range");
    struct tt_options options = {
        .start = context_get(context, "start_signpost"),
        .end = context_get(context, "end_signpost"),
        .occurrence = context_get(context, "signpost_occurrence"),
        .ignore_signposts = has(cursor, "ignore_signposts"),
        .print_signposts = has(cursor, "print_signposts"),
        .keep_order = has(cursor, "tracing_mode"),
        .keep_devices = has(cursor, "no_merge_devices"),
        .by_calls = merge_by && strcmp(merge_by, "call-count") == 0,
        .no_host_ops = has(cursor, "no_host_ops"),
        .compat = has(cursor, "compat"),
        .by_place = several && !has(cursor, "compat"),
        .first_id = INT64_MIN,
        .last_id = INT64_MAX,
    };
    if (at) {
        read_line(&at, &options.first_id);
        at += *at == '-';
        read_line(&at, &options.last_id);
    }
    return options;
}

static int next(sqlite3_vtab_cursor *base);

static int filter(sqlite3_vtab_cursor *base, int number, const char *text, int count,
                  sqlite3_value **arguments)
{
    (void)number, (void)text, (void)count, (void)arguments;
    struct tt_cursor *cursor = (struct tt_cursor *)(void *)base;
    bool several;
    forget(cursor);
    int result = read_rows(cursor, &several);
    struct tt_options options = options_of(cursor, several);
    for (size_t i = 0; i < cursor->runs.count && result == SQLITE_OK; i++)
        if (!tt_sequence_make(&cursor->runs.items[i].sequence, &options))
            result = SQLITE_NOMEM;
    while (!cursor->is_status && cursor->run < cursor->runs.count &&
           cursor->runs.items[cursor->run].sequence.rows.count == 0)
        cursor->run++;
    return result;
}

static int next(sqlite3_vtab_cursor *base)
{
    struct tt_cursor *cursor = (struct tt_cursor *)(void *)base;
    cursor->row++;
    while (
        cursor->run < cursor->runs.count &&
        (cursor->is_status || cursor->row >= cursor->runs.items[cursor->run].sequence.rows.count)) {
        cursor->run++;
        cursor->row = 0;
        if (cursor->is_status)
            break;
    }
    return SQLITE_OK;
}

static int eof(sqlite3_vtab_cursor *base)
{
    const struct tt_cursor *cursor = (const struct tt_cursor *)(void *)base;
    return cursor->run >= cursor->runs.count;
}

static void put_integer(sqlite3_context *out, int64_t value)
{
    if (value != TT_NONE)
        sqlite3_result_int64(out, value);
}

static void put_notes(sqlite3_context *out, const struct tt_sequence *sequence)
{
    struct text words = {0};
    bool done = text_add(&words, "", 0);
    for (size_t i = 0; i < sequence->notes.count && done; i++)
        done = text_format(&words, "%s%s", i ? "\n" : "", sequence->notes.items[i]);
    if (done)
        sqlite3_result_text64(out, words.items, words.count, SQLITE_TRANSIENT, SQLITE_UTF8);
    else
        sqlite3_result_error_nomem(out);
    text_free(&words);
}

static void status_column(const struct tt_run *run, sqlite3_context *out, int column)
{
    switch (column) {
    case STATUS_RUN:
        sqlite3_result_text(out, run->name, -1, SQLITE_TRANSIENT);
        break;
    case STATUS_NOTES:
        put_notes(out, &run->sequence);
        break;
    case STATUS_DEVICES:
        sqlite3_result_int64(out, run->sequence.devices);
        break;
    case STATUS_DEVICE_OPS:
        sqlite3_result_int64(out, run->sequence.device_ops);
        break;
    case STATUS_HOST_OPS:
        sqlite3_result_int64(out, run->sequence.host_ops);
        break;
    case STATUS_SIGNPOSTS:
        sqlite3_result_int64(out, run->sequence.signposts);
        break;
    case STATUS_DEVICE_NS:
        sqlite3_result_double(out, run->sequence.device_ns);
        break;
    default:
        sqlite3_result_double(out, run->sequence.gap_ns);
        break;
    }
}

static int column_of(sqlite3_vtab_cursor *base, sqlite3_context *out, int column)
{
    static const char *const kinds[] = {
        [TT_DEVICE] = "device", [TT_SIGNPOST] = "signpost", [TT_OTHER] = "host"};
    const struct tt_cursor *cursor = (const struct tt_cursor *)(void *)base;
    const struct tt_run *run = &cursor->runs.items[cursor->run];
    if (cursor->is_status) {
        status_column(run, out, column);
        return SQLITE_OK;
    }
    const struct tt_row *row = &run->sequence.rows.items[cursor->row];
    switch (column) {
    case SEQUENCE_RUN:
        sqlite3_result_text(out, run->name, -1, SQLITE_TRANSIENT);
        break;
    case SEQUENCE_TRACE:
        sqlite3_result_int64(out, row->trace);
        break;
    case SEQUENCE_POSITION:
        sqlite3_result_int64(out, (int64_t)cursor->row + 1);
        break;
    case 3: /* event_id */
        sqlite3_result_int64(out, row->event);
        break;
    case 4: /* id */
        sqlite3_result_int64(out, row->id);
        break;
    case 5: /* kind */
        sqlite3_result_text(out, kinds[row->kind], -1, SQLITE_STATIC);
        break;
    case 6: /* device */
        put_integer(out, row->device);
        break;
    case 7: /* duration_ns */
        if (row->has_duration)
            sqlite3_result_double(out, row->duration);
        break;
    case 8: /* gap_ns */
        if (row->has_gap)
            sqlite3_result_int64(out, row->gap);
        break;
    case 9: /* merged */
        sqlite3_result_int64(out, row->merged);
        break;
    case 10: /* least_ns */
        put_integer(out, row->least);
        break;
    case 11: /* most_ns */
        put_integer(out, row->most);
        break;
    case 12: /* all_device_ns */
        sqlite3_result_double(out, run->sequence.device_ns);
        break;
    default: /* all_gap_ns */
        sqlite3_result_double(out, run->sequence.gap_ns);
        break;
    }
    return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
    const struct tt_cursor *cursor = (const struct tt_cursor *)(void *)base;
    *id = (sqlite3_int64)(cursor->run << 32 | cursor->row);
    return SQLITE_OK;
}

#define MODULE(connect_function)                                                             \
    {                                                                                        \
        .xConnect = (connect_function), .xBestIndex = best_index, .xDisconnect = disconnect, \
        .xOpen = open_cursor, .xClose = close_cursor, .xFilter = filter, .xNext = next,      \
        .xEof = eof, .xColumn = column_of, .xRowid = rowid                                   \
    }

static const sqlite3_module sequence_module = MODULE(connect_sequence);
static const sqlite3_module status_module = MODULE(connect_status);

const struct function tt_table_functions[] = {
    {.name = "tt_sequence",
     .call =
         "tt_sequence(run, trace_id, position, event_id, id, kind, device, duration_ns, gap_ns, "
         "merged, least_ns, most_ns, all_device_ns, all_gap_ns)",
     .meaning = "A table: the ops of tt-metal's op tables as reports show them, after the options "
                "for signposts, devices, ids and host ops.",
     .kind = FUNCTION_TABLE,
     .module = &sequence_module},
    {.name = "tt_status",
     .call = "tt_status(run, notes, devices, device_ops, host_ops, signposts, device_ns, gap_ns)",
     .meaning = "A table: what there is to say about how the ops of each run were chosen, a "
                "sentence a line, and how many there were before ids and host ops were left out.",
     .kind = FUNCTION_TABLE,
     .module = &status_module},
    {0},
};
