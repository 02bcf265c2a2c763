/* shared_facts: facts beside slices that readers of several formats may state: calls of ops, runs
 * of kernels, page faults, threads on CPUs. */
#pragma once

#include "ingest/trace/trace.h"

/* A single call of an op. */
struct op_range {
    uint32_t slice;
    uint32_t text; /* what the range was called, where its parts do not tell; 0 */
    int64_t sequence, number;
};

typedef ARRAY(struct op_range) op_range_list;

extern const struct fact_table op_range_facts;

/* Sorts calls by slice, `places` tells where slices went (order.h). */
void op_ranges_sort(op_range_list *self, const uint32_t *places);

/* A single run of a kernel, as AMD's profilers tell of it. */
struct dispatch { /* narrow, as there are as many as kernels */
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

/* Pages of unified memory that were not where they were needed. */
struct page_fault {
    int64_t time, duration; /* on the file's clock; NONE = a moment */
    int64_t device;         /* as gpu_event has it; NONE = the host's */
    int64_t address, count;
    uint32_t access, symbol; /* texts; 0 = not stated */
};

typedef ARRAY(struct page_fault) page_fault_list;

extern const struct fact_table page_fault_facts;

/* Sorts faults and gives them to the trace, as facts_give. */
void page_faults_give(page_fault_list *self, struct trace *trace);

extern const struct fact_table thread_state_facts;

/* Makes stretches on a CPU of the trace's switches of threads, and gives them to it. A stretch
 * without its end ends with the recording, one without its start begins with the first switch. */
void threads_give(struct trace *trace, int64_t end);
