/* extension: the same functions in any program that can load a SQLite extension.
 *
 *     sqlite3 w.db -cmd '.load ./tpq'
 *     connection.enable_load_extension(True); connection.load_extension("./tpq")     (Python)
 */
#include "sql/database.h"
#include "sql/opening.h"
#include "sql/register.h"
#include "sql/schema.h"

SQLITE_EXTENSION_INIT1

/* Whether the database that is open is a warehouse whose schema tpq itself would refuse. */
static bool is_refused(sqlite3 *db, struct error *error)
{
    int64_t application_id = 0;
    const char *path = sqlite3_db_filename(db, "main");
    return database_ask(db, "PRAGMA main.application_id", 0, &application_id) == SQLITE_OK &&
           application_id == SCHEMA_APPLICATION_ID &&
           !opening_check(db, "main", path ? path : "main", error);
}

__attribute__((visibility("default"))) int sqlite3_tpq_init(sqlite3 *db, char **error,
                                                            const sqlite3_api_routines *api)
{
    SQLITE_EXTENSION_INIT2(api)
    struct error refusal = {0};
    if (is_refused(db, &refusal)) {
        *error = sqlite3_mprintf("tpq: %s", refusal.text);
        return SQLITE_ERROR;
    }
    struct context *context = context_new();
    int result = context ? functions_register(db, context) : SQLITE_NOMEM;
    context_release(context);
    if (result != SQLITE_OK)
        *error = sqlite3_mprintf("tpq: %s", sqlite3_errmsg(db));
    return result;
}
