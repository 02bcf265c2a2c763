/* scope: the selection and the options of a connection, as SQL sees them.
 *
 *     scope                   a table: run, trace_id, first_event, last_event, is_recompute
 *     scope_time              a table: trace_id, first_ns, last_ns
 *     scope_around            a table like scope
 *
 *     SELECT run, trace_id FROM scope                 every trace, or what the program selected
 *
 * Every report is FROM scope CROSS JOIN a narrow table ON id BETWEEN first_event AND last_event:
 * what is not selected is not even looked at. Without a selection scope lists the traces of the
 * database; `=` on run and trace_id is used to narrow that list. is_recompute is NULL unless the
 * selection was parted into what recomputes activations (1) and what does not (0).
 *
 * Where steps or signposts are chosen, scope_time has their windows, for what are no events:
 * samples belong to the window that they fall into. A trace that has none there is chosen whole.
 * scope_around has all that is selected of traces with windows but for these: there are the GPU
 * activities that run in a window, whoever launched them.
 */
#include "sql/binding/function.h"
#include "sql/binding/options.h"
#include "sql/binding/table.h"
#include "sql/database.h"
#include "src/base/language.h"
#include "src/base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scope_cursor {
    struct table_cursor base;
    struct selected row;  /* in hand */
    sqlite3_stmt *traces; /* without a selection */
    size_t next;          /* with one: the place of the next row */
    uint32_t *order;      /* its rows by run, trace and is_recompute; NULL = as they are */
    char *run;            /* wanted; NULL = any */
    bool narrow_trace;
    sqlite3_int64 trace_id;
    bool is_empty; /* nothing equals NULL */
};

static bool is_wanted(const struct scope_cursor *cursor, const struct selected *row)
{
    return (!cursor->run || strcmp(cursor->run, row->run) == 0) &&
           (!cursor->narrow_trace || cursor->trace_id == row->trace_id);
}

static int compare_selected(const void *left, const void *right, void *context)
{
    const struct selected *rows = context;
    uint32_t first = *(const uint32_t *)left, second = *(const uint32_t *)right;
    const struct selected *a = &rows[first], *b = &rows[second];
    int order = strcmp(a->run, b->run);
    if (order == 0)
        order = (a->trace_id > b->trace_id) - (a->trace_id < b->trace_id);
    if (order == 0)
        order = (a->is_recompute > b->is_recompute) - (a->is_recompute < b->is_recompute);
    return order ? order : (first > second) - (first < second);
}

#define TRACES_BY                                                                         \
    "SELECT run.name, trace.id, first_event, last_event FROM trace JOIN run ON run.id = " \
    "trace.run_id WHERE (?1 IS NULL OR run.name = ?1) AND (?2 IS NULL OR trace.id = ?2) " \
    "ORDER BY "

static int scope_start(struct table_cursor *base, const struct table_wish *wish,
                       struct error *error)
{
    (void)error;
    struct scope_cursor *cursor = (struct scope_cursor *)base;
    sqlite3_value *run = wish->keys[0], *trace = wish->keys[1];
    if (run) {
        const unsigned char *name = sqlite3_value_text(run);
        cursor->is_empty = !name;
        cursor->run = name ? memory_text((const char *)name) : NULL;
    }
    if (trace) {
        int type = sqlite3_value_numeric_type(trace);
        cursor->is_empty |= type == SQLITE_NULL;
        cursor->narrow_trace = type == SQLITE_INTEGER; /* anything else SQLite compares itself */
        cursor->trace_id = sqlite3_value_int64(trace);
    }
    if (cursor->is_empty)
        return SQLITE_OK;
    if (!wish->context->is_selected) {
        int result = database_prepare(
            wish->db, wish->in_order ? TRACES_BY "run.name, trace.id" : TRACES_BY "trace.id",
            &cursor->traces, NULL);
        if (result != SQLITE_OK)
            return result;
        if (cursor->run)
            sqlite3_bind_text(cursor->traces, 1, cursor->run, -1, SQLITE_STATIC);
        if (cursor->narrow_trace)
            sqlite3_bind_int64(cursor->traces, 2, cursor->trace_id);
        return SQLITE_OK;
    }
    if (wish->in_order) {
        const struct context *context = wish->context;
        size_t count = context->selection.count;
        cursor->order = memory_list(count + 1, sizeof *cursor->order);
        for (size_t i = 0; i < count; i++)
            cursor->order[i] = (uint32_t)i;
        qsort_r(cursor->order, count, sizeof *cursor->order, compare_selected,
                context->selection.items);
    }
    return SQLITE_OK;
}

