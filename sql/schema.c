/* schema: see schema.h. */
#include "sql/schema.h"

#include "sql/database.h"
#include "sql/views.h"
#include "src/base/text.h"

#include <stdio.h>

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

bool schema_check(sqlite3 *db, const char *path, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    /* counting the schema reads it: a journal that is left over shows only then */
    static const char question[] = "SELECT application_id, user_version FROM "
                                   "pragma_application_id, pragma_user_version, "
                                   "(SELECT count(*) FROM sqlite_schema)";
    bool done = sqlite3_prepare_v2(db, question, -1, &statement, NULL) == SQLITE_OK &&
                sqlite3_step(statement) == SQLITE_ROW;
    enum status status;
    const char *objection = done ? schema_objection(sqlite3_column_int64(statement, 0),
                                                    sqlite3_column_int64(statement, 1), &status)
                                 : NULL;
    if (!done)
        database_error(db, path, error);
    else if (objection)
        done = error_set(error, status, "%s: %s", path, objection);
    sqlite3_finalize(statement);
    return done;
}

static bool set_version(sqlite3 *db, struct error *error)
{
    char statement[80];
    snprintf(statement, sizeof statement, "PRAGMA application_id = %d; PRAGMA user_version = %d",
             SCHEMA_APPLICATION_ID, SCHEMA_VERSION);
    return sqlite3_exec(db, statement, NULL, NULL, NULL) == SQLITE_OK ||
           database_error(db, "writing the version", error);
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
