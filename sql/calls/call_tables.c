/* call_tables: what models and the host's side say about the calls of selected traces.
 *
 *     op_call         a row for each call of an op with a model
 *     roofline_row    such calls, and their backward passes, by name and shown parameters
 *     collected_row   calls in which each piece of accelerator work is counted once, by arguments
 *     collected_overlap_row  the same by what ran beside their work, too
 *     modelled_time   of each trace the time covered by work that has a model
 *
 *     SELECT name_id, flops / kernel_ns FROM op_call WHERE kernel_ns > 0
 *     SELECT sheet, sum(kernel_us) FROM roofline_row GROUP BY sheet
 *
 * They share one reading of the selection (call_rows.h), which the connection keeps until the
 * database, the selection or an option changes: several reports in a row pay for it once.
 */
#include "sql/binding/function.h"
#include "sql/binding/kept.h"
#include "sql/binding/table_plan.h"
#include "sql/calls/call_group.h"
#include "sql/calls/call_read.h"

#include <math.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

/* ------------------------------------------------------------------ what is kept */

struct call_cache {
    int shares;
    struct call_rows rows;
    struct kept kept;
};

static void release_cache(void *pointer)
{
    struct call_cache *self = pointer;
    if (!self || --self->shares > 0)
        return;
    call_rows_free(&self->rows);
    kept_free(&self->kept);
    free(self);
}

struct call_table {
    sqlite3_vtab base;
    sqlite3 *db;
    struct context *context;
    enum call_kind {
        TABLE_CALLS,
        TABLE_ROOFLINE,
        TABLE_COLLECTED,
        TABLE_COLLECTED_OVERLAP,
        TABLE_TIME
    } kind;
};

/* The calls that are wanted, with a share for the caller. */
static int get_calls(struct call_table *table, sqlite3_value *run, const char *traces,
                     struct call_cache **out, struct error *error)
{
    struct context *context = table->context;
    struct call_cache *cache = context->calls;
    struct kept wanted = {0};
    int result = kept_make(&wanted, table->db, context, run, traces) ? SQLITE_OK : SQLITE_NOMEM;
    if (result == SQLITE_OK && !(cache && kept_equal(&cache->kept, &wanted))) {
        release_cache(cache);
        context->calls = cache = calloc(1, sizeof *cache);
        context->free_calls = release_cache;
        result = cache ? SQLITE_OK : SQLITE_NOMEM;
        if (cache) {
            cache->shares = 1;
            result = call_rows_read(&cache->rows, table->db, context, run, traces, error);
            cache->kept = wanted;
            wanted = (struct kept){0};
        }
        if (result != SQLITE_OK) { /* half a reading is none */
            release_cache(cache);
            context->calls = cache = NULL;
        }
    }
    kept_free(&wanted);
    *out = cache;
    if (cache)
        cache->shares++;
    return result;
}

/* ------------------------------------------------------------------ the tables */

enum {
    COLUMN_RUN,
    COLUMN_TRACE,
};

enum {
    CALL_RECOMPUTE = COLUMN_TRACE + 1,
    CALL_ID,
    CALL_LAST,
    CALL_UID,
    CALL_NAME,
    CALL_OP,
    CALL_TRACK,
    CALL_KERNELS,
    CALL_KERNEL_NS,
    CALL_NESTED,
    CALL_METRIC,
    CALL_PSEUDO,
    CALL_FIGURES, /* in the order of enum op_figure */
};

enum {
    GROUP_RECOMPUTE = COLUMN_TRACE + 1,
    GROUP_NUM_KERNELS,
    GROUP_SHEET,
    GROUP_APPENDED,
    GROUP_ID,
    GROUP_PSEUDO,
    GROUP_UID,
    GROUP_NAME,
    GROUP_KERNEL_NAME,
    GROUP_CATEGORY,
    GROUP_OP,
    GROUP_TRACK,
    GROUP_HAS_MODEL,
    GROUP_STATUS,
    GROUP_REASON,
    GROUP_PARAMS,
    GROUP_FLOPS,
    GROUP_BYTES,
    GROUP_SPEC,
    GROUP_CALLS,
    GROUP_NESTED,
    GROUP_DETAILS,
    GROUP_DETAILS_SHORT,
    GROUP_BESIDE_NAMES,
    GROUP_BESIDE,
    GROUP_BESIDE_SHORT,
    GROUP_LEFT_OUT,
    GROUP_FIGURES, /* six of each kind: sum, mean, median, deviation, least, most */
};

