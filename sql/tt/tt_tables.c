/* tt_tables: op tables of tt-metal as the sequence of ops that reports show.
 *
 *     tt_sequence     a row for each op or signpost that is left
 *     tt_status       a row for each run: notes, how many there were, sums of what is left
 *
 *     SELECT id, device_time_us, bound FROM tt_sequence ORDER BY run, position
 *
 * The options tracing_mode, start_signpost, end_signpost, signpost_occurrence, ignore_signposts,
 * print_signposts, no_merge_devices, merge_by, id_range, no_host_ops and compat decide what is
 * left (tpq report --help). duration_ns is NULL where the file has none, gap_us where nothing comes
 * before; figures are NULL where something for them is not known. Notes are sentences, one a line.
 */
#include "sql/tt/tt_runs.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

/* Where the value of a column comes from. */
enum origin {
    FROM_RUN,         /* the run's name */
    FROM_POSITION,    /* the place of the row */
    FROM_KIND,        /* a word for its kind */
    FROM_INTEGER,     /* an int64_t of the row */
    FROM_TEXT,        /* a text of the row */
    FROM_DURATION,    /* the row's duration */
    FROM_REAL,        /* a double of the measure */
    FROM_CORES,       /* the cores of the measure */
    FROM_BOUND,       /* the bound of the measure */
    FROM_TOTAL,       /* device time and gaps of the run */
    FROM_CALL,        /* a column of the signature */
    FROM_NOTES,       /* the notes of the run */
    FROM_RUN_INTEGER, /* an int64_t of the run's sequence */
    FROM_RUN_REAL     /* a double of the run's sequence */
};

struct column {
    const char *name, *type;
    enum origin origin;
    size_t place; /* offset, or column of the signature */
};

#define MEASURED(name, field)                                        \
    {                                                                \
#name, "REAL", FROM_REAL, offsetof(struct tt_measure, field) \
    }
#define COUNTED(name)                                                          \
    {                                                                          \
#name, "INTEGER", FROM_RUN_INTEGER, offsetof(struct tt_sequence, name) \
    }
#define SUMMED(name)                                                     \
    {                                                                    \
#name, "REAL", FROM_RUN_REAL, offsetof(struct tt_sequence, name) \
    }

/* The rows come in the order of the first two. */
static const struct column sequence_columns[] = {
    {"run", "TEXT", FROM_RUN, 0},
    {"position", "INTEGER", FROM_POSITION, 0},
    {"kind", "TEXT", FROM_KIND, 0},
    {"trace_id", "INTEGER", FROM_INTEGER, offsetof(struct tt_row, trace)},
    {"host", "INTEGER", FROM_INTEGER, offsetof(struct tt_row, host)},
    {"event_id", "INTEGER", FROM_INTEGER, offsetof(struct tt_row, event)},
    {"op_id", "INTEGER", FROM_INTEGER, offsetof(struct tt_row, op)},
    {"id", "INTEGER", FROM_INTEGER, offsetof(struct tt_row, id)},
    {"device", "INTEGER", FROM_INTEGER, offsetof(struct tt_row, device)},
    {"name", "TEXT", FROM_TEXT, offsetof(struct tt_row, text)},
    {"signpost", "TEXT", FROM_TEXT, offsetof(struct tt_row, signpost)},
    {"duration_ns", "REAL", FROM_DURATION, 0},
    {"merged", "INTEGER", FROM_INTEGER, offsetof(struct tt_row, merged)},
    {"least_ns", "INTEGER", FROM_INTEGER, offsetof(struct tt_row, least)},
    {"most_ns", "INTEGER", FROM_INTEGER, offsetof(struct tt_row, most)},
    {"available_cores", "INTEGER", FROM_INTEGER, offsetof(struct tt_row, available_cores)},
    {"sub_device", "INTEGER", FROM_INTEGER, offsetof(struct tt_row, sub_device)},
    {"call_count", "INTEGER", FROM_INTEGER, offsetof(struct tt_row, call_count)},
    {"cores", "INTEGER", FROM_CORES, 0},
    {"bound", "TEXT", FROM_BOUND, 0},
    {"total_us", "REAL", FROM_TOTAL, 0},
    MEASURED(device_time_us, device_us),
    MEASURED(gap_us, gap_us),
    MEASURED(total_percent, total_percent),
    MEASURED(device_percent, device_percent),
    MEASURED(ideal_us, ideal_us),
    MEASURED(dram_gbs, dram_gbs),
    MEASURED(dram_percent, dram_percent),
    MEASURED(tflops, tflops),
    MEASURED(flops_percent, flops_percent),
    {"label", "TEXT", FROM_CALL, TT_CALL_LABEL},
    {"analysis", "TEXT", FROM_CALL, TT_CALL_ANALYSIS},
    {"category", "TEXT", FROM_CALL, TT_CALL_CATEGORY},
    {"fidelity", "TEXT", FROM_CALL, TT_CALL_FIDELITY},
    {"fidelity_class", "TEXT", FROM_CALL, TT_CALL_FIDELITY_CLASS},
    {"fidelity_advice", "TEXT", FROM_CALL, TT_CALL_FIDELITY_ADVICE},
    {"in0_type", "TEXT", FROM_CALL, TT_CALL_IN0_TYPE},
    {"in1_type", "TEXT", FROM_CALL, TT_CALL_IN1_TYPE},
    {"out_type", "TEXT", FROM_CALL, TT_CALL_OUT_TYPE},
    {"is_sharded", "INTEGER", FROM_CALL, TT_CALL_IS_SHARDED},
    {"in0_memory", "TEXT", FROM_CALL, TT_CALL_IN0_MEMORY},
    {"block_w", "INTEGER", FROM_CALL, TT_CALL_BLOCK_W},
    {"subblock_h", "INTEGER", FROM_CALL, TT_CALL_SUBBLOCK_H},
    {"subblock_w", "INTEGER", FROM_CALL, TT_CALL_SUBBLOCK_W},
    {"op", "TEXT", FROM_CALL, TT_CALL_OP},
    {"layout", "TEXT", FROM_CALL, TT_CALL_LAYOUT},
    {"types", "TEXT", FROM_CALL, TT_CALL_TYPES},
    {"op_colour", "TEXT", FROM_CALL, TT_CALL_OP_COLOUR},
    {"fidelity_colour", "TEXT", FROM_CALL, TT_CALL_FIDELITY_COLOUR},
    {0},
};

