/* page_fault: pages of unified memory that were not where they were needed: facts beside slices. */
#pragma once

#include "ingest/trace/trace.h"

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