enum { FIGURES_EACH = 6 };

#define FIGURES(prefix)                                                                        \
    prefix " REAL, " prefix "_mean REAL, " prefix "_median REAL, " prefix "_std REAL, " prefix \
           "_min REAL, " prefix "_max REAL"

static const char *const declarations[] = {
    [TABLE_CALLS] = "CREATE TABLE op_call(run TEXT, trace_id INTEGER, is_recompute INTEGER, id "
                    "INTEGER, last_id INTEGER, uid INTEGER, name_id INTEGER, op_id INTEGER, "
                    "track_id INTEGER, kernel_count INTEGER, kernel_ns, is_nested INTEGER, "
                    "metric_id INTEGER, is_pseudo INTEGER, model TEXT, status TEXT, reason TEXT, "
                    "flops, bytes, flops_bwd, bytes_bwd, compute_spec TEXT, category TEXT, "
                    "bwd_category TEXT, sheet TEXT, params TEXT)",
#define GROUP_COLUMNS                                                                         \
    "run TEXT, trace_id INTEGER, is_recompute INTEGER, num_kernels INTEGER, sheet TEXT, "     \
    "is_appended INTEGER, id INTEGER, pseudo INTEGER, uid INTEGER, name_id INTEGER, "         \
    "kernel_name_id INTEGER, category TEXT, op_id INTEGER, track_id INTEGER, has_model "      \
    "INTEGER, status TEXT, reason TEXT, params TEXT, flops, bytes, compute_spec TEXT, calls " \
    "INTEGER, nested_calls INTEGER, kernel_details TEXT, kernel_details_short TEXT, "         \
    "overlapping_names TEXT, overlapping_details TEXT, overlapping_details_short TEXT, "      \
    "partners_left_out INTEGER, " FIGURES("kernel_us") ", " FIGURES("tflops") ", " FIGURES(   \
        "tbs") ", " FIGURES("per_us") ", " FIGURES("host_us") ", " FIGURES("overlap_pct")
    [TABLE_ROOFLINE] = "CREATE TABLE roofline_row(" GROUP_COLUMNS ")",
    [TABLE_COLLECTED] = "CREATE TABLE collected_row(" GROUP_COLUMNS ")",
    [TABLE_COLLECTED_OVERLAP] = "CREATE TABLE collected_overlap_row(" GROUP_COLUMNS ")",
    [TABLE_TIME] = "CREATE TABLE modelled_time(run TEXT, trace_id INTEGER, modelled_ns)",
};

static const char *const table_names[] = {
    [TABLE_ROOFLINE] = "roofline_row",
    [TABLE_COLLECTED] = "collected_row",
    [TABLE_COLLECTED_OVERLAP] = "collected_overlap_row",
    [TABLE_TIME] = "modelled_time",
};

struct call_cursor {
    sqlite3_vtab_cursor base;
    struct call_cache *cache;
    size_t at;
    bool at_end;
    struct call_groups groups;
    struct kernel_details details;
    struct text whole, brief; /* of the group in hand, when made */
    struct text beside, beside_brief;
    bool has_details, has_beside;
    sqlite3_stmt *names;
};

static struct call_table *table_of(const struct call_cursor *cursor)
{
    return (struct call_table *)(void *)cursor->base.pVtab;
}

static int call_connect(sqlite3 *db, void *context, int count, const char *const *arguments,
                        sqlite3_vtab **out, char **error)
{
    (void)count, (void)error;
    enum call_kind kind = TABLE_CALLS; /* the name of the module says which one it is */
    for (int i = TABLE_ROOFLINE; i <= TABLE_TIME; i++)
        if (strcmp(arguments[0], table_names[i]) == 0)
            kind = (enum call_kind)i;
    int result = sqlite3_declare_vtab(db, declarations[kind]);
    if (result != SQLITE_OK)
        return result;
    sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    struct call_table *table = sqlite3_malloc(sizeof *table);
    if (!table)
        return SQLITE_NOMEM;
    *table = (struct call_table){.db = db, .context = context, .kind = kind};
    *out = &table->base;
    return SQLITE_OK;
}

