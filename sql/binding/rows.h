/* rows: hands the rows of a question to C inside SQLite's own loop, for those who go through
 * millions: stepping, and asking for each column, costs more there than what is made of them.
 *
 *     "SELECT " ROWS_EACH "id, ts_ns) FROM event WHERE id BETWEEN ?2 AND ?3"
 *     result = rows_each_id(db, statement, first, last, take, taker);
 *
 * The first parameter is taken. Without ORDER BY, which means nothing there, rows come as SQLite
 * finds them: those of a range of ids in their order.
 */
#pragma once

#include "sql/binding/context.h"
#include "sql/sqlite.h"
#include "src/base/text.h"

#include <stdint.h>

#define ROWS_FUNCTION "_tpq_each"
#define ROWS_EACH     ROWS_FUNCTION "(?1, "

/* Takes a row; anything but SQLITE_OK ends the rows. */
typedef int rows_take(void *taker, sqlite3_value **row);

/* Runs a question about ids from ?2 to ?3 from its start to its end, and resets it. A result code
 * of SQLite, or of `take`. It runs in pieces: the file is large where there are many events, and
 * memory is not held for all of it. */
int rows_each_id(sqlite3 *db, sqlite3_stmt *question, int64_t first, int64_t last, rows_take *take,
                 void *taker);

enum { ROWS_COLUMNS_MAX = 32 };

/* Integers of the rows of a table, by its ids. */
struct rows_wish {
    const char *table;
    const char *const *columns; /* expressions, at most ROWS_COLUMNS_MAX, beside the id */
    size_t count;
    const char *only; /* a condition; NULL = all rows */
    int64_t first, last;
};

/* Takes a row, with INT64_MIN for what is no integer. */
typedef int rows_take_numbers(void *taker, int64_t id, const int64_t *values);

/* Hands on the numbers of rows. The context may be NULL. */
int rows_each_number(sqlite3 *db, struct context *context, const struct rows_wish *wish,
                     rows_take_numbers *take, void *taker);

/* Appends a condition: events whose row of category meets `which`. It compares with numbers, as a
 * subquery costs more than the rest of a row. */
int rows_add_kinds(sqlite3 *db, struct context *context, const char *which, struct text *out);

int rows_bind(sqlite3 *db);
