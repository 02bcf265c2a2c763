/* trace_rows: what belongs to a trace in memory as tables that SQLite can read from.
 *
 * `INSERT INTO memory_event SELECT ... FROM trace_memory` is a fast way into a table: the rows are
 * made where they are needed, and nothing is bound. store.c is the only caller.
 */
#pragma once

#include "ingest/store/event_rows.h"
#include "src/base/text.h"

#include <sqlite3.h>

/* Binds the tables trace_event, trace_gpu_event and trace_memory to a connection, until `rows`
 * goes. */
int rows_register(sqlite3 *db, const struct rows *rows);

/* Binds trace_fact, the facts that `rows->facts` says; again when it says others. */
int rows_register_facts(sqlite3 *db, const struct rows *rows);

/* The names of a table's columns, separated by commas. False: memory is out. */
void rows_fact_columns(const struct fact_table *table, struct text *out);

void rows_unregister(sqlite3 *db);
