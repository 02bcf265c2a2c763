/* ranges: what is selected: traces, and of each the ranges of event ids, as `scope` has them.
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

#include <stdbool.h>
#include <stdint.h>

/* A trace as readings keep it. */
struct selected_trace {
    char *run;
    int64_t id, run_id, clock_start;
};

typedef ARRAY(struct selected_trace) trace_list;

/* The columns that say which one a row is of, which is this part of it. */
#define RANGES_TRACE(part, of_run, of_trace)                                     \
    {"run",                                                                      \
     "TEXT",                                                                     \
     "name of the run",                                                          \
     TABLE_AT(WORD, part, struct selected_trace, run),                           \
     .key = offsetof(struct selected_trace, run_id),                             \
     .role = (of_run)},                                                          \
    {                                                                            \
        "trace_id", "INTEGER", "id of the trace",                                \
            TABLE_AT(INT64, part, struct selected_trace, id), .role = (of_trace) \
    }

/* Columns of ranges_prepare. */
enum { RANGE_FIRST = 4, RANGE_LAST, RANGE_RECOMPUTE };

/* All that return int give a result code of SQLite. */

/* Reads the selected traces that a table is asked for, in the order of their ids. */
int ranges_traces(const struct table_wish *wish, trace_list *traces);

/* The ranges of those. */
int ranges_prepare(const struct table_wish *wish, sqlite3_stmt **ranges);

/* The ranges of GPU activities that run in what is selected (the view window_scope). */
int ranges_prepare_windows(const struct table_wish *wish, sqlite3_stmt **ranges);

/* Whether the last trace of the list is that of the range in hand. */
bool ranges_has_trace(const trace_list *traces, sqlite3_stmt *range);

/* Adds it to the list, unless it is the last one there. */
int ranges_add_trace(trace_list *traces, sqlite3_stmt *range);

void ranges_free_traces(trace_list *traces);

/* Whether an option of the connection is set. */
bool ranges_option(sqlite3 *db, const char *name);
