/* collective_read: reads the collective kernels of selected traces and makes collectives of them.
 *
 * They are read once, from the view collective_stated and what run_rank says about clocks; put in
 * process groups (collective_group), and matched over the ranks of a run (collective_rows).
 * collective_table.c asks for it.
 */
#pragma once

#include "sql/binding/table.h"
#include "sql/ranks/collective_rows.h"

/* As table_reading.read: the selection of one run, or of all. */
int collective_rows_read(void *rows, const struct table_wish *wish, struct error *error);
