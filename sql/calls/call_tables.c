/* call_tables: what models and the host's side say about the calls of selected traces.
 *
 *     op_call         a row for each call of an op with a model
 *     roofline_row    such calls, and their backward passes, by name and shown parameters
 *     collected_row   calls in which each GPU activity is counted once, by arguments
 *     collected_time  only the times of collected calls, by name and arguments
 *     collected_overlap_row  the same by what ran beside their work, too
 *     modelled_time   of each trace the time covered by work that has a model
 *
 *     SELECT name_id, flops / kernel_ns FROM op_call WHERE kernel_ns > 0
 *     SELECT sheet, sum(kernel_us) FROM roofline_row GROUP BY sheet
 *
 * They share one reading of the selection (call_rows.h), which the connection keeps: several
 * reports in a row pay for it once. Only collected_time reads for itself, and less.
 */
#include "sql/binding/function.h"
#include "sql/binding/table.h"
#include "sql/calls/call_rows.h"
#include "sql/database.h"
#include "src/base/deviation.h"

#include <math.h>
#include <string.h>

/* Parts of a row: a call, or the first one of a group; ENTRY is its model's answer. */
enum { CALL, TRACE, ENTRY, CATEGORY, COUNTED, GROUPS };

#define OF_CALL(kind, member) TABLE_AT(kind, CALL, struct call, member)
#define GIVEN(function)       .origin = TABLE_GIVEN, .give = (function)
#define FROM_MODEL(function)  .origin = TABLE_GIVEN, .part = ENTRY, .give = (function)
#define RUN_AND_TRACE(number)                                                                      \
    {"run", "name of the run", TABLE_AT(TEXT, number, struct call_trace, run), .role = TABLE_RUN}, \
    {                                                                                              \
        "trace_id", "id of the trace", TABLE_AT(INT64, number, struct call_trace, id),             \
            .role = TABLE_TRACE                                                                    \
    }
/* The same of rows that are read: queries may group by them. */
#define RUN_AND_TRACE_READ(number)                                                                 \
    {"run", "name of the run", TABLE_AT(WORD, number, struct call_trace, run), .role = TABLE_RUN}, \
    {                                                                                              \
        "trace_id", "id of the trace", TABLE_AT(INT64, number, struct call_trace, id),             \
            .role = TABLE_TRACE                                                                    \
    }
#define RECOMPUTE                                                                           \
    {                                                                                       \
        "is_recompute", "whether the call recomputes activations; NULL when not asked for", \
            OF_CALL(INT8, recompute)                                                        \
    }

/* ------------------------------------------------------------------ calls */

static bool find_call(struct table_cursor *cursor, size_t index)
{
    const struct call_rows *rows = cursor->reading;
    const struct call *call = &rows->calls.items[index];
    cursor->parts[TRACE] = &rows->traces.items[call->trace];
    cursor->parts[ENTRY] = call->entry;
    return call->entry != NULL;
}

static void give_ns(sqlite3_context *out, const struct call_rows *rows, int64_t parts)
{
    if (like_reference(rows->compat, "times: fractions of a microsecond"))
        sqlite3_result_double(out, (double)parts * 1000 / rows->parts);
    else
        sqlite3_result_int64(out, parts);
}

static int give_busy(sqlite3_context *out, struct table_cursor *cursor)
{
    give_ns(out, cursor->reading, ((const struct call *)cursor->parts[CALL])->busy);
    return SQLITE_OK;
}

static int give_is_pseudo(sqlite3_context *out, struct table_cursor *cursor)
{
    sqlite3_result_int(out, ((const struct call *)cursor->parts[CALL])->pseudo != 0);
    return SQLITE_OK;
}

