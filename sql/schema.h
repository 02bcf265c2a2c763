/* schema: what a warehouse is made of, and how an older one becomes a current one.
 *
 * The tables come from schema/; the views (views.h) are made with them. A warehouse says in its
 * header which version its tables have; migrations/NNNN.sql brings one from version NNNN - 1 to
 * NNNN. The warehouse asks for all of this when it opens a file.
 */
#ifndef TPQ_SQL_SCHEMA_H
#define TPQ_SQL_SCHEMA_H

#include "sql/embed.h"
#include "src/base/error.h"

#include <sqlite3.h>

enum {
    SCHEMA_APPLICATION_ID = 0x74707131, /* "tpq1" */
    SCHEMA_PAGE_BYTES = 4096,
};

/* Makes all tables and views in an empty database. */
bool schema_create(sqlite3 *db, struct error *error);

/* The version of an open database; -1 when it is no warehouse, 0 when it is empty. */
int schema_version(sqlite3 *db);

/* Runs the migrations from the database's version to `target`, in one transaction. */
bool schema_migrate(sqlite3 *db, const struct sql_file *migrations, int count, int target,
                    struct error *error);

#endif
