/* what_if_read: which works and calls a scenario is about, from the warehouse. */
#pragma once

#include "sql/schedule/what_if.h"
#include "sql/sqlite.h"

/* Adds what a scenario changes; `*note` becomes a sentence where it is not all that was asked. A
 * result code of SQLite. */
int what_if_read(sqlite3 *db, const char *run, const struct scenario *scenario,
                 struct effect *effect, const char **note);