/* The model's answer; a backward op without a model takes the answer for its forward op. */
static int give_entry(sqlite3_context *out, struct table_cursor *cursor)
{
    static const enum op_figure backward[] = {
        [OP_FLOPS] = OP_FLOPS_BWD, [OP_BYTES] = OP_BYTES_BWD, [OP_CATEGORY] = OP_CATEGORY_BWD};
    const struct call *call = cursor->parts[CALL];
    enum op_figure figure = (enum op_figure)cursor->column->offset;
    if (!call->is_backward)
        op_entry_give(call->entry, figure, out);
    else if (figure == OP_FLOPS || figure == OP_BYTES || figure == OP_CATEGORY)
        op_entry_give(call->entry, backward[figure], out);
    else if (figure == OP_MODEL || figure == OP_STATUS || figure == OP_SPEC || figure == OP_PARAMS)
        op_entry_give(call->entry, figure, out);
    return SQLITE_OK;
}

static const struct table_column call_columns[] = {
    RUN_AND_TRACE_READ(TRACE),
    RECOMPUTE,
    {"id", "id of the event; of a pseudo op the first event inside", OF_CALL(INT64, id)},
    {"last_id", "id of the last descendant", OF_CALL(INT64, last)},
    {"uid", "place in the file", OF_CALL(INT64, uid)},
    {"name_id", "id of the name of the op", OF_CALL(INT64, name)},
    {"op_id", "call signature of the op", OF_CALL(ID, op)},
    {"track_id", "thread of the call", OF_CALL(INT64, track)},
    {"kernel_count", "GPU activities below the call", OF_CALL(UINT32, count)},
    {"kernel_ns", "GPU busy time below the call", GIVEN(give_busy), .type = ""},
    {"is_nested",
     "whether the call is inside another call of the same sheet, which counts the time, too",
     OF_CALL(BOOL, is_nested)},
    {"is_outermost",
     "whether the model could be used, and the call is inside no other call with a usable model",
     OF_CALL(BOOL, is_outermost)},
    {"metric_id",
     "asks op_metric and op_param with all that is known of the call: kernels, other arguments, "
     "the batch of a step, the forward op",
     TABLE_AT(INT64, ENTRY, struct op_entry, metric_id)},
    {"is_pseudo", "whether the call is a pseudo op of an extension", GIVEN(give_is_pseudo)},
    OP_FIGURE_COLUMNS(give_entry),
    {0},
};

static const struct table calls = {
    TABLE_ROWS(call_columns, 1e6, 1e4, call_rows_reading, struct call_rows, calls),
    .row = find_call,
};

/* ------------------------------------------------------------------ time with a model */

static int give_modelled(sqlite3_context *out, struct table_cursor *cursor)
{
    give_ns(out, cursor->reading, ((const struct call_trace *)cursor->parts[0])->modelled);
    return SQLITE_OK;
}

static const struct table_column time_columns[] = {
    RUN_AND_TRACE(0),
    {"modelled_ns", "GPU busy time below calls whose model could be used", GIVEN(give_modelled),
     .type = ""},
    {0},
};

static const struct table modelled_time = {
    TABLE_ROWS(time_columns, 1e6, 1e4, call_rows_reading, struct call_rows, traces)};

/* ------------------------------------------------------------------ groups of calls */

struct group_cursor {
    struct table_cursor base;
    struct call_groups groups;
    struct kernel_details details;
    struct text whole, brief; /* of the group in hand, when made */
    struct text beside, beside_brief;
    bool has_details, has_beside;
    sqlite3_stmt *names;
};

static bool has_option(const struct table_cursor *cursor, const char *name)
{
    return context_get(table_context(cursor), name) != NULL;
}

static void make_groups(struct table_cursor *base, enum call_report report, bool by_overlap)
{
    struct call_groups *groups = &((struct group_cursor *)base)->groups;
    call_groups_free(groups);
    call_groups_make(groups, base->reading, report, has_option(base, "group-by-num-kernels"),
                     by_overlap);
}

static int start_roofline(struct table_cursor *cursor, const struct table_wish *wish,
                          struct error *error)
{
    (void)wish, (void)error;
    make_groups(cursor, CALLS_ROOFLINE, false);
    return SQLITE_OK;
}

