/* work_table: `launched_work`, a row for every selected piece of accelerator work, with what it
 * belongs to.
 *
 *     SELECT parent_name_id, sum(dur_ns) FROM launched_work GROUP BY run, trace_id, parent_name_id
 *
 * The parent is the nearest op (`execute` is one here), or without an op the runtime call. Two
 * columns have the category of the launcher, as in launcher_work: launcher_category always, and
 * parent_category only where the launcher is the parent; NULL where it launched nothing but
 * collectives. A query that groups by the columns with numbers gets its groups without a sort.
 */
#include "sql/binding/function.h"
#include "sql/binding/group.h"
#include "sql/binding/ranges.h"
#include "sql/binding/table_plan.h"
#include "sql/work/catalog_answers.h"
#include "sql/work/kernel_list.h"

#include <string.h>

SQLITE_EXTENSION_INIT3

enum {
    COLUMN_RUN,
    COLUMN_TRACE,
    COLUMN_RECOMPUTE,
    COLUMN_ID,
    COLUMN_UID,
    COLUMN_KIND,
    COLUMN_NAME,
    COLUMN_STREAM,
    COLUMN_TS,
    COLUMN_DUR,
    COLUMN_CALL,
    COLUMN_HAS_OP,
    COLUMN_PARENT_NAME,
    COLUMN_PARENT_OP,
    COLUMN_PARENT_CATEGORY,
    COLUMN_LAUNCHER_CATEGORY,
};

#define BIT(column) ((uint64_t)1 << (column))

static const char declaration[] =
    "CREATE TABLE launched_work(run TEXT, trace_id INTEGER, is_recompute INTEGER, id INTEGER, uid "
    "INTEGER, category_id INTEGER, name_id INTEGER, stream INTEGER, ts_ns INTEGER, dur_ns "
    "INTEGER, call_id INTEGER, has_op INTEGER, parent_name_id INTEGER, parent_op_id INTEGER, "
    "parent_category TEXT, launcher_category TEXT)";

struct work {
    int64_t id, uid, kind, name, stream, ts, dur; /* stream INT64_MIN = not given */
    int64_t call, parent_name, parent_op;         /* 0 = none */
    uint32_t trace, launcher;                     /* places; launcher + 1, 0 = none */
    int8_t recompute;                             /* -1 = not asked */
    bool has_op, is_of_parent;
};

/* Only what its category needs. */
struct work_launcher {
    int64_t name, first_kernel, first_start; /* of its own work */
    uint32_t category;                       /* number, 0 = no own work */
};

struct work_trace {
    char *run;
    int64_t id;
    int64_t run_id;
};

struct work_cursor {
    sqlite3_vtab_cursor base;
    sqlite3 *db;
    bool compat;
    ARRAY(struct work_trace) traces;
    ARRAY(struct work) rows;
    ARRAY(struct work_launcher) launchers;
    struct map launcher_of; /* id -> place + 1 */
    struct catalog_answers catalog;
    struct groups groups;
    sqlite3_stmt *ask_parent;
    size_t at;
};

static int work_connect(sqlite3 *db, void *context, int count, const char *const *arguments,
                        sqlite3_vtab **out, char **error)
{
    (void)context, (void)count, (void)arguments, (void)error;
    return table_connect(db, declaration, out);
}

static int work_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    static const uint64_t groupable =
        BIT(COLUMN_RUN) | BIT(COLUMN_TRACE) | BIT(COLUMN_RECOMPUTE) | BIT(COLUMN_KIND) |
        BIT(COLUMN_NAME) | BIT(COLUMN_STREAM) | BIT(COLUMN_HAS_OP) | BIT(COLUMN_PARENT_NAME) |
        BIT(COLUMN_PARENT_OP) | BIT(COLUMN_PARENT_CATEGORY) | BIT(COLUMN_LAUNCHER_CATEGORY);
    return table_plan_make(info, COLUMN_RUN, COLUMN_TRACE, groupable, 0);
}

