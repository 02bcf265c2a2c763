/* functions: see functions.h. */
#include "sql/register.h"

SQLITE_EXTENSION_INIT3

const struct function *const function_lists[] = {
    context_functions, interval_functions,  statistics_functions, regexp_functions,
    tree_functions,    launcher_functions,  kernel_functions,     json_functions,
    rank_functions,    module_functions,    class_functions,      work_functions,
    model_functions,   op_functions,        call_stack_functions, entry_point_functions,
    call_functions,    signature_functions, tt_table_functions,   tt_functions,
    order_functions,   hlo_functions,       collective_functions,
};
const int function_list_count = sizeof function_lists / sizeof *function_lists;

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
    if (!function->scalar && !function->step && !function->module)
        return SQLITE_OK;    /* signature_functions_register does it */
    context_retain(context); /* SQLite gives the share back, also when it fails */
    if (function->kind == FUNCTION_TABLE)
        return sqlite3_create_module_v2(db, function->name, function->module, context, release);
    if (function->value)
        return sqlite3_create_window_function(
            db, function->name, function->arguments, SQLITE_UTF8 | function->flags, context,
            function->step, function->final, function->value, function->inverse, release);
    return sqlite3_create_function_v2(db, function->name, function->arguments,
                                      SQLITE_UTF8 | function->flags, context, function->scalar,
                                      function->step, function->final, release);
}

int functions_register(sqlite3 *db, struct context *context)
{
    for (int i = 0; i < function_list_count; i++)
        for (const struct function *function = function_lists[i]; function->name; function++) {
            int result = bind(db, function, context);
            if (result != SQLITE_OK)
                return result;
        }
    return signature_functions_register(db);
}

int functions_register_plain(sqlite3 *db, const struct function *list)
{
    int result = SQLITE_OK;
    for (; list->name && result == SQLITE_OK; list++)
        result = bind_plain(db, list);
    return result;
}