static int start_collected(struct table_cursor *cursor, const struct table_wish *wish,
                           struct error *error)
{
    (void)wish, (void)error;
    make_groups(cursor, CALLS_COLLECTED, false);
    return SQLITE_OK;
}

static int start_overlap(struct table_cursor *cursor, const struct table_wish *wish,
                         struct error *error)
{
    (void)wish, (void)error;
    make_groups(cursor, CALLS_COLLECTED, true);
    return SQLITE_OK;
}

static int next_group(struct table_cursor *base)
{
    struct group_cursor *cursor = (struct group_cursor *)base;
    const struct call_rows *rows = base->reading;
    bool found = false;

    /* Rooflines come once more, on sheets that part calls by what ran beside them. */
    struct call_groups *groups = &cursor->groups;
    call_groups_next(groups, &found);
    if (!(found || groups->by_overlap || groups->report != CALLS_ROOFLINE ||
          !has_option(&cursor->base, "include-overlap-info"))) {
        make_groups(&cursor->base, CALLS_ROOFLINE, true);
        call_groups_next(groups, &found);
    }
    base->at_end = !found;
    if (base->at_end)
        return SQLITE_OK;
    const struct call *first = cursor->groups.first;
    if (like_reference(rows->compat, "unified_perf_summary: what ran beside calls") &&
        cursor->groups.report == CALLS_COLLECTED) {
        /* The reference rounds how much ran beside collected calls; one call deviates by nothing.
         */
        struct call_figures *figures = &cursor->groups.overlap;
        double *const values[] = {&figures->mean, &figures->median, &figures->deviation,
                                  &figures->least, &figures->most};
        if (figures->count == 1)
            figures->deviation = 0;
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            *values[i] = rint(*values[i] * 100) / 100;
    }
    cursor->has_details = cursor->has_beside = false;
    base->rowid++;
    base->parts[CALL] = first;
    base->parts[TRACE] = &rows->traces.items[first->trace];
    base->parts[ENTRY] = first->has_model ? first->entry : NULL;
    base->parts[CATEGORY] = first->category ? &rows->categories.items[first->category - 1] : NULL;
    base->parts[COUNTED] = cursor->groups.by_kernels ? first : NULL;
    base->parts[GROUPS] = &cursor->groups;
    return SQLITE_OK;
}

/* The reference puts backward ops that it knows by name behind the rows of their sheet, and leaves
 * others among the forward ones. Reports about served models have no sheets of backward ops. */
static bool is_moved(const struct call_rows *rows, const struct call *call)
{
    static const char *const names[] = {"flash_attn::_flash_attn_varlen_backward",
                                        "aten::convolution_backward", "ConvBias_Backward",
                                        "ConvBiasReLU_Backward"};
    const struct model *model = rows->models.items[call->model - 1].model;
    if (rows->inference)
        return false;
    if (like_reference(rows->compat, "rooflines: backward ops"))
        return VIEW_IS_AMONG(view_of(model->op), names);
    return model->category && text_ends_with(model->category, "_bwd");
}

static int give_sheet(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct call_rows *rows = cursor->reading;
    const struct call_groups *groups = cursor->parts[GROUPS];
    const struct call *call = cursor->parts[CALL];
    const struct call_model *model = call->model ? &rows->models.items[call->model - 1] : NULL;
    if (!model)
        return SQLITE_OK;
    bool is_backward = call->is_backward || is_moved(rows, call);
    char *sheet = database_format("%s%s%s", model->sheet,
                                  model->is_whole ? ""
                                  : is_backward   ? "_bwd"
                                                  : "_fwd",
                                  groups->by_overlap ? "_kl_overlap" : "");
    sqlite3_result_text(out, sheet, -1, SQLITE_TRANSIENT);
    memory_free(sheet);
    return SQLITE_OK;
}

static int give_appended(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct call_rows *rows = cursor->reading;
    const struct call *call = cursor->parts[CALL];
    sqlite3_result_int(out, like_reference(rows->compat, "rooflines: backward ops") &&
                                call->model && !call->is_backward && is_moved(rows, call));
    return SQLITE_OK;
}