static int call_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    return table_plan_make(info, COLUMN_RUN, COLUMN_TRACE, 0, 0);
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

static void reset(struct call_cursor *cursor)
{
    call_groups_free(&cursor->groups);
    kernel_details_free(&cursor->details);
    text_free(&cursor->whole);
    text_free(&cursor->brief);
    text_free(&cursor->beside);
    text_free(&cursor->beside_brief);
    sqlite3_finalize(cursor->names);
    release_cache(cursor->cache);
    *cursor = (struct call_cursor){.base = cursor->base, .at_end = true};
}

static int call_close(sqlite3_vtab_cursor *base)
{
    reset((struct call_cursor *)base);
    sqlite3_free(base);
    return SQLITE_OK;
}

static bool has_option(const struct call_cursor *cursor, const char *name)
{
    return context_get(table_of(cursor)->context, name) != NULL;
}

static bool make_groups(struct call_cursor *cursor, bool by_overlap)
{
    bool is_roofline = table_of(cursor)->kind == TABLE_ROOFLINE;
    call_groups_free(&cursor->groups);
    return call_groups_make(&cursor->groups, &cursor->cache->rows,
                            is_roofline ? CALLS_ROOFLINE : CALLS_COLLECTED,
                            has_option(cursor, "group_by_num_kernels"), by_overlap);
}

/* Rooflines come once more, on sheets that part calls by what ran beside them. */
static bool find_group(struct call_cursor *cursor, bool *found)
{
    if (!call_groups_next(&cursor->groups, found))
        return false;
    if (*found || cursor->groups.by_overlap || table_of(cursor)->kind != TABLE_ROOFLINE ||
        !has_option(cursor, "include_overlap_info"))
        return true;
    return make_groups(cursor, true) && call_groups_next(&cursor->groups, found);
}

static int find_row(struct call_cursor *cursor)
{
    const struct call_rows *rows = &cursor->cache->rows;
    bool found = true;
    cursor->has_details = cursor->has_beside = false;
    switch (table_of(cursor)->kind) {
    case TABLE_CALLS:
        while (cursor->at < rows->calls.count && !rows->calls.items[cursor->at].entry)
            cursor->at++;
        found = cursor->at < rows->calls.count;
        break;
    case TABLE_TIME:
        found = cursor->at < rows->traces.count;
        break;
    default:
        if (!find_group(cursor, &found))
            return SQLITE_NOMEM;
        break;
    }
    cursor->at_end = !found;
    return SQLITE_OK;
}

static int call_next(sqlite3_vtab_cursor *base)
{
    struct call_cursor *cursor = (struct call_cursor *)base;
    cursor->at++;
    return find_row(cursor);
}

static int call_filter(sqlite3_vtab_cursor *base, int plan, const char *unused, int count,
                       sqlite3_value **arguments)
{
    (void)unused, (void)count;
    struct call_cursor *cursor = (struct call_cursor *)base;
    struct call_table *table = table_of(cursor);
    struct error error = {0};
    sqlite3_value *run;
    struct text traces = {0};
    reset(cursor);
    int result = table_plan_wanted(plan, arguments, &run, &traces);
    if (result == SQLITE_OK)
        result = get_calls(table, run, traces.items, &cursor->cache, &error);
    text_free(&traces);
    if (result != SQLITE_OK) {
        if (error.text[0]) {
            sqlite3_free(base->pVtab->zErrMsg);
            base->pVtab->zErrMsg = sqlite3_mprintf("%s", error.text);
        }
        return result;
    }
    if (table->kind != TABLE_CALLS && table->kind != TABLE_TIME &&
        !make_groups(cursor, table->kind == TABLE_COLLECTED_OVERLAP))
        return SQLITE_NOMEM;
    return find_row(cursor);
}

static int call_eof(sqlite3_vtab_cursor *base)
{
    return ((struct call_cursor *)base)->at_end;
}

/* ------------------------------------------------------------------ handing out */

