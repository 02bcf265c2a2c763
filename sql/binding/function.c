/* function: each call runs in an attempt, so that memory which is out fails the call alone. */
#include "sql/binding/function.h"

#include "sql/binding/table.h"
#include "sql/database.h"
#include "src/base/memory.h"
#include "src/base/number.h"

#include <math.h>

void function_fail(sqlite3_context *context, int result)
{
    sqlite3 *db = sqlite3_context_db_handle(context);
    switch (result & 0xFF) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
    case SQLITE_NOMEM:
        sqlite3_result_error_nomem(context);
        break;
    case SQLITE_ERROR:
        sqlite3_result_error(context, sqlite3_errmsg(db), -1);
        if (database_lacks_tables(db))
            sqlite3_result_error(context, DATABASE_NO_WAREHOUSE, -1);
        break;
    case SQLITE_CORRUPT:
        sqlite3_result_error(context, DATABASE_DAMAGED, -1);
        sqlite3_result_error_code(context, result); /* leaves the words as they are */
        break;
    default:
        sqlite3_result_error_code(context, result);
    }
}

enum function_kind function_kind(const struct function *self)
{
    return self->table ? FUNCTION_TABLE : self->step ? FUNCTION_AGGREGATE : FUNCTION_SCALAR;
}

/* ------------------------------------------------------------------ values as JSON */

void value_add_json(struct text *out, sqlite3_value *value, bool is_json)
{
    const char *text;
    switch (sqlite3_value_type(value)) {
    case SQLITE_NULL:
        text_add_string(out, "null");
        return;
    case SQLITE_INTEGER:
        text_format(out, "%lld", sqlite3_value_int64(value));
        return;
    case SQLITE_FLOAT:
        if (isfinite(sqlite3_value_double(value)))
            number_add_real(out, sqlite3_value_double(value));
        else
            text_add_string(out, "null");
        return;
    default:
        text = (const char *)sqlite3_value_text(value);
        if (!text)
            memory_fail();
        if (is_json)
            text_add_string(out, text);
        else
            text_add_json(out, view_of(text));
    }
}

bool values_have_names(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    for (int i = 0; i + 1 < count; i += 2)
        if (sqlite3_value_type(arguments[i]) == SQLITE_NULL) {
            sqlite3_result_error(context, "a member of a JSON object has no name", -1);
            return false;
        }
    return true;
}

/* ------------------------------------------------------------------ calls */

/* A function of a connection: what SQLite hands to each call. */
struct bound {
    const struct function *function;
    struct context *context; /* NULL = it needs none */
};

/* An aggregate's memory: all that it gathers from its rows. */
struct gathered {
    struct memory memory;
    void *state;
};

static const struct bound *bound_of(sqlite3_context *call)
{
    return sqlite3_user_data(call);
}

struct context *function_context(sqlite3_context *call)
{
    return bound_of(call)->context;
}

const struct function *function_row(sqlite3_context *call)
{
    return bound_of(call)->function;
}

void *function_state(sqlite3_context *call, size_t size)
{
    struct gathered *self = sqlite3_aggregate_context(call, size ? sizeof *self : 0);
    if (!self && size)
        memory_fail();
    if (self && !self->state && size)
        self->state = memory_zeroed(1, size);
    return self ? self->state : NULL;
}

/* Whatever was kept half done holds no more. */
static void fail_call(sqlite3_context *call)
{
    if (function_context(call))
        function_context(call)->statements++;
    sqlite3_result_error_nomem(call);
}

static SQL_FUNCTION(call_scalar)
{
    struct memory memory = {0};
    struct memory_attempt attempt;
    if (memory_try(&attempt, &memory)) {
        function_row(context)->scalar(context, count, arguments);
        memory_leave(&attempt);
        memory_end(&memory);
    } else
        fail_call(context);
}

/* One row, or what is made of all of them; `run` is NULL for the last one. */
static void gather(sqlite3_context *context, void (*run)(sqlite3_context *, int, sqlite3_value **),
                   void (*give)(sqlite3_context *), int count, sqlite3_value **arguments)
{
    struct gathered *self = sqlite3_aggregate_context(context, run ? sizeof *self : 0);
    struct memory none = {0};
    struct memory_attempt attempt;
    if (!self && run)
        sqlite3_result_error_nomem(context);
    else if (memory_try(&attempt, self ? &self->memory : &none)) {
        if (run)
            run(context, count, arguments);
        else
            give(context);
        memory_leave(&attempt);
        memory_end(&none);
    } else {
        if (self)
            self->state = NULL;
        fail_call(context);
    }
}

static SQL_FUNCTION(call_step)
{
    gather(context, function_row(context)->step, NULL, count, arguments);
}

static SQL_FUNCTION(call_inverse)
{
    gather(context, function_row(context)->inverse, NULL, count, arguments);
}

static void call_value(sqlite3_context *context)
{
    gather(context, NULL, function_row(context)->value, 0, NULL);
}

static void call_final(sqlite3_context *context)
{
    gather(context, NULL, function_row(context)->final, 0, NULL);
    struct gathered *self = sqlite3_aggregate_context(context, 0);
    if (self) {
        memory_free(self->state);
        memory_end(&self->memory);
    }
}

/* ------------------------------------------------------------------ binding */

static void release(void *bound)
{
    context_release(((struct bound *)bound)->context);
    sqlite3_free(bound);
}

/* SQLite gives the share of the context back, also when it fails. */
static int bind_number(sqlite3 *db, const struct function *function, int arguments,
                       struct context *context)
{
    int flags = SQLITE_UTF8 | function->flags;
    struct bound *bound = sqlite3_malloc(sizeof *bound);
    if (!bound)
        return SQLITE_NOMEM;
    *bound = (struct bound){function, context ? context_retain(context) : NULL};
    if (function->value)
        return sqlite3_create_window_function(db, function->name, arguments, flags, bound,
                                              call_step, call_final, call_value, call_inverse,
                                              release);
    return sqlite3_create_function_v2(
        db, function->name, arguments, flags, bound, function->scalar ? call_scalar : NULL,
        function->step ? call_step : NULL, function->step ? call_final : NULL, release);
}

/* SQLite is told each number of arguments, and refuses all others. */
static int bind_numbers(sqlite3 *db, const struct function *function, struct context *context)
{
    int result = SQLITE_OK;
    for (int missing = function->optional; missing >= 0 && result == SQLITE_OK; missing--)
        result = bind_number(db, function, function->arguments - missing, context);
    return result;
}

static int bind(sqlite3 *db, const struct function *function, struct context *context)
{
    if (function->table)
        return table_bind(db, function->name, function->table, context);
    if (!function->scalar && !function->step)
        return SQLITE_OK; /* those who need more than the context bind it */
    return bind_numbers(db, function, function->formula ? NULL : context);
}

int functions_bind(sqlite3 *db, const struct function *list, struct context *context)
{
    int result = SQLITE_OK;
    for (; list->name && result == SQLITE_OK; list++)
        result = bind(db, list, context);
    return result;
}

int functions_bind_plain(sqlite3 *db, const struct function *list)
{
    int result = SQLITE_OK;
    for (; list->name && result == SQLITE_OK; list++)
        result = bind_numbers(db, list, NULL);
    return result;
}
