/* function: see function.h. */
#include "sql/binding/function.h"

#include "sql/binding/table.h"
#include "sql/database.h"

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

static void release(void *context)
{
    context_release(context);
}

/* Without a context the function's user data is its row. */
static int bind_number(sqlite3 *db, const struct function *function, int arguments,
                       struct context *context)
{
    int flags = SQLITE_UTF8 | function->flags;
    if (!context)
        return sqlite3_create_function_v2(db, function->name, arguments, flags, (void *)function,
                                          function->scalar, function->step, function->final, NULL);
    context_retain(context); /* SQLite gives the share back, also when it fails */
    if (function->value)
        return sqlite3_create_window_function(db, function->name, arguments, flags, context,
                                              function->step, function->final, function->value,
                                              function->inverse, release);
    return sqlite3_create_function_v2(db, function->name, arguments, flags, context,
                                      function->scalar, function->step, function->final, release);
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
