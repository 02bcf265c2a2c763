/* sort: puts the slices of one track into the order in which they nest. */
#pragma once

#include "ingest/trace/trace.h"

/* How slices that start at the same time nest. */
enum tree_order {
    TREE_LONGEST_FIRST, /* the longer one outside, then file order */
    TREE_FILE_ORDER,    /* file order alone, as the reference does */
};

/* Sorts indexes of slices by start; ties by the given order. */
void sort_slices(const struct trace *trace, uint32_t *indexes, size_t count, enum tree_order order);
