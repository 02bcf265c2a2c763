/* call_read: reads the calls of the selected traces, trace by trace.
 *
 * A trace's work is read first, then its ops; models are asked about them, and what is collected,
 * backward or beside them is found. Tables (call_tables.c) are made of it. The result is in
 * call_rows.h.
 */
#pragma once

#include "sql/binding/table.h"

/* Makes a struct call_rows, which the connection keeps. */
extern const struct table_reading call_rows_reading;

/* The same with `only_times`, for one question: what rows of collected calls take, and no more. */
extern const struct table_reading call_times_reading;