static int next(struct table_cursor *base)
{
    struct scope_cursor *cursor = (struct scope_cursor *)base;
    const struct context *context = table_context(base);
    if (cursor->traces) {
        int result = sqlite3_step(cursor->traces);
        cursor->base.at_end = result != SQLITE_ROW;
        if (result != SQLITE_ROW)
            return result == SQLITE_DONE ? SQLITE_OK : result;
        cursor->row = (struct selected){
            .run = (char *)(uintptr_t)sqlite3_column_text(cursor->traces, 0),
            .trace_id = sqlite3_column_int64(cursor->traces, 1),
            .first_event = sqlite3_column_int64(cursor->traces, 2),
            .last_event = sqlite3_column_int64(cursor->traces, 3),
            .is_recompute = -1,
        };
        cursor->base.parts[0] = &cursor->row;
        cursor->base.rowid = cursor->row.trace_id;
        return SQLITE_OK;
    }
    base->at_end = true;
    while (base->at_end && !cursor->is_empty && cursor->next < context->selection.count) {
        size_t place = cursor->order ? cursor->order[cursor->next] : cursor->next;
        cursor->row = context->selection.items[place];
        base->parts[0] = &cursor->row;
        base->rowid = (sqlite3_int64)place + 1;
        base->at_end = !is_wanted(cursor, &cursor->row);
        cursor->next++;
    }
    return SQLITE_OK;
}

static int give_recompute(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct selected *row = cursor->parts[0];
    if (row->is_recompute >= 0)
        sqlite3_result_int(out, row->is_recompute);
    return SQLITE_OK;
}

/* Reports group by run, trace and is_recompute: when the rows come in that order, nothing behind
 * them needs to be sorted. */
#define OF_RANGE(kind, member) TABLE_AT(kind, 0, struct selected, member)

static const struct table_column columns[] = {
    {"run", "name of the run", OF_RANGE(TEXT, run), .role = TABLE_KEY | TABLE_ORDER},
    {"trace_id", "id of the trace", OF_RANGE(INT64, trace_id), .role = TABLE_KEY | TABLE_ORDER},
    {"first_event", "first event id of the range", OF_RANGE(INT64, first_event)},
    {"last_event", "last event id of the range", OF_RANGE(INT64, last_event)},
    {"is_recompute", "whether the range recomputes activations; NULL when that was not asked for",
     .origin = TABLE_GIVEN, .give = give_recompute, .role = TABLE_ORDER},
    {0},
};

static const struct table scope = {
    TABLE_MADE(columns, 100, 1, struct scope_cursor, scope_start, next, NULL)};

static int next_time(struct table_cursor *base)
{
    const struct context *context = table_context(base);
    base->at_end = (size_t)base->rowid >= context->times.count;
    if (!base->at_end)
        base->parts[0] = &context->times.items[base->rowid++];
    return SQLITE_OK;
}

#define OF_TIME(member) TABLE_AT(INT64, 0, struct selected_time, member)

static const struct table_column time_columns[] = {
    {"trace_id", "id of the trace", OF_TIME(trace_id)},
    {"first_ns", "start of the window, from the start of the trace", OF_TIME(first_ns)},
    {"last_ns", "end of the window, from the start of the trace", OF_TIME(last_ns)},
    {0},
};

static const struct table scope_time = {
    .columns = time_columns,
    .all = 10,
    .found = 1,
    .next = next_time,
};

static int next_around(struct table_cursor *base)
{
    const struct context *context = table_context(base);
    base->at_end = (size_t)base->rowid >= context->around.count;
    if (!base->at_end)
        base->parts[0] = &context->around.items[base->rowid++];
    return SQLITE_OK;
}

