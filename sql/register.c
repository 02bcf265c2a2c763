/* register: see register.h. */
#include "sql/register.h"

SQLITE_EXTENSION_INIT3

const struct function *const function_lists[] = {
    scope_functions,       option_functions, interval_functions,  statistics_functions,
    regexp_functions,      tree_functions,   launcher_functions,  kernel_functions,
    json_functions,        rank_functions,   module_functions,    class_functions,
    work_functions,        model_functions,  op_functions,        call_stack_functions,
    entry_point_functions, call_functions,   signature_functions, tt_table_functions,
    tt_functions,          order_functions,  hlo_functions,       collective_functions,
};
const int function_list_count = sizeof function_lists / sizeof *function_lists;

int functions_register(sqlite3 *db, struct context *context)
{
    int result = SQLITE_OK;
    for (int i = 0; i < function_list_count && result == SQLITE_OK; i++)
        result = functions_bind(db, function_lists[i], context);
    return result == SQLITE_OK ? signature_functions_register(db) : result;
}
