/* bind_kernel_details: what the kernels of many calls of one op have in common.
 *
 *     kernel_details(position, kernels)        JSON: for each kernel of a call its name, stream and
 *                                              the statistics of its durations over all calls
 *     kernel_details_short(position, kernels)  JSON: name, stream, mean; long names cut
 *     kernel_names(kernels)                    the names of the kernels of one call, spaces between
 *     value_at_least(value, key)               the value where the key is least
 *
 *     SELECT kernel_details(position, kernels) FROM launcher_work GROUP BY trace_id, op_id
 *
 * Kernels of one name and stream stand together, of calls with several of them by their order.
 * With compat the first call gives the kernels, and calls with another number of them are left out.
 * NULL: left out. Of kernels that ran beside those of a launcher, overlap_pct is their mean, with
 * compat what the first call says.
 */
#include "sql/binding/function.h"
#include "sql/binding/ranges.h"
#include "sql/binding/statements.h"
#include "sql/database.h"
#include "sql/kernels/kernel_details.h"
#include "src/base/deviation.h"

/* ------------------------------------------------------------------ kernel_details */

struct details {
    struct kernel_details kernels;
    bool failed;
};

static SQL_FUNCTION(details_step)
{
    struct details *self = function_state(context, sizeof *self);
    if (!self) {
        sqlite3_result_error_nomem(context);
        return;
    }
    size_t bytes = (size_t)sqlite3_value_bytes(arguments[1]);
    if (self->failed || sqlite3_value_type(arguments[1]) == SQLITE_NULL)
        return;
    if (sqlite3_value_type(arguments[1]) != SQLITE_BLOB || bytes % sizeof(struct listed_kernel)) {
        self->failed = true;
        sqlite3_result_error(context, "kernels come from launcher_work", -1);
        return;
    }
    self->failed =
        !kernel_details_add(&self->kernels, sqlite3_value_int64(arguments[0]),
                            sqlite3_value_blob(arguments[1]), bytes / sizeof(struct listed_kernel));
    if (self->failed)
        sqlite3_result_error_nomem(context);
}

static void details_result(sqlite3_context *context, bool is_short)
{
    struct details *self = function_state(context, 0);
    struct context *owner = function_context(context);
    struct text out = {0};
    sqlite3_stmt *names = NULL;
    if (!self)
        return;
    bool is_empty = self->kernels.calls.count == 0 && is_short; /* nothing was gathered */
    if (!self->failed && !is_empty) {
        self->kernels.by_place =
            !kernel_details_are_alike(&self->kernels) &&
            like_reference(ranges_option(sqlite3_context_db_handle(context), "compat"),
                           "kernel details: names and figures");
        bool done = statements_take(owner, sqlite3_context_db_handle(context), KERNEL_DETAILS_NAMES,
                                    &names) == SQLITE_OK &&
                    kernel_details_write(&self->kernels, names, is_short ? NULL : &out,
                                         is_short ? &out : NULL);
        if (done)
            sqlite3_result_text(context, out.items, (int)out.count, SQLITE_TRANSIENT);
        else
            function_fail(context, sqlite3_errcode(sqlite3_context_db_handle(context)));
    }
    statements_leave(owner, names);
    text_free(&out);
    kernel_details_free(&self->kernels);
}

static void details_final(sqlite3_context *context)
{
    details_result(context, false);
}

static void details_short_final(sqlite3_context *context)
{
    details_result(context, true);
}

/* ------------------------------------------------------------------ kernel_names */

