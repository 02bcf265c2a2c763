/* ranges: the ranges of event ids that are selected, one after another, as `scope` has them.
 *
 * Tables that read traces themselves prepare this question and step through it; a table that has
 * no context at hand asks for options here, too.
 */
#ifndef TPQ_SQL_BINDING_RANGES_H
#define TPQ_SQL_BINDING_RANGES_H

#include "sql/sqlite.h"

#include <stdbool.h>

/* The ranges of one run, of some traces, or, with NULL, of all: run, trace, first and last event,
 * is_recompute, number of the run, start of the clock. `traces` is a list of numbers as SQL has
 * it. A result code of SQLite. */
int ranges_prepare(sqlite3 *db, sqlite3_value *run, const char *traces, sqlite3_stmt **ranges);

/* Whether an option of the connection is set. */
bool ranges_option(sqlite3 *db, const char *name);

#endif