static const struct column status_columns[] = {
    {"run", "TEXT", FROM_RUN, 0},
    {"notes", "TEXT", FROM_NOTES, 0},
    COUNTED(devices),
    COUNTED(device_ops),
    COUNTED(host_ops),
    COUNTED(signposts),
    SUMMED(device_ns),
    SUMMED(gap_ns),
    {0},
};

struct tt_table {
    sqlite3_vtab base;
    sqlite3 *db;
    struct context *context;
    const struct column *columns;
};

struct tt_cursor {
    sqlite3_vtab_cursor base;
    struct tt_runs *runs; /* with a share */
    size_t run, row;
};

static const struct tt_table *table_of(const struct tt_cursor *cursor)
{
    return (const struct tt_table *)(const void *)cursor->base.pVtab;
}

static int declare(sqlite3 *db, const char *name, const struct column *columns)
{
    struct text schema = {0};
    bool done = text_format(&schema, "CREATE TABLE %s", name);
    for (size_t i = 0; columns[i].name && done; i++)
        done = text_format(&schema, "%s%s %s", i ? ", " : "(", columns[i].name, columns[i].type);
    done = done && text_add_byte(&schema, ')');
    int result = done ? sqlite3_declare_vtab(db, schema.items) : SQLITE_NOMEM;
    text_free(&schema);
    return result;
}

static int connect(sqlite3 *db, void *context, const char *name, const struct column *columns,
                   sqlite3_vtab **out)
{
    int result = declare(db, name, columns);
    if (result != SQLITE_OK)
        return result;
    sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    struct tt_table *table = sqlite3_malloc(sizeof *table);
    if (!table)
        return SQLITE_NOMEM;
    *table = (struct tt_table){.db = db, .context = context, .columns = columns};
    *out = &table->base;
    return SQLITE_OK;
}

static int connect_sequence(sqlite3 *db, void *context, int count, const char *const *arguments,
                            sqlite3_vtab **out, char **error)
{
    (void)count, (void)arguments, (void)error;
    return connect(db, context, "tt_sequence", sequence_columns, out);
}

static int connect_status(sqlite3 *db, void *context, int count, const char *const *arguments,
                          sqlite3_vtab **out, char **error)
{
    (void)count, (void)arguments, (void)error;
    return connect(db, context, "tt_status", status_columns, out);
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
    info->orderByConsumed = info->nOrderBy > 0 && info->nOrderBy <= 2;
    for (int i = 0; i < info->nOrderBy; i++) /* by run and position, as the rows come */
        if (info->aOrderBy[i].iColumn != i || info->aOrderBy[i].desc)
            info->orderByConsumed = 0;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
    (void)base;
    struct tt_cursor *cursor = sqlite3_malloc(sizeof *cursor);
    if (!cursor)
        return SQLITE_NOMEM;
    *cursor = (struct tt_cursor){.runs = NULL};
    *out = &cursor->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    tt_runs_release(((struct tt_cursor *)(void *)base)->runs);
    sqlite3_free(base);
    return SQLITE_OK;
}

/* A run has one row of status, and as many of the sequence as there are in it. */
static size_t rows_of(const struct tt_cursor *cursor)
{
    if (table_of(cursor)->columns == status_columns)
        return 1;
    return cursor->runs->runs.items[cursor->run].sequence.rows.count;
}

