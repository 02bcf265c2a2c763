/* sort: puts the slices of one track into the order in which they nest. */
#ifndef TPQ_INGEST_TRACE_SORT_H
#define TPQ_INGEST_TRACE_SORT_H

#include "ingest/trace/tree.h"

/* Sorts indexes of slices by start; ties by the given order. False: memory is out. */
bool sort_slices(const struct trace *trace, uint32_t *indexes, size_t count, enum tree_order order);

#endif
