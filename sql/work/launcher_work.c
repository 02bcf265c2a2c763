/* launcher_table: `launcher_work`, a row for every launcher of accelerator work.
 *
 *     SELECT name_id, sum(direct_ns) FROM launcher_work GROUP BY trace_id, name_id
 *     SELECT launcher_id, overlapping_names FROM launcher_work WHERE overlap_pct > 0.5
 *
 * Collectives are no launcher's own work, but they are in the time below it. The category comes
 * from the catalog: it is asked once for each distinct pair of op and first kernel. What ran beside
 * the work (overlap.h) is only looked for when one of its columns is read; overlapping_names is a
 * JSON array, NULL where nothing did, and so is overlap_pct, a fraction of direct_ns.
 */
#include "sql/binding/function.h"
#include "sql/binding/group.h"
#include "sql/binding/table_plan.h"
#include "sql/work/launcher_rows.h"
#include "sql/work/reference_time.h"
#include "src/base/text.h"

#include <string.h>

SQLITE_EXTENSION_INIT3

enum {
    COLUMN_RUN,
    COLUMN_TRACE,
    COLUMN_RECOMPUTE,
    COLUMN_LAUNCHER,
    COLUMN_POSITION,
    COLUMN_NAME,
    COLUMN_CATEGORY,
    COLUMN_OP,
    COLUMN_TRACK,
    COLUMN_SAME_TRACK,
    COLUMN_TS,
    COLUMN_KERNELS,
    COLUMN_NUM_KERNELS,
    COLUMN_DIRECT,
    COLUMN_SUBTREE,
    COLUMN_LIST,
    COLUMN_OVERLAP_NAMES,
    COLUMN_OVERLAP_SHARE,
    COLUMN_OVERLAP_LIST,
    COLUMN_LEFT_OUT,
    COLUMN_KERNEL_NAMES,
    COLUMN_MODULE,
};

#define BIT(column) ((uint64_t)1 << (column))

static const char declaration[] =
    "CREATE TABLE launcher_work(run TEXT, trace_id INTEGER, is_recompute INTEGER, launcher_id "
    "INTEGER, position INTEGER, name_id INTEGER, category TEXT, op_id INTEGER, track_id INTEGER, "
    "same_track_id INTEGER, ts_ns INTEGER, kernel_count INTEGER, num_kernels INTEGER, direct_ns "
    "INTEGER, subtree_ns "
    "INTEGER, kernels BLOB, overlapping_names TEXT, overlap_pct REAL, overlapping_kernels BLOB, "
    "partners_left_out INTEGER, kernel_names INTEGER, parent_module TEXT)";

struct work_cursor {
    sqlite3_vtab_cursor base;
    sqlite3 *db;
    struct launcher_rows rows;
    struct groups groups; /* without order when nobody asked for groups */
    sqlite3_stmt *ask_name;
    struct text names; /* the list of names that was written last */
    uint32_t names_list;
    size_t at;
    const struct launcher_row *row; /* the one that is handed out */
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
    static const uint64_t groupable = BIT(COLUMN_RUN) | BIT(COLUMN_TRACE) | BIT(COLUMN_RECOMPUTE) |
                                      BIT(COLUMN_NAME) | BIT(COLUMN_CATEGORY) | BIT(COLUMN_OP) |
                                      BIT(COLUMN_TRACK) | BIT(COLUMN_SAME_TRACK) |
                                      BIT(COLUMN_KERNELS) | BIT(COLUMN_NUM_KERNELS) |
                                      BIT(COLUMN_KERNEL_NAMES) | BIT(COLUMN_MODULE);
    static const uint64_t overlap = BIT(COLUMN_OVERLAP_NAMES) | BIT(COLUMN_OVERLAP_SHARE) |
                                    BIT(COLUMN_OVERLAP_LIST) | BIT(COLUMN_LEFT_OUT);
    int parts = (info->colUsed & BIT(COLUMN_LIST) ? LAUNCHER_KERNELS : 0) |
                (info->colUsed & overlap ? LAUNCHER_OVERLAP : 0) |
                (info->colUsed & BIT(COLUMN_SAME_TRACK) ? LAUNCHER_TRACKS : 0) |
                (info->colUsed & BIT(COLUMN_KERNEL_NAMES) ? LAUNCHER_NAMES : 0) |
                (info->colUsed & BIT(COLUMN_MODULE) ? LAUNCHER_MODULE : 0);
    return table_plan_make(info, COLUMN_RUN, COLUMN_TRACE, groupable, parts);
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
    launcher_rows_free(&cursor->rows);
    group_free(&cursor->groups);
    sqlite3_finalize(cursor->ask_name);
    text_free(&cursor->names);
    *cursor = (struct work_cursor){.base = cursor->base, .db = cursor->db};
}