static void pass_empty_runs(struct tt_cursor *cursor)
{
    while (cursor->run < cursor->runs->runs.count && cursor->row >= rows_of(cursor)) {
        cursor->run++;
        cursor->row = 0;
    }
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *text, int count,
                  sqlite3_value **arguments)
{
    (void)number, (void)text, (void)count, (void)arguments;
    struct tt_cursor *cursor = (struct tt_cursor *)(void *)base;
    const struct tt_table *table = table_of(cursor);
    int result;
    tt_runs_release(cursor->runs);
    cursor->runs = tt_runs_get(table->db, table->context, &result);
    cursor->run = cursor->row = 0;
    if (cursor->runs)
        pass_empty_runs(cursor);
    return result;
}

static int next(sqlite3_vtab_cursor *base)
{
    struct tt_cursor *cursor = (struct tt_cursor *)(void *)base;
    cursor->row++;
    pass_empty_runs(cursor);
    return SQLITE_OK;
}

static int eof(sqlite3_vtab_cursor *base)
{
    const struct tt_cursor *cursor = (const struct tt_cursor *)(const void *)base;
    return !cursor->runs || cursor->run >= cursor->runs->runs.count;
}

/* ------------------------------------------------------------------ columns */

static void put_integer(sqlite3_context *out, int64_t value)
{
    if (value != TT_NONE)
        sqlite3_result_int64(out, value);
}

static void put_real(sqlite3_context *out, double value)
{
    if (!isnan(value))
        sqlite3_result_double(out, value);
}

/* Texts that live at least as long as the cursor. */
static void put_text(sqlite3_context *out, const char *text)
{
    if (text)
        sqlite3_result_text(out, text, -1, SQLITE_TRANSIENT);
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

/* What all rows of a run have alike. */
static void put_of_run(sqlite3_context *out, const struct tt_run *run, const struct column *column)
{
    const char *sequence = (const char *)&run->sequence;
    if (column->origin == FROM_RUN)
        put_text(out, run->name);
    else if (column->origin == FROM_NOTES)
        put_notes(out, &run->sequence);
    else if (column->origin == FROM_RUN_INTEGER)
        put_integer(out, *(const int64_t *)(const void *)(sequence + column->place));
    else if (column->origin == FROM_RUN_REAL)
        put_real(out, *(const double *)(const void *)(sequence + column->place));
    else
        put_real(out, (run->sequence.device_ns + run->sequence.gap_ns) / 1000.0);
}

static void put_of_row(sqlite3_context *out, const struct tt_row *row, const struct column *column)
{
    static const char *const kinds[] = {
        [TT_DEVICE] = "device", [TT_SIGNPOST] = "signpost", [TT_OTHER] = "host"};
    const char *fields = (const char *)row;
    if (column->origin == FROM_INTEGER)
        put_integer(out, *(const int64_t *)(const void *)(fields + column->place));
    else if (column->origin == FROM_TEXT)
        put_text(out, *(const char *const *)(const void *)(fields + column->place));
    else if (column->origin == FROM_KIND)
        sqlite3_result_text(out, kinds[row->kind], -1, SQLITE_STATIC);
    else if (row->has_duration)
        sqlite3_result_double(out, row->duration);
}

static void put_of_measure(sqlite3_context *out, const struct tt_measure *measure,
                           const struct column *column)
{
    const char *fields = (const char *)measure;
    if (column->origin == FROM_REAL)
        put_real(out, *(const double *)(const void *)(fields + column->place));
    else if (column->origin == FROM_CORES)
        put_integer(out, measure->cores);
    else if (measure->bound)
        sqlite3_result_text(out, measure->bound, -1, SQLITE_STATIC);
}

static int column_of(sqlite3_vtab_cursor *base, sqlite3_context *out, int number)
{
    const struct tt_cursor *cursor = (const struct tt_cursor *)(const void *)base;
    const struct column *column = &table_of(cursor)->columns[number];
    const struct tt_run *run = &cursor->runs->runs.items[cursor->run];
    const struct tt_signature *signature;
    switch (column->origin) {
    case FROM_POSITION:
        sqlite3_result_int64(out, (int64_t)cursor->row + 1);
        break;
    case FROM_KIND:
    case FROM_INTEGER:
    case FROM_TEXT:
    case FROM_DURATION:
        put_of_row(out, &run->sequence.rows.items[cursor->row], column);
        break;
    case FROM_REAL:
    case FROM_CORES:
    case FROM_BOUND:
        put_of_measure(out, &run->measures.items[cursor->row], column);
        break;
    case FROM_CALL:
        signature = tt_runs_signature(cursor->runs, &run->sequence.rows.items[cursor->row]);
        if (signature)
            sqlite3_result_value(out, signature->values[column->place]);
        break;
    default:
        put_of_run(out, run, column);
        break;
    }
    return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
    const struct tt_cursor *cursor = (const struct tt_cursor *)(const void *)base;
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
     .call = "tt_sequence(run, position, kind, id, name, device_time_us, gap_us, bound, ...)",
     .meaning = "A table: the ops of tt-metal's op tables as reports show them, after the options "
                "for signposts, devices, ids and host ops. The view tt_op says what its columns "
                "mean.",
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
