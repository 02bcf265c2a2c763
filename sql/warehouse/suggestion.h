/* suggestion: what a name in SQL that there is not was perhaps meant to be.
 *
 *     no such table: kernel_sumary; did you mean kernel_summary?
 *
 * Tables, views and functions are all that the connection knows, columns those of the tables and
 * views that the statement names.
 */
#pragma once

#include "src/base/text.h"

#include <sqlite3.h>

/* Adds a message of SQLite about a statement, with a suggestion where there is one. */
void suggestion_add(sqlite3 *db, const char *sql, const char *message, struct text *out);