static int work_close(sqlite3_vtab_cursor *base)
{
    work_reset((struct work_cursor *)base);
    sqlite3_free(base);
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ groups */

/* A number that tells the values of a column apart. */
static int key_of(struct work_cursor *cursor, const struct launcher_row *row, int column,
                  int64_t *key)
{
    const struct launcher_trace *trace = &cursor->rows.traces.items[row->trace];
    const char *category;
    uint32_t number = 0;
    int result = SQLITE_OK;
    switch (column) {
    case COLUMN_RUN:
        *key = trace->run_id;
        break;
    case COLUMN_TRACE:
        *key = trace->id;
        break;
    case COLUMN_RECOMPUTE:
        *key = row->words.recompute;
        break;
    case COLUMN_NAME:
        *key = row->words.name;
        break;
    case COLUMN_CATEGORY:
        result = catalog_answers_category(&cursor->rows.catalog, row->words.name, row->first_kernel,
                                          &number, &category);
        *key = number;
        break;
    case COLUMN_OP:
        *key = row->words.op;
        break;
    case COLUMN_TRACK:
        *key = row->words.track;
        break;
    case COLUMN_SAME_TRACK:
        *key = row->same_track;
        break;
    case COLUMN_NUM_KERNELS:
        *key = cursor->rows.count_kernels ? row->count : 0;
        break;
    case COLUMN_KERNEL_NAMES:
        *key = row->kernel_names;
        break;
    case COLUMN_MODULE:
        *key = row->module;
        break;
    default: /* COLUMN_KERNELS */
        *key = row->count;
        break;
    }
    return result;
}

static const char *module_of(const struct work_cursor *cursor, uint32_t number)
{
    return number ? cursor->rows.modules.names.items[number - 1] : "NA";
}

struct comparison {
    struct work_cursor *cursor;
    const char *columns;
};

static int compare_rows(size_t left, size_t right, void *context)
{
    const struct comparison *self = context;
    struct work_cursor *cursor = self->cursor;
    const struct launcher_row *rows = cursor->rows.rows.items;
    int column;
    for (size_t i = 0; (column = table_plan_column(self->columns, i)) >= 0; i++) {
        int64_t a = 0, b = 0; /* known by now: asking cannot fail */
        key_of(cursor, &rows[left], column, &a);
        key_of(cursor, &rows[right], column, &b);
        if (a == b)
            continue;
        int order = a < b ? -1 : 1;
        if (column == COLUMN_RUN)
            order = strcmp(cursor->rows.traces.items[rows[left].trace].run,
                           cursor->rows.traces.items[rows[right].trace].run);
        else if (column == COLUMN_CATEGORY)
            order = strcmp(cursor->rows.catalog.categories.items[a - 1],
                           cursor->rows.catalog.categories.items[b - 1]);
        else if (column == COLUMN_MODULE)
            order = strcmp(module_of(cursor, (uint32_t)a), module_of(cursor, (uint32_t)b));
        return table_plan_descends(self->columns, i) ? -order : order;
    }
    return 0;
}

static int make_groups(struct work_cursor *cursor, const char *columns)
{
    size_t count = cursor->rows.rows.count;
    int64_t *keys = malloc((count + 1) * sizeof *keys);
    int result = keys && group_start(&cursor->groups, count) ? SQLITE_OK : SQLITE_NOMEM;
    int column;
    for (size_t i = 0; (column = table_plan_column(columns, i)) >= 0 && result == SQLITE_OK; i++) {
        for (size_t j = 0; j < count && result == SQLITE_OK; j++)
            result = key_of(cursor, &cursor->rows.rows.items[j], column, &keys[j]);
        if (result == SQLITE_OK && !group_part(&cursor->groups, keys))
            result = SQLITE_NOMEM;
    }
    free(keys);
    struct comparison comparison = {cursor, columns};
    return result != SQLITE_OK || group_finish(&cursor->groups, compare_rows, &comparison)
               ? result
               : SQLITE_NOMEM;
}

/* Rows of a group lie far apart: the processor is told a little ahead. */
static void find_row(struct work_cursor *cursor)
{
    enum { AHEAD = 8 };
    const struct launcher_row *rows = cursor->rows.rows.items;
    const uint32_t *order = cursor->groups.order;
    size_t count = cursor->rows.rows.count, at = cursor->at;
    if (order && at + AHEAD < count) {
        const char *next = (const char *)&rows[order[at + AHEAD]];
        __builtin_prefetch(next);
        __builtin_prefetch(next + 64);
    }
    cursor->row = at < count ? &rows[order ? order[at] : at] : NULL;
}

static int work_filter(sqlite3_vtab_cursor *base, int plan, const char *columns, int count,
                       sqlite3_value **arguments)
{
    (void)count;
    struct work_cursor *cursor = (struct work_cursor *)base;
    work_reset(cursor);
    sqlite3_value *run;
    struct text traces = {0};
    int result = table_plan_wanted(plan, arguments, &run, &traces);
    if (result == SQLITE_OK)
        result = launcher_rows_read(&cursor->rows, cursor->db, run, traces.items,
                                    table_plan_parts(plan));
    text_free(&traces);
    if (result == SQLITE_OK && columns)
        result = make_groups(cursor, columns);
    if (result == SQLITE_OK)
        find_row(cursor);
    return result;
}

/* ------------------------------------------------------------------ handing out */

static int work_next(sqlite3_vtab_cursor *base)
{
    struct work_cursor *cursor = (struct work_cursor *)base;
    cursor->at++;
    find_row(cursor);
    return SQLITE_OK;
}

static int work_eof(sqlite3_vtab_cursor *base)
{
    const struct work_cursor *cursor = (const struct work_cursor *)base;
    return cursor->at >= cursor->rows.rows.count;
}

/* Writes the names of a row's partners, unless they stand there from the row before. */
static int write_names(struct work_cursor *cursor, const struct launcher_row *row)
{
    static const char sql[] = "SELECT text FROM string WHERE id = ?1";
    if (cursor->names_list == row->names_list)
        return SQLITE_OK;
    cursor->names_list = 0;
    text_clear(&cursor->names);
    if (!cursor->ask_name &&
        sqlite3_prepare_v2(cursor->db, sql, -1, &cursor->ask_name, NULL) != SQLITE_OK)
        return sqlite3_errcode(cursor->db);
    bool done = text_add_byte(&cursor->names, '[');
    for (size_t i = 0; i < row->partner_count && done; i++) {
        sqlite3_reset(cursor->ask_name);
        sqlite3_bind_int64(cursor->ask_name, 1,
                           cursor->rows.partners.items[row->first_partner + i].name);
        int result = sqlite3_step(cursor->ask_name);
        const char *name =
            result == SQLITE_ROW ? (const char *)sqlite3_column_text(cursor->ask_name, 0) : NULL;
        if (!name)
            return result == SQLITE_DONE ? SQLITE_CORRUPT : SQLITE_NOMEM;
        done = (i == 0 || text_add_byte(&cursor->names, ',')) &&
               text_add_json(&cursor->names, view_of(name));
    }
    if (!done || !text_add_byte(&cursor->names, ']'))
        return SQLITE_NOMEM;
    cursor->names_list = row->names_list;
    return SQLITE_OK;
}

static void put_list(sqlite3_context *out, const struct listed_kernel *list, size_t count)
{
    sqlite3_result_blob64(out, list, count * sizeof *list, SQLITE_STATIC);
}

/* What ran beside a launcher's work. */
static int put_overlap(struct work_cursor *cursor, sqlite3_context *out, int column,
                       const struct launcher_row *row)
{
    if (column == COLUMN_LEFT_OUT) {
        sqlite3_result_int64(out, row->left_out);
        return SQLITE_OK;
    }
    if (row->partner_count == 0)
        return SQLITE_OK;
    int result = SQLITE_OK;
    if (column == COLUMN_OVERLAP_SHARE) {
        sqlite3_result_double(out, row->overlap_share);
    } else if (column == COLUMN_OVERLAP_LIST) {
        put_list(out, cursor->rows.partners.items + row->first_partner, row->partner_count);
    } else {
        result = write_names(cursor, row);
        if (result == SQLITE_OK)
            sqlite3_result_text64(out, cursor->names.items, cursor->names.count, SQLITE_TRANSIENT,
                                  SQLITE_UTF8);
    }
    return result;
}

static int work_column(sqlite3_vtab_cursor *base, sqlite3_context *out, int column)
{
    struct work_cursor *cursor = (struct work_cursor *)base;
    const struct launcher_row *row = cursor->row;
    const struct launcher_trace *trace = &cursor->rows.traces.items[row->trace];
    const char *category = NULL;
    uint32_t number;
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
        sqlite3_result_int64(out, row->id);
        break;
    case COLUMN_POSITION:
        sqlite3_result_int64(out, row->position);
        break;
    case COLUMN_NAME:
        sqlite3_result_int64(out, row->words.name);
        break;
    case COLUMN_CATEGORY:
        result = catalog_answers_category(&cursor->rows.catalog, row->words.name, row->first_kernel,
                                          &number, &category);
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
    case COLUMN_SAME_TRACK:
        sqlite3_result_int64(out, row->same_track);
        break;
    case COLUMN_TS:
        sqlite3_result_int64(out, row->words.start);
        break;
    case COLUMN_KERNELS:
        sqlite3_result_int64(out, row->count);
        break;
    case COLUMN_NUM_KERNELS:
        if (cursor->rows.count_kernels)
            sqlite3_result_int64(out, row->count);
        break;
    case COLUMN_KERNEL_NAMES:
        sqlite3_result_int64(out, row->kernel_names);
        break;
    case COLUMN_MODULE:
        if (cursor->rows.name_modules)
            sqlite3_result_text(out, module_of(cursor, row->module), -1, SQLITE_TRANSIENT);
        break;
    case COLUMN_DIRECT:
        reference_time_put(cursor->rows.compat, out, row->direct);
        break;
    case COLUMN_SUBTREE:
        reference_time_put(cursor->rows.compat, out, row->below);
        break;
    case COLUMN_LIST:
        put_list(out, cursor->rows.kernels.items + row->first_listed, (size_t)row->count);
        break;
    default:
        return put_overlap(cursor, out, column, row);
    }
    return SQLITE_OK;
}

