/* op_maps: which kernels stand for which ops in two traces, as the three JSON files that the
 * reference tool writes beside its tables.
 *
 *     cpu_op_map_trace1.json, cpu_op_map_trace2.json     op -> its kernels
 *     cpu_op_map.json                                    op -> trace -> its kernels and modules
 *
 * In the last one ops have the names that both traces agree on. What goes in are the rows of
 * diff_op_work; `tpq diff` calls it.
 */
#pragma once

#include "sql/warehouse.h"

/* Writes the files into a folder that is there. */
bool op_maps_write(struct warehouse *warehouse, const char *folder, struct error *error);
