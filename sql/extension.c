/* extension: the same functions in any program that can load a SQLite extension, and all views
 * where its database is a warehouse.
 *
 *     sqlite3 w.db -cmd '.load ./tpq'
 *     connection.enable_load_extension(True); connection.load_extension("./tpq")     (Python)
 */
#include "sql/database.h"
#include "sql/register.h"
#include "sql/warehouse/opening.h"
#include "sql/warehouse/schema.h"

SQLITE_EXTENSION_INIT1

static bool is_warehouse(sqlite3 *db)
{
    int64_t application_id = 0;
    return database_ask(db, "PRAGMA main.application_id", 0, &application_id) == SQLITE_OK &&
           application_id == SCHEMA_APPLICATION_ID;
}

__attribute__((visibility("default"))) int sqlite3_tpq_init(sqlite3 *db, char **error,
                                                            const sqlite3_api_routines *api)
{
    SQLITE_EXTENSION_INIT2(api)
    struct error problem = {0};
    const char *path = sqlite3_db_filename(db, "main");
    bool is_ours = is_warehouse(db);
    if (is_ours && !opening_check(db, "main", path ? path : "main", &problem)) {
        *error = sqlite3_mprintf("tpq: %s", problem.text);
        return SQLITE_ERROR;
    }
    struct context *context = context_new();
    int result = context ? functions_register(db, context) : SQLITE_NOMEM;
    context_release(context);
    if (result != SQLITE_OK)
        *error = sqlite3_mprintf("tpq: %s", sqlite3_errmsg(db));
    else if (is_ours && !views_write_here(db, &problem)) {
        *error = sqlite3_mprintf("tpq: %s", problem.text);
        result = SQLITE_ERROR;
    }
    return result;
}
