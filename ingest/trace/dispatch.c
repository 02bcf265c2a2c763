/* dispatch: see dispatch.h. */
#include "ingest/trace/dispatch.h"

static const struct fact_column columns[] = {
    {"id", FACT_EVENT, offsetof(struct dispatch, slice), NULL},
    {"trace_id", FACT_TRACE, 0, NULL},
    {"number", FACT_COUNT, offsetof(struct dispatch, number), NULL},
    {"thread", FACT_COUNT, offsetof(struct dispatch, thread), NULL},
    {0},
};

const struct fact_table dispatch_facts = {"dispatch", sizeof(struct dispatch), columns};

static int compare(const void *left, const void *right)
{
    uint32_t a = ((const struct dispatch *)left)->slice,
             b = ((const struct dispatch *)right)->slice;
    return (a > b) - (a < b);
}

void dispatches_sort(dispatch_list *self, const uint32_t *places)
{
    for (size_t i = 0; i < self->count; i++)
        self->items[i].slice = places[self->items[i].slice];
    if (self->count)
        qsort(self->items, self->count, sizeof *self->items, compare);
}