static SQL_FUNCTION(names_of)
{
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL)
        return;
    size_t bytes = (size_t)sqlite3_value_bytes(arguments[0]);
    const struct listed_kernel *kernels = sqlite3_value_blob(arguments[0]);
    if (sqlite3_value_type(arguments[0]) != SQLITE_BLOB || bytes % sizeof *kernels) {
        sqlite3_result_error(context, "kernels come from launcher_work", -1);
        return;
    }
    struct text out = {0};
    sqlite3_stmt *names = NULL;
    bool done = text_add(&out, "", 0);
    for (size_t i = 0; i < bytes / sizeof *kernels && done; i++) {
        struct listed_kernel kernel; /* a blob may lie anywhere */
        memcpy(&kernel, kernels + i, sizeof kernel);
        int result = database_find(sqlite3_context_db_handle(context), &names, KERNEL_DETAILS_NAMES,
                                   kernel.name, 0);
        const char *name = result == SQLITE_ROW ? (const char *)sqlite3_column_text(names, 0)
                           : names              ? ""
                                                : NULL;
        done = name && (i == 0 || text_add_byte(&out, ' ')) && text_add_string(&out, name);
    }
    if (done)
        sqlite3_result_text64(context, out.items, out.count, SQLITE_TRANSIENT, SQLITE_UTF8);
    else
        function_fail(context, sqlite3_errcode(sqlite3_context_db_handle(context)));
    database_finalize(names);
    text_free(&out);
}

/* ------------------------------------------------------------------ value_at_least */

/* Numbers are kept as they are: in many samples every row is the least so far. */
struct number {
    int type; /* SQLITE_INTEGER, SQLITE_FLOAT, or 0 = none */
    int64_t integer;
    double real;
};

struct least {
    struct number key, number;
    sqlite3_value *value; /* when it is no number */
};

static struct number number_of(sqlite3_value *value)
{
    struct number number = {.type = sqlite3_value_type(value)};
    if (number.type == SQLITE_INTEGER)
        number.integer = sqlite3_value_int64(value);
    number.real = sqlite3_value_double(value);
    return number;
}

static bool is_less(const struct number *left, const struct number *right)
{
    if (left->type == SQLITE_INTEGER && right->type == SQLITE_INTEGER)
        return left->integer < right->integer;
    return left->real < right->real;
}

static SQL_FUNCTION(least_step)
{
    struct least *self = function_state(context, sizeof *self);
    if (!self) {
        sqlite3_result_error_nomem(context);
        return;
    }
    if (sqlite3_value_type(arguments[1]) == SQLITE_NULL)
        return;
    struct number key = number_of(arguments[1]);
    if (self->key.type && !is_less(&key, &self->key))
        return;
    int type = sqlite3_value_type(arguments[0]);
    bool is_number = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
    sqlite3_value_free(self->value);
    self->value = is_number ? NULL : sqlite3_value_dup(arguments[0]);
    self->number = is_number ? number_of(arguments[0]) : (struct number){0};
    self->key = key;
    if (!is_number && !self->value)
        sqlite3_result_error_nomem(context);
}

static void least_final(sqlite3_context *context)
{
    struct least *self = function_state(context, 0);
    if (!self)
        return;
    if (self->number.type == SQLITE_INTEGER)
        sqlite3_result_int64(context, self->number.integer);
    else if (self->number.type)
        sqlite3_result_double(context, self->number.real);
    else if (self->value)
        sqlite3_result_value(context, self->value);
    sqlite3_value_free(self->value);
}

const struct function kernel_functions[] = {
    AGGREGATE("kernel_details", "position, kernels", 2, SQLITE_INNOCUOUS, details_step,
              details_final,
              "JSON array: for each kernel that a call launches its name, stream and the "
              "statistics of its durations over all calls, from launcher_work. With compat the "
              "call with the least position says which kernels, and calls with another number "
              "of them are left out. NULL without rows."),
    AGGREGATE("kernel_details_short", "position, kernels", 2, SQLITE_INNOCUOUS, details_step,
              details_short_final,
              "JSON array: like kernel_details, but only name (at most 64 characters), stream "
              "and mean with two decimals."),
    SCALAR("kernel_names", "kernels", 1, SQLITE_INNOCUOUS, names_of,
           "The names of the kernels of one call, from launcher_work, with spaces between "
           "them. NULL for NULL."),
    AGGREGATE("value_at_least", "value, key", 2, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
              least_step, least_final,
              "The value of the row whose key, a number, is least. Rows whose key is NULL are "
              "left out; NULL without rows."),
    {0},
};
