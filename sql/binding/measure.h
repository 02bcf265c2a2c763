/* measure: runs the SELECT of a row of the catalog, as advice_rule.measure and health_check.measure
 * are. Within parentheses nothing else than a SELECT can stand.
 *
 *     int result = measure_begin(&measure, db, context, "run, value", select, is_of_file);
 *     while (result == SQLITE_OK && (result = measure_step(&measure)) == SQLITE_ROW)
 *         result = take(measure.rows);
 *     result = measure_end(&measure, result, error);
 *
 * A row of a file is bounded, unless the program's own rows ask the same or the file is trusted
 * (opening.h). It reads tables and views of tpq, and calls functions that only compute. Texts have
 * at most 20 kB, and there are 10,000 rows. All rows of a list stop after a second of processor
 * time.
 */
#pragma once

#include "sql/binding/context.h"
#include "sql/sqlite.h"
#include "src/base/error.h"

struct measure {
    sqlite3 *db;
    struct context *context;
    sqlite3_stmt *rows;
    bool is_more;         /* there is something behind it */
    bool is_bounded;      /* the connection has other bounds meanwhile */
    struct bounds before; /* the former ones, then */
    int limits[2];        /* and its limits */
    double since;         /* processor time that is not counted yet */
    int row_count;
};

/* Lists rows of the catalog that measure: the columns that are named, the SELECT and whether the
 * file has it, as far as `condition` holds. A result code of SQLite. */
int measure_list(sqlite3 *db, struct context *context, const char *table, const char *columns,
                 const char *condition, sqlite3_stmt **rows);

/* `columns` of it, or *; a result code of SQLite. */
int measure_begin(struct measure *self, sqlite3 *db, struct context *context, const char *columns,
                  const char *select, bool is_of_file);

/* The next row, as sqlite3_step. */
int measure_step(struct measure *self);

/* SQLITE_OK where the result is that of the last row. Where the SELECT is to blame for another one,
 * `problem` has SQLite's words. */
int measure_end(struct measure *self, int result, struct error *problem);
