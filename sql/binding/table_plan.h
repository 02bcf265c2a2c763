/* table_plan: what a table function is asked for, agreed with SQLite before it runs.
 *
 * The tables of launchers and of their work take `=` on run, `=` and IN on trace_id, and they put
 * their rows in groups themselves when a query groups by columns of which they know numbers: this
 * costs a hash for each row instead of a sort of all rows.
 */
#ifndef TPQ_SQL_BINDING_TABLE_PLAN_H
#define TPQ_SQL_BINDING_TABLE_PLAN_H

#include "src/base/text.h"

#include <sqlite3ext.h>

/* What such a table is: xConnect and xDisconnect of all of them. */
struct function_table {
    sqlite3_vtab base;
    sqlite3 *db;
};

int table_connect(sqlite3 *db, const char *declaration, sqlite3_vtab **out);
int table_disconnect(sqlite3_vtab *table);

/* Fills in the answer to xBestIndex. `run` and `trace` are columns, `groupable` a set of columns,
 * `parts` what the columns in use need; table_plan_parts gives it back. */
int table_plan_make(sqlite3_index_info *info, int run, int trace, uint64_t groupable, int parts);

int table_plan_parts(int plan);

/* In xFilter: the run that is wanted or NULL, and the traces as SQL has lists, or nothing. */
int table_plan_wanted(int plan, sqlite3_value **arguments, sqlite3_value **run,
                      struct text *traces);

/* The columns to group by, ended by -1: the string is what SQLite hands to xFilter. */
int table_plan_column(const char *columns, size_t place);
bool table_plan_descends(const char *columns, size_t place);

#endif