static int work_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
    const struct work_cursor *cursor = (const struct work_cursor *)base;
    *rowid = cursor->row - cursor->rows.rows.items;
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

const struct function launcher_functions[] = {
    {.name = "launcher_work",
     .call =
         "launcher_work(run, trace_id, is_recompute, launcher_id, position, name_id, category, "
         "op_id, track_id, same_track_id, ts_ns, kernel_count, num_kernels, direct_ns, "
         "subtree_ns, kernels, "
         "overlapping_names, overlap_pct, overlapping_kernels, partners_left_out, kernel_names, "
         "parent_module)",
     .meaning =
         "A table: every op, or runtime call without an op, that launched selected "
         "accelerator work other than collectives. direct_ns is the time covered by its "
         "own work, subtree_ns by all work below it; kernels is for kernel_details. "
         "num_kernels is kernel_count with the option group_by_num_kernels, else NULL; "
         "same_track_id is the first track of the same names. What ran beside the work "
         "for at least a microsecond, for other ops on other streams: overlapping_names, a "
         "JSON array; overlap_pct, the part of direct_ns as a fraction; "
         "overlapping_kernels, for kernel_details. NULL when nothing did. "
         "partners_left_out counts what was not looked at, in a trace where nearly "
         "everything overlaps. kernel_names is a number: the same for launchers whose kernels "
         "have the same names. parent_module is the nearest nn.Module around it, without the "
         "number "
         "at its end, with the option group_by_parent_module; NA when there is none.",
     .kind = FUNCTION_TABLE,
     .module = &work_module},
    {0},
};