static int work_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    struct work_cursor *cursor = sqlite3_malloc(sizeof *cursor);
    if (!cursor)
        return SQLITE_NOMEM;
    *cursor = (struct work_cursor){.db = ((struct function_table *)(void *)table)->db};
    *out = &cursor->base;
    return SQLITE_OK;
}

static void work_reset(struct work_cursor *cursor)
{
    for (size_t i = 0; i < cursor->traces.count; i++)
        free(cursor->traces.items[i].run);
    array_free(&cursor->traces);
    array_free(&cursor->rows);
    array_free(&cursor->launchers);
    map_free(&cursor->launcher_of);
    catalog_answers_free(&cursor->catalog);
    group_free(&cursor->groups);
    sqlite3_finalize(cursor->ask_parent);
    *cursor = (struct work_cursor){.base = cursor->base, .db = cursor->db};
}

static int work_close(sqlite3_vtab_cursor *base)
{
    work_reset((struct work_cursor *)base);
    sqlite3_free(base);
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ reading */

enum {
    READ_ID,
    READ_UID,
    READ_KIND,
    READ_NAME,
    READ_STREAM,
    READ_TS,
    READ_DUR,
    READ_CALL,
    READ_CPU_OP,
    READ_LAUNCHER,
    READ_LAUNCHER_NAME,
    READ_LAUNCHER_OP,
    READ_NESTED,
};

static const char read_sql[] =
    "SELECT id, uid, category_id, name_id, stream, ts_ns, dur_ns, call_id, cpu_op_id, launcher_id, "
    "launcher_name_id, launcher_op_id, nested_call FROM gpu_event WHERE id BETWEEN ?1 AND ?2";

/* An op that is not the launcher is one that launchers pass over. */
static int find_parent(struct work_cursor *cursor, int64_t id, struct work *work)
{
    static const char sql[] = "SELECT name_id, op_id FROM event WHERE id = ?1";
    int result = SQLITE_OK;
    if (!cursor->ask_parent)
        result = sqlite3_prepare_v2(cursor->db, sql, -1, &cursor->ask_parent, NULL);
    if (result != SQLITE_OK)
        return result;
    sqlite3_reset(cursor->ask_parent);
    sqlite3_bind_int64(cursor->ask_parent, 1, id);
    result = sqlite3_step(cursor->ask_parent);
    if (result != SQLITE_ROW)
        return result == SQLITE_DONE ? SQLITE_CORRUPT : result;
    work->parent_name = sqlite3_column_int64(cursor->ask_parent, 0);
    work->parent_op = sqlite3_column_int64(cursor->ask_parent, 1);
    return SQLITE_OK;
}

/* Takes work for its launcher's own. */
static int add_to_launcher(struct work_cursor *cursor, sqlite3_stmt *from, struct work *work,
                           int64_t id)
{
    uint32_t *place = map_put(&cursor->launcher_of, id, 0);
    if (!place)
        return SQLITE_NOMEM;
    if (*place == 0) {
        struct work_launcher *added = array_push(&cursor->launchers);
        if (!added)
            return SQLITE_NOMEM;
        *added = (struct work_launcher){.name = sqlite3_column_int64(from, READ_LAUNCHER_NAME)};
        *place = (uint32_t)cursor->launchers.count;
    }
    work->launcher = *place;
    bool is_collective = false;
    int result = catalog_answers_collective(&cursor->catalog, work->name, &is_collective);
    struct work_launcher *launcher = &cursor->launchers.items[*place - 1];
    bool is_own = !is_collective && !(cursor->compat && sqlite3_column_int(from, READ_NESTED));
    if (is_own && (!launcher->first_kernel || work->ts < launcher->first_start)) {
        launcher->first_kernel = work->name;
        launcher->first_start = work->ts;
    }
    return result;
}

static int add_work(struct work_cursor *cursor, sqlite3_stmt *from, int8_t recompute)
{
    bool has_stream = sqlite3_column_type(from, READ_STREAM) != SQLITE_NULL;
    struct work work = {
        .id = sqlite3_column_int64(from, READ_ID),
        .uid = sqlite3_column_int64(from, READ_UID),
        .kind = sqlite3_column_int64(from, READ_KIND),
        .name = sqlite3_column_int64(from, READ_NAME),
        .stream = has_stream ? sqlite3_column_int64(from, READ_STREAM) : INT64_MIN,
        .ts = sqlite3_column_int64(from, READ_TS),
        .dur = sqlite3_column_int64(from, READ_DUR),
        .call = sqlite3_column_int64(from, READ_CALL),
        .trace = (uint32_t)(cursor->traces.count - 1),
        .recompute = recompute,
    };
    int64_t op = sqlite3_column_int64(from, READ_CPU_OP);
    int64_t launcher = sqlite3_column_int64(from, READ_LAUNCHER);
    int result = SQLITE_OK;
    work.has_op = op != 0;
    work.is_of_parent = op == launcher;
    if (op && op != launcher) {
        result = find_parent(cursor, op, &work);
    } else {
        work.parent_name = sqlite3_column_int64(from, READ_LAUNCHER_NAME);
        work.parent_op = op ? sqlite3_column_int64(from, READ_LAUNCHER_OP) : 0;
    }
    if (result == SQLITE_OK && launcher)
        result = add_to_launcher(cursor, from, &work, launcher);
    struct work *added = result == SQLITE_OK ? array_push(&cursor->rows) : NULL;
    if (!added)
        return result == SQLITE_OK ? SQLITE_NOMEM : result;
    *added = work;
    return SQLITE_OK;
}

static int start_trace(struct work_cursor *cursor, sqlite3_stmt *range)
{
    int64_t id = sqlite3_column_int64(range, 1);
    if (cursor->traces.count && cursor->traces.items[cursor->traces.count - 1].id == id)
        return SQLITE_OK;
    const char *run = (const char *)sqlite3_column_text(range, 0);
    char *copy = run ? strdup(run) : NULL;
    struct work_trace *trace = copy ? array_push(&cursor->traces) : NULL;
    if (!trace) {
        free(copy);
        return SQLITE_NOMEM;
    }
    *trace = (struct work_trace){copy, id, sqlite3_column_int64(range, 5)};
    return SQLITE_OK;
}

static int read_ranges(struct work_cursor *cursor, sqlite3_stmt *ranges, sqlite3_stmt *from)
{
    int result;
    while ((result = sqlite3_step(ranges)) == SQLITE_ROW) {
        result = start_trace(cursor, ranges);
        bool is_parted = sqlite3_column_type(ranges, 4) != SQLITE_NULL;
        int8_t recompute = is_parted ? (int8_t)sqlite3_column_int(ranges, 4) : -1;
        sqlite3_reset(from);
        sqlite3_bind_int64(from, 1, sqlite3_column_int64(ranges, 2));
        sqlite3_bind_int64(from, 2, sqlite3_column_int64(ranges, 3));
        while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW)
            result = add_work(cursor, from, recompute);
        if (result != SQLITE_DONE)
            return result;
    }
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

static int find_categories(struct work_cursor *cursor)
{
    const char *category;
    int result = SQLITE_OK;
    for (size_t i = 0; i < cursor->launchers.count && result == SQLITE_OK; i++) {
        struct work_launcher *launcher = &cursor->launchers.items[i];
        if (launcher->first_kernel)
            result =
                catalog_answers_category(&cursor->catalog, launcher->name, launcher->first_kernel,
                                         &launcher->category, &category);
    }
    return result;
}

/* ------------------------------------------------------------------ groups */

static uint32_t category_of(const struct work_cursor *cursor, const struct work *work)
{
    return work->launcher ? cursor->launchers.items[work->launcher - 1].category : 0;
}

static int64_t key_of(const struct work_cursor *cursor, const struct work *work, int column)
{
    switch (column) {
    case COLUMN_RUN:
        return cursor->traces.items[work->trace].run_id;
    case COLUMN_TRACE:
        return cursor->traces.items[work->trace].id;
    case COLUMN_RECOMPUTE:
        return work->recompute;
    case COLUMN_KIND:
        return work->kind;
    case COLUMN_NAME:
        return work->name;
    case COLUMN_STREAM:
        return work->stream;
    case COLUMN_HAS_OP:
        return work->has_op;
    case COLUMN_PARENT_NAME:
        return work->parent_name;
    case COLUMN_PARENT_OP:
        return work->parent_op;
    case COLUMN_PARENT_CATEGORY:
        return work->is_of_parent ? category_of(cursor, work) : 0;
    default:
        return category_of(cursor, work);
    }
}

struct comparison {
    const struct work_cursor *cursor;
    const char *columns;
};

static int compare_rows(size_t left, size_t right, void *context)
{
    const struct comparison *self = context;
    const struct work_cursor *cursor = self->cursor;
    const struct work *rows = cursor->rows.items;
    int column;
    for (size_t i = 0; (column = table_plan_column(self->columns, i)) >= 0; i++) {
        int64_t a = key_of(cursor, &rows[left], column), b = key_of(cursor, &rows[right], column);
        if (a == b)
            continue;
        int order = a < b ? -1 : 1;
        if (column == COLUMN_RUN)
            order = strcmp(cursor->traces.items[rows[left].trace].run,
                           cursor->traces.items[rows[right].trace].run);
        else if (column >= COLUMN_PARENT_CATEGORY && a && b)
            order = strcmp(cursor->catalog.categories.items[a - 1],
                           cursor->catalog.categories.items[b - 1]);
        return table_plan_descends(self->columns, i) ? -order : order;
    }
    return 0;
}

static int make_groups(struct work_cursor *cursor, const char *columns)
{
    size_t count = cursor->rows.count;
    int64_t *keys = malloc((count + 1) * sizeof *keys);
    bool done = keys && group_start(&cursor->groups, count);
    int column;
    for (size_t i = 0; (column = table_plan_column(columns, i)) >= 0 && done; i++) {
        for (size_t j = 0; j < count; j++)
            keys[j] = key_of(cursor, &cursor->rows.items[j], column);
        done = group_part(&cursor->groups, keys);
    }
    free(keys);
    struct comparison comparison = {cursor, columns};
    return done && group_finish(&cursor->groups, compare_rows, &comparison) ? SQLITE_OK
                                                                            : SQLITE_NOMEM;
}

static int work_filter(sqlite3_vtab_cursor *base, int plan, const char *columns, int count,
                       sqlite3_value **arguments)
{
    (void)count;
    struct work_cursor *cursor = (struct work_cursor *)base;
    work_reset(cursor);
    sqlite3_value *run;
    struct text traces = {0};
    sqlite3_stmt *ranges = NULL, *from = NULL;
    int result = table_plan_wanted(plan, arguments, &run, &traces);
    if (result == SQLITE_OK)
        result = ranges_prepare(cursor->db, run, traces.items, &ranges);
    if (result == SQLITE_OK)
        result = sqlite3_prepare_v2(cursor->db, read_sql, -1, &from, NULL);
    if (result == SQLITE_OK) {
        cursor->catalog.db = cursor->db;
        cursor->compat = ranges_option(cursor->db, "compat");
        result = read_ranges(cursor, ranges, from);
    }
    if (result == SQLITE_OK)
        result = find_categories(cursor);
    if (result == SQLITE_OK && columns)
        result = make_groups(cursor, columns);
    sqlite3_finalize(ranges);
    sqlite3_finalize(from);
    text_free(&traces);
    return result;
}

/* ------------------------------------------------------------------ handing out */

static const struct work *current(const struct work_cursor *cursor)
{
    const uint32_t *order = cursor->groups.order;
    return &cursor->rows.items[order ? order[cursor->at] : cursor->at];
}

static int work_next(sqlite3_vtab_cursor *base)
{
    enum { AHEAD = 8 };
    struct work_cursor *cursor = (struct work_cursor *)base;
    cursor->at++;
    if (cursor->groups.order && cursor->at + AHEAD < cursor->rows.count) {
        const struct work *next = &cursor->rows.items[cursor->groups.order[cursor->at + AHEAD]];
        __builtin_prefetch(next);
        __builtin_prefetch((const char *)next + 64);
    }
    return SQLITE_OK;
}

static int work_eof(sqlite3_vtab_cursor *base)
{
    const struct work_cursor *cursor = (const struct work_cursor *)base;
    return cursor->at >= cursor->rows.count;
}

static void put_known(sqlite3_context *out, int64_t value, int64_t none)
{
    if (value != none)
        sqlite3_result_int64(out, value);
}

static int work_column(sqlite3_vtab_cursor *base, sqlite3_context *out, int column)
{
    const struct work_cursor *cursor = (const struct work_cursor *)base;
    const struct work *work = current(cursor);
    switch (column) {
    case COLUMN_RUN:
        sqlite3_result_text(out, cursor->traces.items[work->trace].run, -1, SQLITE_STATIC);
        break;
    case COLUMN_TRACE:
        sqlite3_result_int64(out, cursor->traces.items[work->trace].id);
        break;
    case COLUMN_RECOMPUTE:
        put_known(out, work->recompute, -1);
        break;
    case COLUMN_ID:
        sqlite3_result_int64(out, work->id);
        break;
    case COLUMN_UID:
        sqlite3_result_int64(out, work->uid);
        break;
    case COLUMN_KIND:
        sqlite3_result_int64(out, work->kind);
        break;
    case COLUMN_NAME:
        sqlite3_result_int64(out, work->name);
        break;
    case COLUMN_STREAM:
        put_known(out, work->stream, INT64_MIN);
        break;
    case COLUMN_TS:
        sqlite3_result_int64(out, work->ts);
        break;
    case COLUMN_DUR:
        sqlite3_result_int64(out, work->dur);
        break;
    case COLUMN_CALL:
        put_known(out, work->call, 0);
        break;
    case COLUMN_HAS_OP:
        sqlite3_result_int(out, work->has_op);
        break;
    case COLUMN_PARENT_NAME:
        put_known(out, work->parent_name, 0);
        break;
    case COLUMN_PARENT_OP:
        put_known(out, work->parent_op, 0);
        break;
    default: {
        uint32_t category = category_of(cursor, work);
        if (category && (column == COLUMN_LAUNCHER_CATEGORY || work->is_of_parent))
            sqlite3_result_text(out, cursor->catalog.categories.items[category - 1], -1,
                                SQLITE_STATIC);
        break;
    }
    }
    return SQLITE_OK;
}

static int work_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
    *rowid = current((struct work_cursor *)base)->id;
    return SQLITE_OK;
}

static const sqlite3_module work_module = {
    .xConnect = work_connect,
    .xBestIndex = work_best_index,
    .xDisconnect = table_disconnect,
    .xOpen = work_open,
    .xClose = work_close,
    .xFilter = work_filter,
    .xNext = work_next,
    .xEof = work_eof,
    .xColumn = work_column,
    .xRowid = work_rowid,
};

const struct function work_functions[] = {
    {.name = "launched_work",
     .call = "launched_work(run, trace_id, is_recompute, id, uid, category_id, name_id, stream, "
             "ts_ns, dur_ns, call_id, has_op, parent_name_id, parent_op_id, parent_category, "
             "launcher_category)",
     .meaning = "A table: every selected piece of accelerator work with what it belongs to. The "
                "parent is the nearest op, or without one (has_op 0) the runtime call; "
                "launcher_category is the category of the op that launched it as in "
                "launcher_work, and parent_category the same where that op is the parent.",
     .kind = FUNCTION_TABLE,
     .module = &work_module},
    {0},
};
