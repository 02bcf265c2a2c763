/* narrow: tables over the selection whose first columns are run and trace_id.
 *
 * `=` on these two columns is used to look at no more than is asked for: narrow_best_index takes
 * them as arguments of xFilter, in this order, and narrow_condition is what a statement over scope
 * says about them, as ?1 and ?2.
 */
#ifndef TPQ_SQL_NARROW_H
#define TPQ_SQL_NARROW_H

#include <sqlite3ext.h>

enum { COLUMN_RUN, COLUMN_TRACE };

int narrow_best_index(sqlite3_vtab *table, sqlite3_index_info *info);

/* Begins with " AND"; empty when nothing is narrowed. `narrow` is xFilter's idxNum. */
const char *narrow_condition(int narrow);

/* Prepares a statement and binds xFilter's arguments to it. */
int narrow_prepare(sqlite3 *db, const char *sql, int count, sqlite3_value **arguments,
                   sqlite3_stmt **statement);

#endif