static const struct table_column around_columns[] = {
    {"run", "name of the run", OF_RANGE(TEXT, run)},
    {"trace_id", "id of the trace", OF_RANGE(INT64, trace_id)},
    {"first_event", "first event id of the range", OF_RANGE(INT64, first_event)},
    {"last_event", "last event id of the range", OF_RANGE(INT64, last_event)},
    {"is_recompute", "whether the range recomputes activations; NULL when that was not asked for",
     .origin = TABLE_GIVEN, .give = give_recompute},
    {0},
};

static const struct table scope_around = {
    .columns = around_columns, .all = 10, .found = 1, .next = next_around};

const struct function scope_functions[] = {
    TABLE("scope", scope,
          "A table: the ranges of event ids that are selected, one row each. Without a selection "
          "every trace of the database. is_recompute tells whether a range recomputes activations; "
          "NULL when that was not asked for."),
    TABLE("scope_time", scope_time,
          "A table: the windows of time that steps and signposts stand for where they are chosen, "
          "for what are no events: samples of counters. A trace without a row is chosen whole."),
    TABLE(
        "scope_around", scope_around,
        "A table: like scope, all that is selected of traces with windows but for these: what may "
        "run in a window, whoever launched it."),
    {0},
};

/* selected_run: which runs a connection sees, for clients that have no --run.
 *
 *     tpq_select(run)    scope and all views have this run alone from now on; NULL: all runs
 *
 *     SELECT tpq_select('tuned')      -> the number of its traces
 *
 * A condition `run = 'tuned'` on a view gives the same rows, but a view that ranks or keeps
 * something reads all runs for it. */

static SQL_FUNCTION(select_run)
{
    struct context *selected = function_context(context);
    sqlite3 *db = sqlite3_context_db_handle(context);
    int64_t traces = 0;
    bool is_all = sqlite3_value_type(arguments[0]) == SQLITE_NULL;
    if (selected->cursors) {
        sqlite3_result_error(context, "tpq_select: a statement is not finished yet", -1);
        return;
    }

    sqlite3_stmt *row = NULL;
    int result = database_prepare(
        db,
        "SELECT run.name, trace.id, first_event, last_event FROM run JOIN trace ON trace.run_id = "
        "run.id WHERE run.name = ?1 OR ?1 IS NULL ORDER BY trace.id",
        &row, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_bind_value(row, 1, arguments[0]);
    if (result == SQLITE_OK)
        context_select_none(selected);
    while (result == SQLITE_OK && (result = sqlite3_step(row)) == SQLITE_ROW) {
        const char *name = database_text(row, 0);
        context_select(selected, name, sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 2),
                       sqlite3_column_int64(row, 3), -1);
        result = SQLITE_OK;
        traces++;
    }
    result = database_end(row, result);
    if (result != SQLITE_OK || is_all || !traces)
        context_select_all(selected);
    if (result != SQLITE_OK)
        function_fail(context, result);
    else if (!traces && !is_all)
        sqlite3_result_error(context, "tpq_select: there is no such run; all are selected", -1);
    else
        sqlite3_result_int64(context, traces);
}

const struct function selected_run_functions[] = {
    SCALAR("tpq_select", "run", 1, SQLITE_DIRECTONLY, select_run,
           "Selects a run for this connection, as --run does, and returns the number of its "
           "traces; NULL selects all. An error when there is no such run, and while another "
           "statement is not finished. Not for use in views."),
    {0},
};

/* options: what a connection is set to.
 *
 *     tpq_option(name)        value of an option
 *     tpq_set(name, value)    sets an option for this connection and returns the value
 *     tpq_like_reference(deviation)    1 when the option compat is set, else 0
 *     param(name)             value of a parameter of an extension file
 *
 *     SELECT tpq_set('limit', 10), tpq_option('limit')                   -> 10, 10
 *
 * An option that was never set, or set to NULL, has its default (binding/options.h), else NULL. An
 * extension's own options may have any name that is not nearly that of another one: tpq_set fails
 * on those, on a name that is NULL, and on a value that the option cannot have. It cannot be used
 * in views. */

