/* register: see register.h. */
#include "sql/register.h"

#include "sql/binding/ranges.h"

#define LIST_FUNCTIONS(name) name##_functions,
const struct function *const function_lists[] = {EACH_LIST(LIST_FUNCTIONS) NULL};
const int function_list_count = sizeof function_lists / sizeof *function_lists - 1;

int functions_register(sqlite3 *db, struct context *context)
{
    int result = rows_bind(db);
    context->functions = function_lists;
    for (int i = 0; i < function_list_count && result == SQLITE_OK; i++)
        result = functions_bind(db, function_lists[i], context);
    return result == SQLITE_OK ? signature_functions_register(db) : result;
}