static const struct outcome *outcome_of(const struct table_cursor *cursor)
{
    return &((const struct op_entry *)cursor->parts[ENTRY])->outcome;
}

static int give_status(sqlite3_context *out, struct table_cursor *cursor)
{
    op_give_text(out, outcome_names[outcome_of(cursor)->status]);
    return SQLITE_OK;
}

static int give_reason(sqlite3_context *out, struct table_cursor *cursor)
{
    if (outcome_of(cursor)->status != OUTCOME_OK)
        op_give_text(out, outcome_of(cursor)->reason.items);
    return SQLITE_OK;
}

static int give_params(sqlite3_context *out, struct table_cursor *cursor)
{
    if (outcome_of(cursor)->status <= OUTCOME_NO_BYTES)
        op_give_text(out, outcome_of(cursor)->shown.items);
    return SQLITE_OK;
}

static int give_flops(sqlite3_context *out, struct table_cursor *cursor)
{
    op_give_figure(out, call_flops(cursor->parts[CALL]));
    return SQLITE_OK;
}

static int give_bytes(sqlite3_context *out, struct table_cursor *cursor)
{
    op_give_figure(out, call_bytes(cursor->parts[CALL]));
    return SQLITE_OK;
}

static int give_spec(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct op_entry *entry = ((const struct call *)cursor->parts[CALL])->entry;
    if (entry && entry->outcome.status <= OUTCOME_NO_BYTES)
        op_give_text(out, entry->outcome.spec.items);
    return SQLITE_OK;
}

static int give_calls(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct call_groups *groups = cursor->parts[GROUPS];
    sqlite3_result_int64(out, (int64_t)(groups->to - groups->from));
    return SQLITE_OK;
}

static int give_order_key(sqlite3_context *out, struct table_cursor *base)
{
    const struct group_cursor *cursor = (const struct group_cursor *)base;
    const struct call *first = cursor->groups.first;
    sqlite3_result_int64(out, like_reference(cursor->groups.rows->compat, "calls: the first ones")
                                  ? first->uid
                                  : first->start);
    return SQLITE_OK;
}

/* The texts of the kernels of a group, or of what ran beside them. */
static int make_texts(struct group_cursor *cursor,
                      void (*list)(const struct call_groups *, struct kernel_details *),
                      struct text *whole, struct text *brief, bool *has_them)
{
    if (*has_them)
        return SQLITE_OK;
    text_clear(whole);
    text_clear(brief);
    int result = cursor->names ? SQLITE_OK
                               : database_prepare(table_db(&cursor->base), KERNEL_DETAILS_NAMES,
                                                  &cursor->names, NULL);
    cursor->details.by_place =
        like_reference(cursor->groups.rows->compat, "kernel details: names and figures");
    if (result == SQLITE_OK) {
        list(&cursor->groups, &cursor->details);
        if (!kernel_details_write(&cursor->details, cursor->names, whole, brief))
            result = SQLITE_NOMEM;
    }
    cursor->has_details = false; /* the list of kernels is for these */
    *has_them = result == SQLITE_OK;
    return result;
}

/* The text at the column's offset in the cursor. */
static int give_details(sqlite3_context *out, struct table_cursor *base)
{
    struct group_cursor *cursor = (struct group_cursor *)base;
    const struct text *text =
        (const struct text *)(const void *)((const char *)base + base->column->offset);
    int result = make_texts(cursor, call_groups_details, &cursor->whole, &cursor->brief,
                            &cursor->has_details);
    if (result == SQLITE_OK && (text == &cursor->whole || cursor->details.calls.count))
        op_give_text(out, text->items);
    return result;
}

