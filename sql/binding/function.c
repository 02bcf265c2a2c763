/* function: see function.h. */
#include "sql/binding/function.h"

#include "sql/binding/table.h"

SQLITE_EXTENSION_INIT3

static void release(void *context)
{
    context_release(context);
}

static int bind_plain(sqlite3 *db, const struct function *function)
{
    return sqlite3_create_function_v2(db, function->name, function->arguments,
                                      SQLITE_UTF8 | function->flags, (void *)function,
                                      function->scalar, function->step, function->final, NULL);
}

static int bind(sqlite3 *db, const struct function *function, struct context *context)
{
    if (function->formula)
        return bind_plain(db, function);
    if (function->table)
        return table_bind(db, function->name, function->table, context);
    if (!function->scalar && !function->step)
        return SQLITE_OK;    /* those who need more than the context bind it */
    context_retain(context); /* SQLite gives the share back, also when it fails */
    if (function->value)
        return sqlite3_create_window_function(
            db, function->name, function->arguments, SQLITE_UTF8 | function->flags, context,
            function->step, function->final, function->value, function->inverse, release);
    return sqlite3_create_function_v2(db, function->name, function->arguments,
                                      SQLITE_UTF8 | function->flags, context, function->scalar,
                                      function->step, function->final, release);
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
        result = bind_plain(db, list);
    return result;
}
