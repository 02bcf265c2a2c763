/* collective_read: reads the collective kernels of selected traces and makes collectives of them.
 *
 * They are read once, from the view collective_stated and what run_rank says about clocks; put in
 * process groups (collective_group), and matched over the ranks of a run (collective_rows).
 * collective_table.c asks for it.
 */
#pragma once

#include "sql/ranks/collective_rows.h"

/* Reads the selection: one run, or with NULL all. A result code of SQLite. */
int collective_rows_read(struct collective_rows *self, sqlite3 *db, struct context *context,
                         sqlite3_value *run);
