/* plan_run: the run that a statement wants of every table of ours that it reads.
 *
 * What SQLite means to do is read from its own words for it (EXPLAIN), on a connection whose
 * tables are only watched (context.h): each is opened with the run that is wanted of it, or for
 * all of them. A run counts that is written in the statement, or is that of a row of a table which
 * is asked for such a run itself, as in a join by run. Whatever else is seen there counts as all
 * runs, so that what is found always holds, and may at worst not be found.
 */
#pragma once

#include "sql/sqlite.h"

/* `*run` is the caller's; NULL: there is no one such run. A result code of SQLite. */
int plan_run_find(sqlite3 *db, const char *sql, char **run);
