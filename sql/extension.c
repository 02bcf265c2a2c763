/* extension: the same functions in any program that can load a SQLite extension, and all views
 * where its database is a warehouse.
 *
 *     sqlite3 w.db -cmd '.load ./tpq'
 *     connection.enable_load_extension(True); connection.load_extension("./tpq")     (Python)
 */
#include "sql/register.h"
#include "sql/schema.h"
#include "sql/views.h"

SQLITE_EXTENSION_INIT1

static bool is_warehouse(sqlite3 *db)
{
    sqlite3_stmt *row = NULL;
    bool is = sqlite3_prepare_v2(db, "PRAGMA main.application_id", -1, &row, NULL) == SQLITE_OK &&
              sqlite3_step(row) == SQLITE_ROW &&
              sqlite3_column_int64(row, 0) == SCHEMA_APPLICATION_ID;
    sqlite3_finalize(row);
    return is;
}

__attribute__((visibility("default"))) int sqlite3_tpq_init(sqlite3 *db, char **error,
                                                            const sqlite3_api_routines *api)
{
    SQLITE_EXTENSION_INIT2(api)
    struct error problem = {0};
    struct context *context = context_new();
    int result = context ? functions_register(db, context) : SQLITE_NOMEM;
    context_release(context);
    if (result != SQLITE_OK)
        *error = sqlite3_mprintf("tpq: %s", sqlite3_errmsg(db));
    else if (is_warehouse(db) && !views_write_here(db, &problem)) {
        *error = sqlite3_mprintf("tpq: %s", problem.text);
        result = SQLITE_ERROR;
    }
    return result;
}