static void option_get(sqlite3_context *call, int count, sqlite3_value **arguments)
{
    (void)count;
    const struct context *context = function_context(call);
    const char *name = (const char *)sqlite3_value_text(arguments[0]);
    const char *text = name ? context_get(context, name) : NULL;
    if (!text)
        return;
    char *end;
    errno = 0;
    long long integer = strtoll(text, &end, 10);
    bool is_integer = errno == 0 && !*end;
    double real = language_strtod(text, &end);

    /* An option that looks like a number is one, so that views need no casts. The words and the
     * hexadecimal digits that C takes for numbers, too, are texts. */
    if (!(*text && text[strspn(text, "+-.0123456789eE")] == '\0') || *end)
        sqlite3_result_text(call, text, -1, SQLITE_TRANSIENT);
    else if (is_integer)
        sqlite3_result_int64(call, integer);
    else
        sqlite3_result_double(call, real);
}

/* A slip of the fingers would be set, and nobody would read it. */
static const struct view_option *nearly_called(const char *name)
{
    const struct view_option *option = view_options;
    char bare[64];
    size_t length = 0;
    for (; name[length] && length < sizeof bare - 1; length++)
        bare[length] = name[length] == '_' ? '-' : name[length];
    bare[length] = '\0';
    while (option->name && text_distance(bare, option->name) > strlen(option->name) / 4)
        option++;
    return option->name ? option : NULL;
}

static bool check_option(const char *name, const char *text, struct error *error)
{
    const struct view_option *option = view_option_find(name);
    if (option)
        return !text || view_option_accepts(option, text, "tpq_set: ", error);
    option = nearly_called(name);
    return !option ||
           error_set(error, STATUS_USAGE, "tpq_set: there is no option '%.60s'; did you mean %s?",
                     name, option->name);
}

static void option_set(sqlite3_context *call, int count, sqlite3_value **arguments)
{
    (void)count;
    struct context *context = function_context(call);
    const char *name = (const char *)sqlite3_value_text(arguments[0]);
    if (!name) {
        sqlite3_result_error(call, "tpq_set needs the name of an option", -1);
        return;
    }
    char real[40]; /* SQLite's text of a real has 15 digits; 17 read back as the same one */
    bool is_real = sqlite3_value_type(arguments[1]) == SQLITE_FLOAT;
    if (is_real) {
        locale_t before = language_enter();
        snprintf(real, sizeof real, "%.16e", sqlite3_value_double(arguments[1]));
        language_leave(before);
    }
    const char *text = is_real ? real : (const char *)sqlite3_value_text(arguments[1]);
    struct error error = {0};
    if (!check_option(name, text, &error))
        sqlite3_result_error(call, error.text, -1);
    else {
        context_set(context, name, text);
        sqlite3_result_value(call, arguments[1]);
    }
}

static SQL_FUNCTION(like_reference_get)
{
    /* the name is for readers, and for the test that looks for it */
    sqlite3_result_int(context, context_get(function_context(context), "compat") != NULL);
}

static SQL_FUNCTION(param)
{
    const char *name = (const char *)sqlite3_value_text(arguments[0]);
    char *key = name ? database_format("param %s", name) : NULL;
    const char *text = key ? context_get(function_context(context), key) : NULL;
    if (text)
        sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
    memory_free(key);
}

const struct function option_functions[] = {
    SCALAR("tpq_option", "name", 1, SQLITE_INNOCUOUS, option_get,
           "Value of an option of this connection, or its default; tpq describe --options lists "
           "them."),
    SCALAR("tpq_set", "name, value", 2, SQLITE_DIRECTONLY, option_set,
           "Sets an option for this connection and returns the value; NULL sets it back. Not "
           "for use in views; an error when the name is NULL or a slip, or the value wrong."),
    SCALAR("tpq_like_reference", "deviation", 1, SQLITE_INNOCUOUS, like_reference_get,
           "1 when the option compat is set, else 0. The argument names what differs then: a "
           "row of the table deviation, or with : at its end those that begin so."),
    SCALAR("param", "name", 1, SQLITE_INNOCUOUS, param,
           "Value of a parameter of an extension file, a text; NULL when no file has it."),
    {0},
};
