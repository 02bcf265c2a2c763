/* op_range: what a profile says of a single call of an op: facts beside slices. */
#pragma once

#include "ingest/trace/facts.h"

struct op_range {
    uint32_t slice;
    uint32_t text; /* what the range was called, where its parts do not tell; 0 */
    int64_t sequence, number;
};

typedef ARRAY(struct op_range) op_range_list;

extern const struct fact_table op_range_facts;

/* Sorts calls by slice, `places` tells where slices went (order.h). */
void op_ranges_sort(op_range_list *self, const uint32_t *places);
