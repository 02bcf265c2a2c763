/* tree_file: the merged call tree of two traces as text.
 *
 *     ├── aten::copy_ [1,089.78 us -> 3,461.36 us, +217.6 %]
 *     │   ├── >> trace1: hipMemcpyWithStream
 *     │   └── << trace2: cudaMemcpyAsync
 *
 * What goes in are the rows of diff_node; `tpq diff` prints it, and writes it into a file.
 */
#pragma once

#include "sql/warehouse/warehouse.h"

#include <stdio.h>

struct tree_file_options {
    bool with_times; /* of the accelerator below each call, in both traces */
    bool prune;      /* only what has GPU activities below it */
    size_t width;    /* of a line: names lose their middle; 0 = any */
};

bool tree_file_write(struct warehouse *warehouse, const struct tree_file_options *options,
                     FILE *out, struct error *error);
