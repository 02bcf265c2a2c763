/* launcher_table: `launcher_work`, a row for every launcher of accelerator work.
 *
 *     SELECT name_id, sum(direct_ns) FROM launcher_work GROUP BY trace_id, name_id
 *
 * Collectives are no launcher's own work, but they are in the time below it. The category comes
 * from the catalog: it is asked once for each distinct pair of op and first kernel.
 */
#include "base/map.h"
#include "base/text.h"
#include "functions.h"
#include "kernel_list.h"
#include "launcher.h"
#include "narrow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

enum {
    COLUMN_RECOMPUTE = COLUMN_TRACE + 1,
    COLUMN_LAUNCHER,
    COLUMN_POSITION,
    COLUMN_NAME,
    COLUMN_CATEGORY,
    COLUMN_OP,
    COLUMN_TRACK,
    COLUMN_TS,
    COLUMN_KERNELS,
    COLUMN_DIRECT,
    COLUMN_SUBTREE,
    COLUMN_LIST,
};

static const char declaration[] =
    "CREATE TABLE launcher_work(run TEXT, trace_id INTEGER, is_recompute INTEGER, launcher_id "
    "INTEGER, position INTEGER, name_id INTEGER, category TEXT, op_id INTEGER, track_id INTEGER, "
    "ts_ns INTEGER, kernel_count INTEGER, direct_ns INTEGER, subtree_ns INTEGER, kernels BLOB)";

/* What a launcher is, beside its work. */
struct words {
    int64_t name, op, track, start; /* op 0 = none */
    int8_t recompute;               /* -1 = not asked */
};

struct row {
    struct words words;
    size_t launcher; /* index in its trace's set */
    int64_t first_uid, first_kernel;
    uint32_t trace, position;
};

struct work_trace {
    char *run;
    int64_t id, clock_start;
    struct launcher_set set;
};

struct work_table {
    sqlite3_vtab base;
    sqlite3 *db;
};

struct work_cursor {
    sqlite3_vtab_cursor base;
    sqlite3 *db;
    ARRAY(struct work_trace) traces;
    ARRAY(struct words)
    words; /* of the launchers of the trace that is being read, by its launches */
    ARRAY(struct row) rows;
    ARRAY(char *) categories;
    struct map category_of; /* (name, first kernel) -> index + 1 */
    struct map is_collective;
    sqlite3_stmt *ask_category, *ask_collective, *ask_call;
    size_t *order;
    size_t order_room, at;
    bool compat;
};

static int work_connect(sqlite3 *db, void *context, int count, const char *const *arguments,
                        sqlite3_vtab **out, char **error)
{
    (void)context, (void)count, (void)arguments, (void)error;
    int result = sqlite3_declare_vtab(db, declaration);
    if (result != SQLITE_OK)
        return result;
    sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    struct work_table *table = sqlite3_malloc(sizeof *table);
    if (!table)
        return SQLITE_NOMEM;
    *table = (struct work_table){.db = db};
    *out = &table->base;
    return SQLITE_OK;
}

static int work_disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

static int work_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    struct work_cursor *cursor = sqlite3_malloc(sizeof *cursor);
    if (!cursor)
        return SQLITE_NOMEM;
    *cursor = (struct work_cursor){.db = ((struct work_table *)(void *)table)->db};
    *out = &cursor->base;
    return SQLITE_OK;
}

static void work_reset(struct work_cursor *cursor)
{
    for (size_t i = 0; i < cursor->traces.count; i++) {
        free(cursor->traces.items[i].run);
        launcher_free(&cursor->traces.items[i].set);
    }
    for (size_t i = 0; i < cursor->categories.count; i++)
        free(cursor->categories.items[i]);
    array_free(&cursor->traces);
    array_free(&cursor->words);
    array_free(&cursor->rows);
    array_free(&cursor->categories);
    map_free(&cursor->category_of);
    map_free(&cursor->is_collective);
    sqlite3_finalize(cursor->ask_category);
    sqlite3_finalize(cursor->ask_collective);
    sqlite3_finalize(cursor->ask_call);
    free(cursor->order);
    *cursor = (struct work_cursor){.base = cursor->base, .db = cursor->db};
}