static void give_id(sqlite3_context *out, int64_t id)
{
    if (id)
        sqlite3_result_int64(out, id);
}

static void give_ns(sqlite3_context *out, const struct call_rows *rows, int64_t parts)
{
    if (rows->compat)
        sqlite3_result_double(out, (double)parts * 1000 / rows->parts);
    else
        sqlite3_result_int64(out, parts);
}

static void give_trace(sqlite3_context *out, const struct call_trace *trace, int column)
{
    if (column == COLUMN_RUN)
        sqlite3_result_text(out, trace->run, -1, SQLITE_TRANSIENT);
    else
        sqlite3_result_int64(out, trace->id);
}

/* What the model says; of a backward op that has none, what that of its forward op says. */
static void give_entry(sqlite3_context *out, const struct call *call, enum op_figure figure)
{
    static const enum op_figure backward[] = {
        [OP_FLOPS] = OP_FLOPS_BWD, [OP_BYTES] = OP_BYTES_BWD, [OP_CATEGORY] = OP_CATEGORY_BWD};
    if (!call->is_backward)
        op_entry_give(call->entry, figure, out);
    else if (figure == OP_FLOPS || figure == OP_BYTES || figure == OP_CATEGORY)
        op_entry_give(call->entry, backward[figure], out);
    else if (figure == OP_MODEL || figure == OP_STATUS || figure == OP_SPEC || figure == OP_PARAMS)
        op_entry_give(call->entry, figure, out);
}

static void give_call(sqlite3_context *out, const struct call_rows *rows, const struct call *call,
                      int column)
{
    if (column >= CALL_FIGURES) {
        give_entry(out, call, (enum op_figure)(column - CALL_FIGURES));
        return;
    }
    switch (column) {
    case CALL_RECOMPUTE:
        if (call->recompute >= 0)
            sqlite3_result_int(out, call->recompute);
        break;
    case CALL_ID:
        sqlite3_result_int64(out, call->id);
        break;
    case CALL_LAST:
        sqlite3_result_int64(out, call->last);
        break;
    case CALL_UID:
        sqlite3_result_int64(out, call->uid);
        break;
    case CALL_NAME:
        sqlite3_result_int64(out, call->name);
        break;
    case CALL_OP:
        give_id(out, call->op);
        break;
    case CALL_TRACK:
        sqlite3_result_int64(out, call->track);
        break;
    case CALL_KERNELS:
        sqlite3_result_int64(out, call->count);
        break;
    case CALL_KERNEL_NS:
        give_ns(out, rows, call->busy);
        break;
    case CALL_NESTED:
        sqlite3_result_int(out, call->is_nested);
        break;
    case CALL_METRIC:
        sqlite3_result_int64(out, call->entry->metric_id);
        break;
    case CALL_PSEUDO:
        sqlite3_result_int(out, call->pseudo != 0);
        break;
    default:
        give_trace(out, &rows->traces.items[call->trace], column);
        break;
    }
}

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

/* The reference puts backward ops that it knows by name behind the rows of their sheet, and leaves
 * others among the forward ones. Reports about served models have no sheets of backward ops. */
static bool is_moved(const struct call_rows *rows, const struct call *call)
{
    static const char *const names[] = {"flash_attn::_flash_attn_varlen_backward",
                                        "aten::convolution_backward", "ConvBias_Backward",
                                        "ConvBiasReLU_Backward", NULL};
    const struct model *model = rows->models.items[call->model - 1].model;
    if (rows->inference)
        return false;
    if (rows->compat)
        return is_one_of(model->op, names);
    size_t length = model->category ? strlen(model->category) : 0;
    return length > 4 && strcmp(model->category + length - 4, "_bwd") == 0;
}

static void give_sheet(sqlite3_context *out, const struct call_groups *groups)
{
    const struct call_rows *rows = groups->rows;
    const struct call *call = groups->first;
    const struct call_model *model = call->model ? &rows->models.items[call->model - 1] : NULL;
    if (!model)
        return;
    bool is_backward = call->is_backward || is_moved(rows, call);
    char *sheet = sqlite3_mprintf("%s%s%s", model->sheet,
                                  model->is_whole ? ""
                                  : is_backward   ? "_bwd"
                                                  : "_fwd",
                                  groups->by_overlap ? "_kl_overlap" : "");
    if (sheet)
        sqlite3_result_text(out, sheet, -1, sqlite3_free);
    else
        sqlite3_result_error_nomem(out);
}