static int give_beside(sqlite3_context *out, struct table_cursor *base)
{
    struct group_cursor *cursor = (struct group_cursor *)base;
    const struct text *text =
        (const struct text *)(const void *)((const char *)base + base->column->offset);
    if (!cursor->groups.overlap.count)
        return SQLITE_OK;
    int result = make_texts(cursor, call_groups_beside, &cursor->beside, &cursor->beside_brief,
                            &cursor->has_beside);
    if (result == SQLITE_OK)
        op_give_text(out, text->items);
    return result;
}

/* The names of what ran beside the first call. */
static int give_beside_names(sqlite3_context *out, struct table_cursor *base)
{
    struct group_cursor *cursor = (struct group_cursor *)base;
    const struct call_beside *beside = call_groups_first_beside(&cursor->groups);
    struct text list = {0};
    if (!beside)
        return SQLITE_OK;
    int result = SQLITE_OK;
    text_add_byte(&list, '[');
    bool done = true;
    for (size_t i = 0; i < beside->count && done; i++) {
        const char *name;
        result =
            database_find_text(table_db(base), &cursor->names, KERNEL_DETAILS_NAMES,
                               cursor->groups.rows->partners.items[beside->first + i].name, &name);
        done = result == SQLITE_OK;
        if (done) {
            if (i != 0)
                text_add_byte(&list, ',');
            text_add_json(&list, view_of(name));
        }
    }
    if (done) {
        text_add_byte(&list, ']');
        sqlite3_result_text64(out, list.items, list.count, SQLITE_TRANSIENT, SQLITE_UTF8);
    }
    text_free(&list);
    return result;
}

#define OF_GROUP(kind, member) TABLE_AT(kind, GROUPS, struct call_groups, member)
#define FIGURES(prefix, member, words, of)                                                       \
    {prefix, "sum of the " words, OF_GROUP(REAL, member.sum), .unit = (of)},                     \
        {prefix "_mean", "mean of the " words, OF_GROUP(REAL, member.mean), .unit = (of)},       \
        {prefix "_median", "median of the " words, OF_GROUP(REAL, member.median), .unit = (of)}, \
        {prefix "_std", "standard deviation of the " words, OF_GROUP(REAL, member.deviation),    \
         .unit = (of)},                                                                          \
        {prefix "_min", "minimum of the " words, OF_GROUP(REAL, member.least), .unit = (of)},    \
    {                                                                                            \
        prefix "_max", "maximum of the " words, OF_GROUP(REAL, member.most), .unit = (of)        \
    }

