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
#include "src/base/memory.h"

SQLITE_EXTENSION_INIT1

/* All that is allocated goes again, but for the context: functions keep shares of it. */
static int bind(sqlite3 *db, struct error *problem)
{
    const char *path = sqlite3_db_filename(db, "main");
    int64_t application_id = 0;
    bool is_ours =
        database_ask(db, "PRAGMA main.application_id", 0, &application_id) == SQLITE_OK &&
        application_id == SCHEMA_APPLICATION_ID;
    if (is_ours && !opening_check(db, "main", path ? path : "main", problem))
        return SQLITE_ERROR;
    struct context *context = context_new();
    int result = functions_register(db, context);
    if (result != SQLITE_OK)
        error_set(problem, STATUS_DATABASE, "%s", sqlite3_errmsg(db));
    else if (is_ours && !views_write_here(db, problem))
        return SQLITE_ERROR;
    return result;
}

__attribute__((visibility("default"))) int sqlite3_tpq_init(sqlite3 *db, char **error,
                                                            const sqlite3_api_routines *api)
{
    SQLITE_EXTENSION_INIT2(api)
    struct error problem = {0};
    struct memory memory = {0};
    struct memory_attempt attempt;
    if (!memory_try(&attempt, &memory))
        return SQLITE_NOMEM;
    int result = bind(db, &problem);
    memory_leave(&attempt);
    memory_end(&memory);
    if (result != SQLITE_OK)
        *error = sqlite3_mprintf("tpq: %s", problem.text);
    return result;
}