static int prepare_names(struct call_cursor *cursor)
{
    return cursor->names ? SQLITE_OK
                         : sqlite3_prepare_v2(table_of(cursor)->db, KERNEL_DETAILS_NAMES, -1,
                                              &cursor->names, NULL);
}

static int make_details(struct call_cursor *cursor)
{
    if (cursor->has_details)
        return SQLITE_OK;
    text_clear(&cursor->whole);
    text_clear(&cursor->brief);
    int result = prepare_names(cursor);
    if (result == SQLITE_OK &&
        (!call_groups_details(&cursor->groups, &cursor->details) ||
         !kernel_details_write(&cursor->details, cursor->names, &cursor->whole, &cursor->brief)))
        result = SQLITE_NOMEM;
    cursor->has_details = result == SQLITE_OK;
    return result;
}

static int make_beside(struct call_cursor *cursor)
{
    if (cursor->has_beside)
        return SQLITE_OK;
    text_clear(&cursor->beside);
    text_clear(&cursor->beside_brief);
    int result = prepare_names(cursor);
    if (result == SQLITE_OK && (!call_groups_beside(&cursor->groups, &cursor->details) ||
                                !kernel_details_write(&cursor->details, cursor->names,
                                                      &cursor->beside, &cursor->beside_brief)))
        result = SQLITE_NOMEM;
    cursor->has_details = false; /* the list of kernels was for these */
    cursor->has_beside = result == SQLITE_OK;
    return result;
}

/* The names of what ran beside the first call. */
static int give_beside_names(struct call_cursor *cursor, sqlite3_context *out)
{
    const struct call_beside *beside = call_groups_first_beside(&cursor->groups);
    struct text list = {0};
    if (!beside)
        return SQLITE_OK;
    int result = prepare_names(cursor);
    bool done = result == SQLITE_OK && text_add_byte(&list, '[');
    for (size_t i = 0; i < beside->count && done; i++) {
        sqlite3_reset(cursor->names);
        sqlite3_bind_int64(cursor->names, 1,
                           cursor->groups.rows->partners.items[beside->first + i].name);
        const char *name = sqlite3_step(cursor->names) == SQLITE_ROW
                               ? (const char *)sqlite3_column_text(cursor->names, 0)
                               : NULL;
        done = name && (i == 0 || text_add_byte(&list, ',')) && text_add_json(&list, view_of(name));
    }
    done = done && text_add_byte(&list, ']');
    if (done)
        sqlite3_result_text64(out, list.items, list.count, SQLITE_TRANSIENT, SQLITE_UTF8);
    text_free(&list);
    return done ? SQLITE_OK : result == SQLITE_OK ? SQLITE_NOMEM : result;
}

static void give_figures(sqlite3_context *out, const struct call_figures *figures, int which)
{
    const double values[FIGURES_EACH] = {figures->sum,       figures->mean,  figures->median,
                                         figures->deviation, figures->least, figures->most};
    bool is_deviation = which == 3;
    if (figures->count > (is_deviation ? 1 : 0))
        sqlite3_result_double(out, values[which]);
}

/* The reference rounds how much ran beside collected calls; one call deviates by nothing. */
static void round_figures(struct call_figures *figures)
{
    double *const values[] = {&figures->mean, &figures->median, &figures->deviation,
                              &figures->least, &figures->most};
    if (figures->count == 1) {
        figures->deviation = 0;
        figures->count = 2;
    }
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        *values[i] = rint(*values[i] * 100) / 100;
}

