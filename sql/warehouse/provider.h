/* provider: the views of ours, which each connection has once they are asked for.
 *
 * The text of a view is the program's, never that of a file. Parsing all of them costs more than
 * most questions: so a connection is given the views that a statement names, and what they stand
 * on, when the statement cannot be prepared for want of a table (database_prepare asks). They are
 * TEMP views, and hide what is called so in the file. Views of the user's are given like ours.
 */
#pragma once

#include "sql/sqlite.h"
#include "src/base/error.h"

#include <stdbool.h>

/* Binds it to a connection, and gives at once what a file has views of the same name for: they
 * would be found. A result code of SQLite. */
int provider_bind(sqlite3 *db);

/* The mark in the text of a view that has the rows of one of ours and hides it, from ours, too
 * (shared_views.h). */
#define SHARED_VIEW "temp.\"shared "
