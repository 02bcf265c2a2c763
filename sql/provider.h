/* provider: views that a warehouse in memory has only once they are asked for.
 *
 * Parsing all views costs more than most questions. A connection without them is given those that a
 * statement names, and those that they name in turn, when the statement cannot be prepared for want
 * of a table (database_prepare asks): as TEMP views, also views of the user's that stand on ours.
 */
#pragma once

#include "src/base/error.h"

#include <sqlite3.h>
#include <stdbool.h>

/* Binds it to a connection, as a function; a result code of SQLite. */
int provider_bind(sqlite3 *db);

/* Takes back what was given, or only what stands in front of the file: the connection is to have
 * all views by other means. */
bool provider_forget(sqlite3 *db, bool only_here, struct error *error);

/* Whether a row of sqlite_schema may be a view that was given. */
bool provider_may_have_given(const char *name, const char *sql);
