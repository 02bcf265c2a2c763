/* call_read: reads the calls of the selected traces, trace by trace.
 *
 * A trace's work is read first, then its ops; models are asked about them, and what is collected,
 * backward or beside them is found. call_tables.c asks for it. The result is in call_rows.h.
 */
#ifndef TPQ_SQL_CALLS_CALL_READ_H
#define TPQ_SQL_CALLS_CALL_READ_H

#include "sql/calls/call_rows.h"

/* Reads the calls of the selected traces: of one run, of some traces, or, with NULL, of all. A
 * result code of SQLite. */
int call_rows_read(struct call_rows *self, sqlite3 *db, struct context *context, sqlite3_value *run,
                   const char *traces, struct error *error);

#endif
