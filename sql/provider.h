/* provider: the views of ours, which each connection has once they are asked for.
 *
 * The text of a view is the program's, never that of a file. Parsing all of them costs more than
 * most questions: so a connection is given those that a statement names, and those that they name
 * in turn, when the statement cannot be prepared for want of a table (database_prepare asks). They
 * are TEMP views, which stand in front of what is called so in the file; also views of the user's
 * that stand on ours.
 */
#pragma once

#include "sql/sqlite.h"
#include "src/base/error.h"

#include <stdbool.h>

/* Binds it to a connection, and gives at once what a file has views of the same name for: they
 * would be found. A result code of SQLite. */
int provider_bind(sqlite3 *db);

/* What is in the text of a view that stands in front of one of ours with the same rows, for views
 * of ours, too (shared_views.h). */
#define SHARED_VIEW "temp.\"shared "

/* Whether a row of sqlite_schema may be a view that was given. */
bool provider_may_have_given(const char *name, const char *sql);