static int work_close(sqlite3_vtab_cursor *base)
{
    work_reset((struct work_cursor *)base);
    sqlite3_free(base);
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ asking the catalog */

/* Steps a statement to its one row, of which there may be none. */
static int ask(sqlite3 *db, sqlite3_stmt **statement, const char *sql, int64_t first,
               int64_t second)
{
    if (*statement)
        sqlite3_reset(*statement);
    else if (sqlite3_prepare_v2(db, sql, -1, statement, NULL) != SQLITE_OK)
        return sqlite3_errcode(db);
    sqlite3_bind_int64(*statement, 1, first);
    if (sqlite3_bind_parameter_count(*statement) > 1)
        sqlite3_bind_int64(*statement, 2, second);
    return sqlite3_step(*statement);
}

static int find_collective(struct work_cursor *cursor, int64_t name, bool *is_collective)
{
    static const char sql[] =
        "SELECT EXISTS (SELECT 1 FROM kernel_category WHERE purpose = 'timeline' "
        "AND category = 'communication' AND text REGEXP pattern) FROM string WHERE id = ?1";
    uint32_t *known = map_put(&cursor->is_collective, name, 0);
    if (!known)
        return SQLITE_NOMEM;
    if (*known == 0) {
        int result = ask(cursor->db, &cursor->ask_collective, sql, name, 0);
        if (result != SQLITE_ROW && result != SQLITE_DONE)
            return result;
        *known = result == SQLITE_ROW && sqlite3_column_int(cursor->ask_collective, 0) ? 2 : 1;
    }
    *is_collective = *known > 1;
    return SQLITE_OK;
}

static int find_category(struct work_cursor *cursor, int64_t name, int64_t kernel,
                         const char **category)
{
    static const char sql[] =
        "SELECT coalesce((SELECT category FROM op_category WHERE op = op.text AND NOT is_prefix), "
        "(SELECT category FROM op_category WHERE is_prefix AND substr(op.text, 1, length(op)) = op "
        "ORDER BY length(op) DESC LIMIT 1), "
        "(SELECT category FROM kernel_category WHERE purpose = 'op' AND kernel.text REGEXP pattern "
        "ORDER BY priority LIMIT 1), 'other') "
        "FROM string AS op LEFT JOIN string AS kernel ON kernel.id = ?2 WHERE op.id = ?1";
    uint32_t *known = map_put(&cursor->category_of, name, kernel);
    if (!known)
        return SQLITE_NOMEM;
    if (*known == 0) {
        int result = ask(cursor->db, &cursor->ask_category, sql, name, kernel);
        if (result != SQLITE_ROW)
            return result == SQLITE_DONE ? SQLITE_CORRUPT : result;
        const char *text = (const char *)sqlite3_column_text(cursor->ask_category, 0);
        char *copy = text ? strdup(text) : NULL;
        char **added = copy ? array_push(&cursor->categories) : NULL;
        if (!added) {
            free(copy);
            return SQLITE_NOMEM;
        }
        *added = copy;
        *known = (uint32_t)cursor->categories.count;
    }
    *category = cursor->categories.items[*known - 1];
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ reading */

enum {
    READ_RUN,
    READ_TRACE,
    READ_RECOMPUTE,
    READ_ID,
    READ_NAME,
    READ_TS,
    READ_DUR,
    READ_STREAM,
    READ_LAUNCHER,
    READ_LAUNCHER_NAME,
    READ_LAUNCHER_OP,
    READ_LAUNCHER_TRACK,
    READ_LAUNCHER_TS,
    READ_LAUNCHER_BELOW,
    READ_NESTED,
    READ_CALL,
    READ_UID,
    READ_CLOCK_START,
};

/* The reference takes a runtime call around the one that launched for the end of the way up, so
 * that the call itself is the launcher. */
static int use_call(struct work_cursor *cursor, int64_t call, struct launch *launch,
                    struct words *words)
{
    static const char sql[] = "SELECT last_id, name_id, track_id, ts_ns FROM event WHERE id = ?1";
    int result = ask(cursor->db, &cursor->ask_call, sql, call, 0);
    if (result != SQLITE_ROW)
        return result == SQLITE_DONE ? SQLITE_CORRUPT : result;
    launch->launcher = call;
    launch->launcher_last = sqlite3_column_int64(cursor->ask_call, 0);
    words->name = sqlite3_column_int64(cursor->ask_call, 1);
    words->op = 0;
    words->track = sqlite3_column_int64(cursor->ask_call, 2);
    words->start = sqlite3_column_int64(cursor->ask_call, 3);
    return SQLITE_OK;
}

/* The reference tools keep microseconds of the file's clock as floating-point numbers, and take
 * durations from their ends. Compatible times are the same numbers, in parts of a microsecond that
 * hold them exactly. */
static const double compatible_parts = 1 << 20;

static double reference_time(int64_t nanoseconds)
{
    return (double)((long double)nanoseconds / 1000);
}

static void make_compatible(struct launch *launch, int64_t clock_start)
{
    double base = reference_time(clock_start);
    double start = reference_time(clock_start + launch->start);
    double end = start + reference_time(launch->duration);
    launch->start = llrint((start - base) * compatible_parts);
    launch->duration = llrint((end - base) * compatible_parts) - launch->start;
}

static void put_time(const struct work_cursor *cursor, sqlite3_context *out, int64_t time)
{
    if (cursor->compat)
        sqlite3_result_double(out, (double)time * 1000 / compatible_parts);
    else
        sqlite3_result_int64(out, time);
}

static int add_launch(struct work_cursor *cursor, sqlite3_stmt *from)
{
    struct work_trace *trace = &cursor->traces.items[cursor->traces.count - 1];
    bool has_stream = sqlite3_column_type(from, READ_STREAM) != SQLITE_NULL;
    struct launch launch = {
        .id = sqlite3_column_int64(from, READ_ID),
        .launcher = sqlite3_column_int64(from, READ_LAUNCHER),
        .start = sqlite3_column_int64(from, READ_TS),
        .duration = sqlite3_column_int64(from, READ_DUR),
        .stated = sqlite3_column_int64(from, READ_DUR),
        .name = sqlite3_column_int64(from, READ_NAME),
        .stream = has_stream ? sqlite3_column_int64(from, READ_STREAM) : INT64_MIN,
        .uid = sqlite3_column_int64(from, READ_UID),
    };
    struct words words = {
        .name = sqlite3_column_int64(from, READ_LAUNCHER_NAME),
        .op = sqlite3_column_int64(from, READ_LAUNCHER_OP),
        .track = sqlite3_column_int64(from, READ_LAUNCHER_TRACK),
        .start = sqlite3_column_int64(from, READ_LAUNCHER_TS),
        .recompute = sqlite3_column_type(from, READ_RECOMPUTE) == SQLITE_NULL
                         ? -1
                         : (int8_t)sqlite3_column_int(from, READ_RECOMPUTE),
    };
    launch.launcher_last = launch.launcher + sqlite3_column_int64(from, READ_LAUNCHER_BELOW);
    bool is_collective = false;
    int result = find_collective(cursor, launch.name, &is_collective);
    if (cursor->compat)
        make_compatible(&launch, trace->clock_start);
    if (result == SQLITE_OK && cursor->compat && sqlite3_column_int(from, READ_NESTED))
        result = use_call(cursor, sqlite3_column_int64(from, READ_CALL), &launch, &words);
    if (result != SQLITE_OK)
        return result;
    launch.is_counted = !is_collective;
    struct words *added = array_push(&cursor->words);
    if (!added || !launcher_add(&trace->set, &launch))
        return SQLITE_NOMEM;
    *added = words;
    return SQLITE_OK;
}

static bool make_room(struct work_cursor *cursor, size_t count)
{
    if (count <= cursor->order_room)
        return true;
    size_t *wider = realloc(cursor->order, 2 * count * sizeof *wider);
    if (wider) {
        cursor->order = wider;
        cursor->order_room = 2 * count;
    }
    return wider != NULL;
}

static int compare_rows(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    if (a->words.start != b->words.start)
        return a->words.start < b->words.start ? -1 : 1;
    return (a->first_uid > b->first_uid) - (a->first_uid < b->first_uid);
}

/* Whether an event stands in a range of the selection that recomputes. */
static int flag_recompute(struct work_cursor *cursor, size_t from, int64_t trace)
{
    sqlite3_stmt *ranges = NULL;
    static const char sql[] = "SELECT first_event, last_event FROM scope WHERE trace_id = ?1 AND "
                              "is_recompute ORDER BY first_event";
    int result = sqlite3_prepare_v2(cursor->db, sql, -1, &ranges, NULL);
    sqlite3_bind_int64(ranges, 1, trace);
    const struct launcher_set *set = &cursor->traces.items[cursor->traces.count - 1].set;
    size_t at = from; /* rows are still ordered by id */
    while (result == SQLITE_OK && (result = sqlite3_step(ranges)) == SQLITE_ROW) {
        int64_t first = sqlite3_column_int64(ranges, 0), last = sqlite3_column_int64(ranges, 1);
        for (; at < cursor->rows.count; at++) {
            int64_t id = set->launchers.items[cursor->rows.items[at].launcher].id;
            if (id > last)
                break;
            cursor->rows.items[at].words.recompute = id >= first;
        }
        result = SQLITE_OK;
    }
    for (; at < cursor->rows.count; at++)
        cursor->rows.items[at].words.recompute = 0;
    sqlite3_finalize(ranges);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

/* Makes the rows of the trace that was read last. */
static int finish_trace(struct work_cursor *cursor)
{
    if (cursor->traces.count == 0)
        return SQLITE_OK;
    struct work_trace *trace = &cursor->traces.items[cursor->traces.count - 1];
    struct launcher_set *set = &trace->set;
    size_t from = cursor->rows.count;
    if (!launcher_compute(set) || !array_reserve(&cursor->rows, from + set->launchers.count + 1))
        return SQLITE_NOMEM;
    bool has_recompute = false;
    for (size_t i = 0; i < set->launchers.count; i++) {
        const struct launcher *launcher = &set->launchers.items[i];
        struct row row = {.words = cursor->words.items[launcher->first_launch],
                          .launcher = i,
                          .trace = (uint32_t)(cursor->traces.count - 1)};
        if (!make_room(cursor, launcher->count))
            return SQLITE_NOMEM;
        launcher_order(set, launcher, cursor->order);
        row.first_kernel = set->launches.items[cursor->order[0]].name;
        row.first_uid = INT64_MAX;
        for (size_t j = 0; j < launcher->count; j++) {
            int64_t uid = set->launches.items[cursor->order[j]].uid;
            row.first_uid = uid < row.first_uid ? uid : row.first_uid;
        }
        has_recompute |= row.words.recompute >= 0;
        cursor->rows.items[cursor->rows.count++] = row;
    }
    int result = has_recompute ? flag_recompute(cursor, from, trace->id) : SQLITE_OK;
    if (result != SQLITE_OK)
        return result;
    if (cursor->rows.count > from)
        qsort(cursor->rows.items + from, cursor->rows.count - from, sizeof *cursor->rows.items,
              compare_rows);
    for (size_t i = from; i < cursor->rows.count; i++)
        cursor->rows.items[i].position = (uint32_t)(i - from + 1);
    cursor->words.count = 0;
    return SQLITE_OK;
}

static int start_trace(struct work_cursor *cursor, sqlite3_stmt *from)
{
    int64_t id = sqlite3_column_int64(from, READ_TRACE);
    if (cursor->traces.count && cursor->traces.items[cursor->traces.count - 1].id == id)
        return SQLITE_OK;
    int result = finish_trace(cursor);
    if (result != SQLITE_OK)
        return result;
    const char *run = (const char *)sqlite3_column_text(from, READ_RUN);
    char *copy = run ? strdup(run) : NULL;
    struct work_trace *trace = copy ? array_push(&cursor->traces) : NULL;
    if (!trace) {
        free(copy);
        return SQLITE_NOMEM;
    }
    *trace = (struct work_trace){
        .run = copy, .id = id, .clock_start = sqlite3_column_int64(from, READ_CLOCK_START)};
    return SQLITE_OK;
}

static int read_work(struct work_cursor *cursor, sqlite3_stmt *from)
{
    int result;
    while ((result = sqlite3_step(from)) == SQLITE_ROW) {
        result = start_trace(cursor, from);
        if (result == SQLITE_OK)
            result = add_launch(cursor, from);
        if (result != SQLITE_OK)
            return result;
    }
    return result == SQLITE_DONE ? finish_trace(cursor) : result;
}

static bool is_compatible(sqlite3 *db)
{
    sqlite3_stmt *statement = NULL;
    bool compat =
        sqlite3_prepare_v2(db, "SELECT tpq_option('compat')", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int(statement, 0) != 0;
    sqlite3_finalize(statement);
    return compat;
}

static int work_filter(sqlite3_vtab_cursor *base, int narrow, const char *unused, int count,
                       sqlite3_value **arguments)
{
    (void)unused;
    struct work_cursor *cursor = (struct work_cursor *)base;
    work_reset(cursor);
    cursor->compat = is_compatible(cursor->db);
    char *sql = sqlite3_mprintf(
        "SELECT scope.run, scope.trace_id, scope.is_recompute, id, name_id, ts_ns, dur_ns, stream, "
        "launcher_id, launcher_name_id, launcher_op_id, launcher_track_id, launcher_ts_ns, "
        "launcher_below, nested_call, call_id, uid, (SELECT clock_start_ns FROM trace WHERE "
        "trace.id = scope.trace_id) FROM scope "
        "CROSS JOIN gpu_event ON id BETWEEN scope.first_event AND scope.last_event WHERE call_id "
        "IS NOT NULL%s",
        narrow_condition(narrow));
    if (!sql)
        return SQLITE_NOMEM;
    sqlite3_stmt *from = NULL;
    int result = narrow_prepare(cursor->db, sql, count, arguments, &from);
    sqlite3_free(sql);
    if (result == SQLITE_OK)
        result = read_work(cursor, from);
    sqlite3_finalize(from);
    return result;
}

/* ------------------------------------------------------------------ handing out */

static int work_next(sqlite3_vtab_cursor *base)
{
    ((struct work_cursor *)base)->at++;
    return SQLITE_OK;
}

static int work_eof(sqlite3_vtab_cursor *base)
{
    const struct work_cursor *cursor = (const struct work_cursor *)base;
    return cursor->at >= cursor->rows.count;
}

static int put_list(struct work_cursor *cursor, sqlite3_context *out,
                    const struct launcher_set *set, const struct launcher *launcher)
{
    struct listed_kernel *list = sqlite3_malloc64(launcher->count * sizeof *list);
    if (!list)
        return SQLITE_NOMEM;
    launcher_order(set, launcher, cursor->order);
    for (size_t i = 0; i < launcher->count; i++) {
        const struct launch *launch = &set->launches.items[cursor->order[i]];
        list[i] = (struct listed_kernel){launch->name, launch->stated, launch->stream};
    }
    sqlite3_result_blob64(out, list, launcher->count * sizeof *list, sqlite3_free);
    return SQLITE_OK;
}

static int work_column(sqlite3_vtab_cursor *base, sqlite3_context *out, int column)
{
    struct work_cursor *cursor = (struct work_cursor *)base;
    const struct row *row = &cursor->rows.items[cursor->at];
    const struct work_trace *trace = &cursor->traces.items[row->trace];
    const struct launcher *launcher = &trace->set.launchers.items[row->launcher];
    const char *category = NULL;
    int result;
    switch (column) {
    case COLUMN_RUN:
        sqlite3_result_text(out, trace->run, -1, SQLITE_STATIC);
        break;
    case COLUMN_TRACE:
        sqlite3_result_int64(out, trace->id);
        break;
    case COLUMN_RECOMPUTE:
        if (row->words.recompute >= 0)
            sqlite3_result_int(out, row->words.recompute);
        break;
    case COLUMN_LAUNCHER:
        sqlite3_result_int64(out, launcher->id);
        break;
    case COLUMN_POSITION:
        sqlite3_result_int64(out, row->position);
        break;
    case COLUMN_NAME:
        sqlite3_result_int64(out, row->words.name);
        break;
    case COLUMN_CATEGORY:
        result = find_category(cursor, row->words.name, row->first_kernel, &category);
        if (result != SQLITE_OK)
            return result;
        sqlite3_result_text(out, category, -1, SQLITE_STATIC);
        break;
    case COLUMN_OP:
        if (row->words.op)
            sqlite3_result_int64(out, row->words.op);
        break;
    case COLUMN_TRACK:
        sqlite3_result_int64(out, row->words.track);
        break;
    case COLUMN_TS:
        sqlite3_result_int64(out, row->words.start);
        break;
    case COLUMN_KERNELS:
        sqlite3_result_int64(out, (sqlite3_int64)launcher->count);
        break;
    case COLUMN_DIRECT:
        put_time(cursor, out, launcher->direct);
        break;
    case COLUMN_SUBTREE:
        put_time(cursor, out, launcher->below);
        break;
    default:
        return put_list(cursor, out, &trace->set, launcher);
    }
    return SQLITE_OK;
}

static int work_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
    *rowid = (sqlite3_int64)((struct work_cursor *)base)->at;
    return SQLITE_OK;
}

static const sqlite3_module work_module = {
    .xConnect = work_connect,
    .xBestIndex = narrow_best_index,
    .xDisconnect = work_disconnect,
    .xOpen = work_open,
    .xClose = work_close,
    .xFilter = work_filter,
    .xNext = work_next,
    .xEof = work_eof,
    .xColumn = work_column,
    .xRowid = work_rowid,
};

const struct function launcher_functions[] = {
    {.name = "launcher_work",
     .call = "launcher_work(run, trace_id, is_recompute, launcher_id, position, name_id, category, "
             "op_id, track_id, ts_ns, kernel_count, direct_ns, subtree_ns, kernels)",
     .meaning = "A table: every op, or runtime call without an op, that launched selected "
                "accelerator work other than collectives. direct_ns is the time covered by its "
                "own work, subtree_ns by all work below it; kernels is for kernel_details.",
     .kind = FUNCTION_TABLE,
     .module = &work_module},
    {0},
};