static int give_group(struct call_cursor *cursor, sqlite3_context *out, int column)
{
    const struct call_groups *groups = &cursor->groups;
    const struct call_rows *rows = groups->rows;
    const struct call *first = groups->first;
    const struct outcome *outcome = first->entry ? &first->entry->outcome : NULL;
    bool is_whole = column == GROUP_DETAILS;
    int result;
    switch (column) {
    case GROUP_RECOMPUTE:
        if (first->recompute >= 0)
            sqlite3_result_int(out, first->recompute);
        break;
    case GROUP_NUM_KERNELS:
        if (groups->by_kernels)
            sqlite3_result_int64(out, first->count);
        break;
    case GROUP_SHEET:
        give_sheet(out, groups);
        break;
    case GROUP_APPENDED:
        sqlite3_result_int(out, rows->compat && first->model && !first->is_backward &&
                                    is_moved(rows, first));
        break;
    case GROUP_ID:
        sqlite3_result_int64(out, first->id);
        break;
    case GROUP_PSEUDO:
        give_id(out, first->pseudo);
        break;
    case GROUP_UID:
        sqlite3_result_int64(out, first->uid);
        break;
    case GROUP_NAME:
        sqlite3_result_int64(out, first->name);
        break;
    case GROUP_KERNEL_NAME:
        give_id(out, first->kernel_name);
        break;
    case GROUP_CATEGORY:
        if (first->category)
            op_give_text(out, rows->categories.items[first->category - 1]);
        break;
    case GROUP_OP:
        give_id(out, first->op);
        break;
    case GROUP_TRACK:
        sqlite3_result_int64(out, first->track);
        break;
    case GROUP_HAS_MODEL:
        sqlite3_result_int(out, first->has_model);
        break;
    case GROUP_STATUS:
        if (outcome && first->has_model)
            op_give_text(out, outcome_names[outcome->status]);
        break;
    case GROUP_REASON:
        if (outcome && first->has_model && outcome->status != OUTCOME_OK)
            op_give_text(out, outcome->reason.items);
        break;
    case GROUP_PARAMS:
        if (outcome && first->has_model && outcome->status <= OUTCOME_NO_BYTES)
            op_give_text(out, outcome->shown.items);
        break;
    case GROUP_FLOPS:
        op_give_figure(out, call_flops(first));
        break;
    case GROUP_BYTES:
        op_give_figure(out, call_bytes(first));
        break;
    case GROUP_SPEC:
        if (outcome && outcome->status <= OUTCOME_NO_BYTES)
            op_give_text(out, outcome->spec.items);
        break;
    case GROUP_CALLS:
        sqlite3_result_int64(out, (int64_t)(groups->to - groups->from));
        break;
    case GROUP_NESTED:
        sqlite3_result_int64(out, (int64_t)groups->nested);
        break;
    case GROUP_DETAILS:
    case GROUP_DETAILS_SHORT:
        result = make_details(cursor);
        if (result != SQLITE_OK)
            return result;
        if (is_whole || cursor->details.calls.count)
            op_give_text(out, is_whole ? cursor->whole.items : cursor->brief.items);
        break;
    case GROUP_BESIDE_NAMES:
        return give_beside_names(cursor, out);
    case GROUP_BESIDE:
    case GROUP_BESIDE_SHORT:
        if (!groups->overlap.count)
            break;
        result = make_beside(cursor);
        if (result != SQLITE_OK)
            return result;
        is_whole = column == GROUP_BESIDE;
        op_give_text(out, is_whole ? cursor->beside.items : cursor->beside_brief.items);
        break;
    case GROUP_LEFT_OUT:
        sqlite3_result_int64(out, groups->left_out);
        break;
    default:
        give_trace(out, &rows->traces.items[first->trace], column);
        break;
    }
    return SQLITE_OK;
}

static int call_column(sqlite3_vtab_cursor *base, sqlite3_context *out, int column)
{
    struct call_cursor *cursor = (struct call_cursor *)base;
    const struct call_rows *rows = &cursor->cache->rows;
    const struct call_groups *groups = &cursor->groups;
    const struct call_figures *const figures[] = {&groups->kernel_us, &groups->tflops,
                                                  &groups->tbs,       &groups->per_us,
                                                  &groups->host_us,   &groups->overlap};
    switch (table_of(cursor)->kind) {
    case TABLE_CALLS:
        give_call(out, rows, &rows->calls.items[cursor->at], column);
        return SQLITE_OK;
    case TABLE_TIME:
        if (column > COLUMN_TRACE)
            give_ns(out, rows, rows->traces.items[cursor->at].modelled);
        else
            give_trace(out, &rows->traces.items[cursor->at], column);
        return SQLITE_OK;
    default:
        break;
    }
    if (column < GROUP_FIGURES)
        return give_group(cursor, out, column);
    column -= GROUP_FIGURES;
    struct call_figures own = *figures[column / FIGURES_EACH];
    if (rows->compat && figures[column / FIGURES_EACH] == &groups->overlap &&
        groups->report == CALLS_COLLECTED)
        round_figures(&own);
    give_figures(out, &own, column % FIGURES_EACH);
    return SQLITE_OK;
}

