/* schema: what a warehouse is made of.
 *
 * The tables come from schema/; the views are made with them. The header of a file says
 * which version its tables have. There is no way from one version to another yet: a file of an
 * older one is refused.
 */
#pragma once

#include "sql/build/embed.h"
#include "sql/sqlite.h"
#include "sql/warehouse/tables.h"
#include "src/base/error.h"
#include "src/base/text.h"

#include <stdint.h>

enum {
    SCHEMA_APPLICATION_ID = 0x74707177, /* "tpqw" */
    SCHEMA_PAGE_BYTES = 4096,
};

/* views: the views and reports of a warehouse, from the files of views/, reports/ and fleet/, and
 * what is shipped of the catalog.
 *
 * Views are the program's: a connection makes the ones that it asks for (provider.h), whatever a
 * file has by their names. A file has the views that any client can run (views/stock.sql), or all,
 * for clients that list a schema; they are written when the file is made or opened to write. So is
 * the catalog, where another program has filled it; a file that may not be written gets it for one
 * connection. */

/* An expression on a row of not_included or empty_reason, ours; NULL where no row has the name.
 * Rows are the program's, never a file's: SQL in them is safe to run. */
bool views_row(sqlite3 *db, const char *list, const char *what, struct view name, char **text,
               struct error *error);

/* Tells two programs' tables, views and catalogs apart. */
void views_fingerprint(char hex[17]);

/* Says whether the catalog is the one of this program, as far as the file tells. */
bool views_current(sqlite3 *db, bool *current, struct error *error);

/* Fills the catalog again: in the database, or only for this connection. */
bool views_make(sqlite3 *db, bool only_here, struct error *error);

/* The same where it is another program's; in a transaction of its own, with the views of the file.
 */
bool views_remake(sqlite3 *db, bool only_here, struct error *error);

/* Writes the views and triggers that the database is to have, and takes away others of their
 * names. */
bool views_save(sqlite3 *db, struct error *error);

/* Has a connection that writes drop answers about runs as it goes, as triggers of the file do. */
bool schema_watch(sqlite3 *db, struct error *error);

/* Says whether that is to be all of them, and writes it so. */
bool views_choose(sqlite3 *db, bool all, struct error *error);

/* Makes all views for one connection, but for what it has of their names, as rows, so that nothing
 * is parsed before it is used. */
bool views_write_here(sqlite3 *db, struct error *error);

/* Makes the views of one file for this connection only. */
bool views_make_file(sqlite3 *db, const struct sql_file *file, struct error *error);

/* Makes tables of ours for this connection only, whose files lie in a folder, or whose paths begin
 * so. They have the rows of the file's where `rows`, behind FROM, says so; NULL: none. */
bool views_make_tables(sqlite3 *db, const char *folder, const char *rows, struct error *error);

/* Makes all tables and views in an empty database. */
bool schema_create(sqlite3 *db, struct error *error);

/* Whether the database at `path` is a warehouse of this version. */
bool schema_check(sqlite3 *db, const char *path, struct error *error);

/* Why a file whose header has these numbers is not read; NULL: it is read. */
const char *schema_objection(int64_t application_id, int64_t version, enum status *status);