static const struct table_column group_columns[] = {
    RUN_AND_TRACE(TRACE),
    RECOMPUTE,
    {"num_kernels", "GPU activities of each call, with --group-by-num-kernels, else NULL",
     TABLE_AT(UINT32, COUNTED, struct call, count)},
    {"sheet", "sheet of the calls: NAME_fwd, NAME_bwd or NAME", GIVEN(give_sheet), .type = "TEXT"},
    {"is_appended", "whether reports with compat put the row behind the rows of its sheet",
     GIVEN(give_appended)},
    {"row_id", "place of the row in the table, from 1", .origin = TABLE_PLACE},
    {"id", "id of the first call", OF_CALL(INT64, id)},
    {"pseudo", "number of the first call, for a pseudo op", OF_CALL(COUNT, pseudo)},
    {"uid", "place of the first call in the file", OF_CALL(INT64, uid)},
    {"order_key",
     "start of the first call, with compat its uid: for the order of rows that are else equal",
     GIVEN(give_order_key)},
    {"name_id", "name of the calls; of a GPU activity without an op, name of its launch",
     OF_CALL(INT64, name)},
    {"kernel_name_id", "name of the GPU activity, where the row has no op",
     OF_CALL(ID, kernel_name)},
    {"category", "category of collected calls, as in launcher_work", .origin = TABLE_TEXT,
     .part = CATEGORY},
    {"op_id", "call signature of the first call", OF_CALL(ID, op)},
    {"track_id", "thread of the call", OF_CALL(INT64, track)},
    {"has_model", "whether the calls have a model", OF_CALL(BOOL, has_model)},
    {"status", "status of the model: ok, no_bytes (only FLOPs are known), fail or skip",
     FROM_MODEL(give_status), .type = "TEXT"},
    {"reason", "reason for a status other than ok", FROM_MODEL(give_reason), .type = "TEXT"},
    {"params", "arguments that reports show, a JSON object", FROM_MODEL(give_params),
     .type = "TEXT"},
    {"flops", "floating-point operations of a call, of its pass", GIVEN(give_flops), .type = ""},
    {"bytes", "bytes that a call has to move", GIVEN(give_bytes), .type = ""},
    {"compute_spec", "kind of peak that bounds a call", GIVEN(give_spec), .type = "TEXT"},
    {"calls", "number of calls", GIVEN(give_calls)},
    {"nested_calls", "calls inside another call of the same sheet", OF_GROUP(INT64, nested)},
    {"kernel_details", "kernels of the calls with figures, JSON", GIVEN(give_details),
     .offset = offsetof(struct group_cursor, whole), .type = "TEXT"},
    {"kernel_details_short", "kernels of the calls with figures, in short", GIVEN(give_details),
     .offset = offsetof(struct group_cursor, brief), .type = "TEXT"},
    {"overlapping_names",
     "names of GPU activities beside the first call, a JSON array, with the option "
     "include-overlap-info",
     GIVEN(give_beside_names), .type = "TEXT"},
    {"overlapping_details", "GPU activities beside all calls, as kernel_details",
     GIVEN(give_beside), .offset = offsetof(struct group_cursor, beside), .type = "TEXT"},
    {"overlapping_details_short", "GPU activities beside all calls, in short", GIVEN(give_beside),
     .offset = offsetof(struct group_cursor, beside_brief), .type = "TEXT"},
    {"partners_not_examined", "number of overlapping GPU activities not examined",
     OF_GROUP(INT64, not_examined)},
    FIGURES("kernel_us", kernel_us, "GPU busy time below a call", "us"),
    FIGURES("tflops", tflops, "achieved TFLOP/s of a call", "TFLOP/s"),
    FIGURES("tbs", tbs, "achieved TB/s of a call", "TB/s"),
    FIGURES("per_us", per_us, "inverse GPU busy time below a call", "1/us"),
    FIGURES("host_us", host_us, "host duration of a call", "us"),
    FIGURES("overlap_pct", overlap, "overlapped part of the GPU busy time of a call, as a fraction",
            ""),
    {0},
};

static const struct table_column times_columns[] = {
    RUN_AND_TRACE(TRACE),
    RECOMPUTE,
    {"name_id", "name of the calls; of a GPU activity without an op, name of its launch",
     OF_CALL(INT64, name)},
    {"kernel_name_id", "name of the GPU activity, where the row has no op",
     OF_CALL(ID, kernel_name)},
    {"op_id", "call signature", OF_CALL(ID, op)},
    {"calls", "number of calls", GIVEN(give_calls)},
    {"kernel_us", "GPU busy time below a call, summed up", OF_GROUP(REAL, kernel_us.sum),
     .unit = "us"},
    {0},
};

static const struct table times = {
    TABLE_MADE(times_columns, 1e6, 1e4, struct group_cursor, start_collected, next_group, NULL),
    .reading = &call_times_reading,
};

#define GROUP_TABLE(start)                                                                 \
    {                                                                                      \
        TABLE_MADE(group_columns, 1e6, 1e4, struct group_cursor, start, next_group, NULL), \
            .reading = &call_rows_reading                                                  \
    }

static const struct table rooflines = GROUP_TABLE(start_roofline);
static const struct table collected = GROUP_TABLE(start_collected);
static const struct table collected_overlap = GROUP_TABLE(start_overlap);