static int call_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
    *rowid = (sqlite3_int64)((const struct call_cursor *)base)->at;
    return SQLITE_OK;
}

static int call_disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
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

#define GROUP_CALL                                                                              \
    "(run, trace_id, is_recompute, num_kernels, sheet, is_appended, id, pseudo, uid, name_id, " \
    "kernel_name_id, category, op_id, track_id, has_model, status, reason, params, flops, "     \
    "bytes, compute_spec, calls, nested_calls, kernel_details, kernel_details_short, "          \
    "overlapping_names, overlapping_details, overlapping_details_short, partners_left_out, "    \
    "kernel_us [_mean, _median, _std, _min, _max], tflops ..., tbs ..., per_us ..., host_us "   \
    "..., overlap_pct ...)"

const struct function call_functions[] = {
    {.name = "op_call",
     .call = "op_call(run, trace_id, is_recompute, id, last_id, uid, name_id, op_id, track_id, "
             "kernel_count, kernel_ns, is_nested, metric_id, is_pseudo, model, status, reason, "
             "flops, bytes, flops_bwd, bytes_bwd, compute_spec, category, bwd_category, sheet, "
             "params)",
     .meaning =
         "A table: each selected call of an op that has a model, at every level of the call "
         "tree. kernel_ns is the time covered by all work below it; is_nested is 1 inside "
         "another call of the same sheet, where that time is counted, too. From model on all "
         "is as in op_metric, but kernels, other arguments, the batch of a step and the "
         "forward op are known here; metric_id asks op_metric and op_param with them. A "
         "pseudo op of an extension is a call, too: its id is the first event inside.",
     .kind = FUNCTION_TABLE,
     .module = &call_module},
    {.name = "roofline_row",
     .call = "roofline_row" GROUP_CALL,
     .meaning = "A table: calls of ops with a model, and their backward passes, by name and shown "
                "parameters, with the option group_by_num_kernels also by the number of kernels. "
                "sheet is where they are shown; id and uid are of the first call, and pseudo its "
                "number if it is a pseudo op. Of each figure "
                "there are sum, mean, median, std, min and max over the calls: kernel_us, the time "
                "covered by the work below a call; tflops (TFLOP/s), tbs (TB/s), per_us (1 / time) "
                "and host_us. With the option include_overlap_info also what ran beside that "
                "work, as in launcher_work: overlapping_names of the first call, the rest of all; "
                "and all rows once more, by "
                "overlapping_names, too, on sheets named ..._kl_overlap.",
     .kind = FUNCTION_TABLE,
     .module = &call_module},
    {.name = "collected_row",
     .call = "collected_row" GROUP_CALL,
     .meaning = "A table: calls in which each piece of accelerator work but collectives is counted "
                "once, by name, category, arguments and thread: the outermost call with a model, "
                "else what launched it. Work that is in no such call stands for itself: name_id is "
                "then what launched it, kernel_name_id the work. Figures as in roofline_row.",
     .kind = FUNCTION_TABLE,
     .module = &call_module},
    {.name = "collected_overlap_row",
     .call = "collected_overlap_row" GROUP_CALL,
     .meaning = "A table: collected_row, by overlapping_names, too.",
     .kind = FUNCTION_TABLE,
     .module = &call_module},
    {.name = "modelled_time",
     .call = "modelled_time(run, trace_id, modelled_ns)",
     .meaning = "A table: of each selected trace the time covered by work below calls whose model "
                "could be used.",
     .kind = FUNCTION_TABLE,
     .module = &call_module},
    {0},
};
