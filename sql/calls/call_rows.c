/* call_rows: see call_rows.h. */
#include "sql/calls/call_rows.h"

const struct call_kernel *call_rows_kernel(const struct call_rows *self, const struct call *call,
                                           size_t index)
{
    size_t place = call->first + index;
    return &self->kernels.items[call->is_picked ? self->picked.items[place] : place];
}

size_t call_rows_bytes(const void *rows)
{
    const struct call_rows *self = rows;
    return self->kernels.room * sizeof *self->kernels.items +
           (self->calls.room + self->backward.room + self->alone.room) * sizeof *self->calls.items +
           self->picked.room * sizeof *self->picked.items +
           self->besides.room * sizeof *self->besides.items +
           self->partners.room * sizeof *self->partners.items;
}

void call_rows_free(void *rows)
{
    struct call_rows *self = rows;
    for (size_t i = 0; i < self->traces.count; i++)
        memory_free(self->traces.items[i].run);
    for (size_t i = 0; i < self->models.count; i++)
        memory_free(self->models.items[i].sheet);
    for (size_t i = 0; i < self->categories.count; i++)
        memory_free(self->categories.items[i]);
    array_free(&self->traces);
    array_free(&self->kernels);
    array_free(&self->calls);
    array_free(&self->backward);
    array_free(&self->alone);
    array_free(&self->picked);
    array_free(&self->besides);
    array_free(&self->partners);
    map_free(&self->lists);
    array_free(&self->models);
    array_free(&self->categories);
    op_cache_release(self->cache);
    *self = (struct call_rows){0};
}
