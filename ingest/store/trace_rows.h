/* trace_rows: a trace in memory as tables that SQLite can read from.
 *
 * `INSERT INTO event SELECT ... FROM trace_event` is the fastest way into a table: the rows are
 * made where they are needed, and nothing is bound. store.c is the only caller.
 */
#ifndef TPQ_INGEST_STORE_TRACE_ROWS_H
#define TPQ_INGEST_STORE_TRACE_ROWS_H

#include "ingest/trace/trace.h"

#include <sqlite3.h>

/* What the numbers of a trace are called in the database. */
struct rows {
    const struct trace *trace;
    int64_t first_event;                /* id of event number 0 */
    int64_t first_instruction;          /* id of trace.hlo_instructions.items[0] */
    int64_t first_track;                /* id of tree.tracks.items[0] */
    int64_t *strings, *arguments, *ops; /* by number in the trace; 0 = not used */
    int64_t categories[CATEGORY_COUNT_MAX + 1];
};

/* Binds the tables trace_event, trace_gpu, trace_memory and trace_xla to a connection, until `rows`
 * goes. */
int rows_register(sqlite3 *db, const struct rows *rows);
void rows_unregister(sqlite3 *db);

#endif
