/* page_fault: see page_fault.h. */
#include "ingest/trace/page_fault.h"

#include "src/base/order.h"

static const struct fact_column columns[] = {
    {"id", FACT_ID, 0, NULL},
    {"trace_id", FACT_TRACE, 0, NULL},
    {"ts_ns", FACT_TIME, offsetof(struct page_fault, time), NULL},
    {"dur_ns", FACT_INTEGER, offsetof(struct page_fault, duration), NULL},
    {"device", FACT_INTEGER, offsetof(struct page_fault, device), NULL},
    {"address", FACT_INTEGER, offsetof(struct page_fault, address), NULL},
    {"faults", FACT_INTEGER, offsetof(struct page_fault, count), NULL},
    {"access", FACT_TEXT, offsetof(struct page_fault, access), NULL},
    {"symbol", FACT_TEXT, offsetof(struct page_fault, symbol), NULL},
    {0},
};

const struct fact_table page_fault_facts = {"page_fault", sizeof(struct page_fault), columns};

ORDER_BY(compare, struct page_fault,
         UP(time) || UP(device) || UP(address) || UP(duration) || UP(count));

void page_faults_give(page_fault_list *self, struct trace *trace)
{
    array_sort(self, compare);
    if (self->count && (trace->sampled == NONE || self->items[0].time < trace->sampled))
        trace->sampled = self->items[0].time;
    facts_give(&trace->facts, &page_fault_facts, self);
}
