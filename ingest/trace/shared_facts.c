/* shared_facts: three tables and their orders. Rows of slices are sorted by slice, as facts.h wants
 * it, with the numbers that slices have got by then; page faults have times of their own. */
#include "ingest/trace/shared_facts.h"

#include "src/base/order.h"

static const struct fact_column op_range_columns[] = {
    {"id", FACT_EVENT, offsetof(struct op_range, slice), NULL},
    {"trace_id", FACT_TRACE, 0, NULL},
    {"sequence", FACT_INTEGER, offsetof(struct op_range, sequence), NULL},
    {"number", FACT_INTEGER, offsetof(struct op_range, number), NULL},
    {"text", FACT_TEXT, offsetof(struct op_range, text), NULL},
    {0},
};

const struct fact_table op_range_facts = {"op_range", sizeof(struct op_range), op_range_columns};

ORDER_BY(compare_op_ranges, struct op_range, UP(slice));

void op_ranges_sort(op_range_list *self, const uint32_t *places)
{
    for (size_t i = 0; i < self->count; i++)
        self->items[i].slice = places[self->items[i].slice];
    array_sort(self, compare_op_ranges);
}

static const struct fact_column dispatch_columns[] = {
    {"id", FACT_EVENT, offsetof(struct dispatch, slice), NULL},
    {"trace_id", FACT_TRACE, 0, NULL},
    {"number", FACT_COUNT, offsetof(struct dispatch, number), NULL},
    {"thread", FACT_COUNT, offsetof(struct dispatch, thread), NULL},
    {0},
};

const struct fact_table dispatch_facts = {"dispatch", sizeof(struct dispatch), dispatch_columns};

ORDER_BY(compare_dispatches, struct dispatch, UP(slice));

void dispatches_sort(dispatch_list *self, const uint32_t *places)
{
    for (size_t i = 0; i < self->count; i++)
        self->items[i].slice = places[self->items[i].slice];
    array_sort(self, compare_dispatches);
}

static const struct fact_column page_fault_columns[] = {
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

const struct fact_table page_fault_facts = {"page_fault", sizeof(struct page_fault),
                                            page_fault_columns};

ORDER_BY(compare_faults, struct page_fault,
         UP(time) || UP(device) || UP(address) || UP(duration) || UP(count));

void page_faults_give(page_fault_list *self, struct trace *trace)
{
    array_sort(self, compare_faults);
    if (self->count && (trace->sampled == NONE || self->items[0].time < trace->sampled))
        trace->sampled = self->items[0].time;
    facts_give(&trace->facts, &page_fault_facts, self);
}
