/* measure: runs the SELECT of a row of the catalog, as advice_rule.measure and health_check.measure
 * are. Within parentheses nothing else than a SELECT can stand.
 *
 *     int result = measure_begin(&measure, db, "run, value", select);
 *     while (result == SQLITE_OK && (result = sqlite3_step(measure.rows)) == SQLITE_ROW)
 *         result = take(measure.rows);
 *     result = measure_end(&measure, result, error);
 */
#pragma once

#include "sql/sqlite.h"
#include "src/base/error.h"

struct measure {
    sqlite3 *db;
    sqlite3_stmt *rows;
    bool is_more; /* there is something behind it */
};

/* `columns` of it, or *; a result code of SQLite. */
int measure_begin(struct measure *self, sqlite3 *db, const char *columns, const char *select);

/* SQLITE_OK where the result is that of the last row. Where the SELECT is to blame for another one,
 * `problem` has SQLite's words. */
int measure_end(struct measure *self, int result, struct error *problem);
