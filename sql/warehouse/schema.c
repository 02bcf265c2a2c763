/* schema: see schema.h. */
#include "sql/warehouse/schema.h"

#include "sql/database.h"
#include "sql/warehouse/views.h"
#include "src/base/text.h"

enum { OLDER_ID = 0x74707131 }; /* "tpq1": before version 0.2.0 */

const char *schema_objection(int64_t application_id, int64_t version, enum status *status)
{
    *status = STATUS_DATABASE;
    if (application_id == OLDER_ID)
        return "made by a tpq older than 0.2.0; ingest its traces again";
    if (application_id == SCHEMA_APPLICATION_ID && version > SCHEMA_VERSION)
        return "made by a newer tpq; read it with that version";
    if (application_id == SCHEMA_APPLICATION_ID && version == SCHEMA_VERSION)
        return NULL;
    *status = STATUS_USAGE;
    return "not a tpq warehouse";
}

/* Statements that look up no name in the schema, which may have a view of any. */
bool schema_check(sqlite3 *db, const char *path, struct error *error)
{
    int64_t application_id = 0, version = 0, entries = 0;
    enum status status;
    /* counting the schema reads it: a journal that is left over shows only then */
    if (database_ask(db, "PRAGMA main.application_id", 0, &application_id) != SQLITE_OK ||
        database_ask(db, "PRAGMA main.user_version", 0, &version) != SQLITE_OK ||
        database_ask(db, "SELECT count(*) FROM main.sqlite_master", 0, &entries) != SQLITE_OK)
        return database_error(db, path, error);
    const char *objection = schema_objection(application_id, version, &status);
    return !objection || error_set(error, status, "%s: %s", path, objection);
}

static bool set_version(sqlite3 *db, struct error *error)
{
    return database_run_made(db,
                             sqlite3_mprintf("PRAGMA application_id = %d; PRAGMA user_version = %d",
                                             SCHEMA_APPLICATION_ID, SCHEMA_VERSION),
                             "writing the version", error);
}

bool schema_create(sqlite3 *db, struct error *error)
{
    if (!database_begin(db, error))
        return false;
    bool done = true;
    for (int i = 0; i < sql_file_count && done; i++)
        if (text_starts_with(sql_files[i].path, "schema/"))
            done = sqlite3_exec(db, sql_files[i].text, NULL, NULL, NULL) == SQLITE_OK ||
                   database_error(db, sql_files[i].path, error);
    done = done && views_make(db, false, error) && set_version(db, error);
    return database_finish(db, done, error);
}
