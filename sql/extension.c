/* extension: the same functions in any program that can load a SQLite extension.
 *
 *     sqlite3 w.db -cmd '.load ./tpq'
 *     connection.enable_load_extension(True); connection.load_extension("./tpq")     (Python)
 */
#include "sql/register.h"

SQLITE_EXTENSION_INIT1

__attribute__((visibility("default"))) int sqlite3_tpq_init(sqlite3 *db, char **error,
                                                            const sqlite3_api_routines *api)
{
    SQLITE_EXTENSION_INIT2(api)
    struct context *context = context_new();
    int result = context ? functions_register(db, context) : SQLITE_NOMEM;
    context_release(context);
    if (result != SQLITE_OK)
        *error = sqlite3_mprintf("tpq: %s", sqlite3_errmsg(db));
    return result;
}
