/* dispatch: what AMD's profilers say of a single run of a kernel: facts beside slices. */
#pragma once

#include "ingest/trace/facts.h"

/* Narrow, as there are as many as kernels. */
struct dispatch {
    uint32_t slice;
    uint32_t number; /* of the dispatch in its process; 0 = not given */
    uint32_t thread; /* that dispatched it; 0 = not given */
};

typedef ARRAY(struct dispatch) dispatch_list;

extern const struct fact_table dispatch_facts;

/* A number that a member has room for; 0 when it has not. */
static inline uint32_t dispatch_number(int64_t number)
{
    return number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
}

/* Sorts them by slice, `places` tells where slices went (order.h). */
void dispatches_sort(dispatch_list *self, const uint32_t *places);
