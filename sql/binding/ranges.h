/* ranges: what is selected: traces, and of each the ranges of event ids, as `scope` has them; and
 * the rows of a range, handed to C.
 *
 *     trace_list traces = {0};
 *     int result = ranges_traces(wish, &traces);
 *     for (size_t i = 0; result == SQLITE_OK && i < traces.count; i++) ...
 *     ranges_free_traces(&traces);
 *
 * A table that goes through the ranges themselves steps through ranges_prepare, and adds the trace
 * of each one: those of a trace come together. A table that has no context at hand asks for options
 * here, too.
 */
#pragma once

#include "sql/binding/table.h"
#include "sql/sqlite.h"
#include "src/base/array.h"
#include "src/base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* A trace as readings keep it. */
struct selected_trace {
    char *run;
    int64_t id, clock_start;
};

typedef ARRAY(struct selected_trace) trace_list;

/* The columns that say which one a row is of, which is this part of it. */
#define RANGES_TRACE(part, of_run, of_trace)                                             \
    {"run", "name of the run", TABLE_AT(WORD, part, struct selected_trace, run),         \
     .role = (of_run)},                                                                  \
    {                                                                                    \
        "trace_id", "id of the trace", TABLE_AT(INT64, part, struct selected_trace, id), \
            .role = (of_trace)                                                           \
    }

/* Columns of ranges_prepare. */
enum { RANGE_FIRST = 3, RANGE_LAST, RANGE_RECOMPUTE };

/* All that return int give a result code of SQLite. */

/* Reads the selected traces that a table is asked for, in the order of their ids. */
int ranges_traces(const struct table_wish *wish, trace_list *traces);

/* Asks about columns of a table or view, `scope` in the question, for the run and the traces that
 * another table is asked for. */
int ranges_ask(const struct table_wish *wish, const char *columns, const char *table,
               const char *order, sqlite3_stmt **from);

/* The ranges of those. */
int ranges_prepare(const struct table_wish *wish, sqlite3_stmt **ranges);

/* The ranges of GPU activities that run in what is selected (the view window_scope). */
int ranges_prepare_windows(const struct table_wish *wish, sqlite3_stmt **ranges);

/* Whether the last trace of the list is that of the range in hand. */
bool ranges_has_trace(const trace_list *traces, sqlite3_stmt *range);

/* Adds it to the list, unless it is the last one there. */
void ranges_add_trace(trace_list *traces, sqlite3_stmt *range);

/* Whether an option of the connection is set. */
bool ranges_option(sqlite3 *db, const char *name);

/* ------------------------------------------------------------------ rows of a range
 *
 * They are handed to C inside SQLite's own loop, for those who go through millions: stepping, and
 * asking for each column, costs more there than what is made of them.
 *
 *     "SELECT " ROWS_EACH "id, ts_ns) FROM event WHERE id BETWEEN ?2 AND ?3"
 *     result = rows_each_id(db, statement, first, last, take, taker);
 *
 * The first parameter is taken. Without ORDER BY, which means nothing there, rows come as SQLite
 * finds them: those of a range of ids in their order. */

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
