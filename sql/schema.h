/* schema: what a warehouse is made of, and how an older one becomes a current one.
 *
 * The tables come from schema/, the views from views/ and reports/. A warehouse says in its header
 * which version its tables have; migrations/NNNN.sql brings one from version NNNN - 1 to NNNN.
 * Views are no data: whenever the program's differ from the file's they are dropped and made again.
 * SQLite parses all of them whenever a file is opened, so a new file gets them last (image.h).
 */
#ifndef TPQ_SQL_SCHEMA_H
#define TPQ_SQL_SCHEMA_H

#include "sql/embed.h"
#include "src/base/error.h"

#include <sqlite3.h>

enum {
    SCHEMA_APPLICATION_ID = 0x74707131, /* "tpq1" */
    SCHEMA_VERSION = 3,
    SCHEMA_PAGE_BYTES = 4096,
};

/* Makes all tables and views in an empty database. */
bool schema_create(sqlite3 *db, struct error *error);

/* The version of an open database; -1 when it is no warehouse, 0 when it is empty. */
int schema_version(sqlite3 *db);

/* Runs the migrations from the database's version to `target`, in one transaction. */
bool schema_migrate(sqlite3 *db, const struct sql_file *migrations, int count, int target,
                    struct error *error);

/* True when the database's views are those of this program. */
bool schema_views_current(sqlite3 *db);

/* Makes the views and what is shipped of the catalog again: in the database, in one transaction, or
 * only for this connection. */
bool schema_remake_views(sqlite3 *db, bool only_here, struct error *error);

/* Drops the views that a tpq made; views of the user stay. */
bool schema_drop_views(sqlite3 *db, struct error *error);

/* Puts the views into a database whose views were dropped, and which nobody else has open: as rows,
 * so that nothing is parsed before they are used. The connection may not be defensive. */
bool schema_write_views(sqlite3 *db, struct error *error);

/* Makes the views of one file for this connection only. */
bool schema_make_views(sqlite3 *db, const struct sql_file *file, struct error *error);

/* Makes the tables of one of our own files for this connection only. */
bool schema_make_tables(sqlite3 *db, const char *path, struct error *error);

/* An error of SQLite as ours: "WHAT: reason". Locks, full disks and the like say so. */
bool schema_error(sqlite3 *db, const char *what, struct error *error);

#endif