const struct function call_functions[] = {
    TABLE("op_call", calls,
          "A table: each selected call of an op that has a model, at every level of the call tree. "
          "From model on all is as in op_metric, but kernels, other arguments, the batch of a step "
          "and the forward op are known here. A pseudo op of an extension is a call, too."),
    TABLE("roofline_row", rooflines,
          "A table: calls of ops with a model, and their backward passes, by name and shown "
          "parameters, with --group-by-num-kernels also by the number of kernels. With "
          "--include-overlap-info also what ran beside their work, as in launcher_work; and all "
          "rows once more, by overlapping_names, too, on sheets named ..._kl_overlap."),
    TABLE("collected_row", collected,
          "A table: calls in which each GPU activity but collectives is counted once, by name, "
          "category, arguments and thread: the outermost call with a model, else what launched it. "
          "Work that is in no such call stands for itself."),
    TABLE("collected_time", times,
          "A table: calls and time of collected_row alone, by name and arguments. It costs less "
          "than that, and is read anew by each query."),
    TABLE("collected_overlap_row", collected_overlap,
          "A table: collected_row, by overlapping_names, too."),
    TABLE("modelled_time", modelled_time,
          "A table: of each selected trace the time covered by work below calls whose model could "
          "be used."),
    {0},
};

/* call_work: the GPU activities of each row of collected_row.
 *
 *     collected_work  a row for each piece of it
 *
 *     SELECT row_id, count(*) FROM collected_work GROUP BY row_id
 *
 * It groups calls as collected_row does, so that rows have the same numbers. */

enum { CURSOR = CALL, KERNEL = ENTRY }; /* parts in their places */

struct work_cursor {
    struct table_cursor base;
    struct call_groups groups;
    int64_t row;     /* of collected_row */
    size_t call;     /* in hand: its place in the order of groups */
    uint32_t kernel; /* the next one of it */
};

static int start(struct table_cursor *base, const struct table_wish *wish, struct error *error)
{
    (void)wish, (void)error;
    struct work_cursor *cursor = (struct work_cursor *)base;
    call_groups_make(&cursor->groups, base->reading, CALLS_COLLECTED, false, false);
    return SQLITE_OK;
}

/* The call in hand; NULL behind the last one of its group. */
static const struct call *call_in_hand(const struct work_cursor *cursor)
{
    const struct call_groups *groups = &cursor->groups;
    return cursor->call < groups->to ? groups->calls.items[groups->groups.order[cursor->call]]
                                     : NULL;
}

static int next(struct table_cursor *base)
{
    struct work_cursor *cursor = (struct work_cursor *)base;
    const struct call_rows *rows = base->reading;
    const struct call *call = call_in_hand(cursor);
    bool found = true;
    while (found && (!call || cursor->kernel == call->count)) {
        cursor->kernel = 0;
        cursor->call += call != NULL;
        if (!call) {
            call_groups_next(&cursor->groups, &found);
            cursor->call = cursor->groups.from;
            cursor->row++;
        }
        call = found ? call_in_hand(cursor) : NULL;
    }
    base->at_end = !found;
    if (!found)
        return SQLITE_OK;
    base->rowid++;
    base->parts[CURSOR] = cursor;
    base->parts[TRACE] = &rows->traces.items[call->trace];
    base->parts[KERNEL] = call_rows_kernel(rows, call, cursor->kernel++);
    return SQLITE_OK;
}

static const struct table_column columns[] = {
    {"run", "name of the run", TABLE_AT(TEXT, TRACE, struct call_trace, run), .role = TABLE_RUN},
    {"trace_id", "id of the trace", TABLE_AT(INT64, TRACE, struct call_trace, id),
     .role = TABLE_TRACE},
    {"row_id", "row of collected_row that the GPU activity belongs to",
     TABLE_AT(INT64, CURSOR, struct work_cursor, row)},
    {"id", "id of the GPU activity", TABLE_AT(INT64, KERNEL, struct call_kernel, id)},
    {0},
};

static const struct table work = {
    TABLE_MADE(columns, 1e6, 1e4, struct work_cursor, start, next, NULL),
    .reading = &call_rows_reading,
};

const struct function call_work_functions[] = {
    TABLE("collected_work", work,
          "A table: the GPU activities of the calls of each row of collected_row."),
    {0},
};
