/* op_range: see op_range.h. */
#include "ingest/trace/op_range.h"

#include "src/base/order.h"

static const struct fact_column columns[] = {
    {"id", FACT_EVENT, offsetof(struct op_range, slice), NULL},
    {"trace_id", FACT_TRACE, 0, NULL},
    {"sequence", FACT_INTEGER, offsetof(struct op_range, sequence), NULL},
    {"number", FACT_INTEGER, offsetof(struct op_range, number), NULL},
    {"text", FACT_TEXT, offsetof(struct op_range, text), NULL},
    {0},
};

const struct fact_table op_range_facts = {"op_range", sizeof(struct op_range), columns};

ORDER_BY(compare, struct op_range, UP(slice));

void op_ranges_sort(op_range_list *self, const uint32_t *places)
{
    for (size_t i = 0; i < self->count; i++)
        self->items[i].slice = places[self->items[i].slice];
    array_sort(self, compare);
}
