/* views: the views and reports of a warehouse, from the files of views/ and reports/.
 *
 * Views are no data: whenever the program's differ from the file's they are dropped and made again,
 * with what is shipped of the catalog; a file that may not be written gets both for one connection.
 * SQLite parses all of them whenever a file is opened, so a new file gets them last (image.h).
 * The schema makes them with its tables, the warehouse when it opens a file.
 */
#pragma once

#include "sql/tables.h"
#include "src/base/error.h"
#include "src/base/text.h"

#include <sqlite3.h>

/* An expression on a row of not_included or empty_reason, for sqlite3_free; NULL where no row has
 * the name. Rows are the program's, never a file's: SQL in them is safe to run. */
bool views_row(sqlite3 *db, const char *list, const char *what, struct view name, char **text,
               struct error *error);

/* Says whether the database's views are those of this program. */
bool views_current(sqlite3 *db, bool *current, struct error *error);

/* Makes the views and what is shipped of the catalog again: in the database, or only for this
 * connection; views_remake in a transaction of its own. */
bool views_make(sqlite3 *db, bool only_here, struct error *error);
bool views_remake(sqlite3 *db, bool only_here, struct error *error);

/* Puts views and catalog for this connection in front of those of the database, which are current:
 * rows of the catalog are copied. */
bool views_copy(sqlite3 *db, struct error *error);

/* Drops the views that a tpq made; views of the user stay. */
bool views_drop(sqlite3 *db, struct error *error);

/* Puts the views into a database whose views were dropped, and which nobody else has open: as rows,
 * so that nothing is parsed before they are used. The connection may not be defensive. */
bool views_write(sqlite3 *db, struct error *error);

/* The same for one connection, whose views stand in front of those of the database. */
bool views_write_here(sqlite3 *db, struct error *error);

/* Makes the views of one file for this connection only. */
bool views_make_file(sqlite3 *db, const struct sql_file *file, struct error *error);

/* Makes the tables of one of our own files for this connection only. */
bool views_make_tables(sqlite3 *db, const char *path, struct error *error);
