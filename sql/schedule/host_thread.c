/* host_thread: see host_thread.h. */
#include "sql/schedule/host_thread.h"

#include "src/base/order.h"

#include <stdlib.h>

ORDER_BY(compare_events, struct host_event, UP(start) || DOWN(end) || UP(id));

/* Ranges that overlap or touch become one. */
static void join_ranges(struct host_thread *self)
{
    struct host_event *ranges = self->loading.items;
    size_t kept = 0;
    for (size_t i = 0; i < self->loading.count; i++) {
        if (kept && ranges[i].start <= ranges[kept - 1].end)
            ranges[kept - 1].end =
                ranges[i].end > ranges[kept - 1].end ? ranges[i].end : ranges[kept - 1].end;
        else
            ranges[kept++] = ranges[i];
    }
    self->loading.count = kept;
}

void thread_shift(struct host_thread *self, int64_t by)
{
    for (size_t i = 0; i < self->events.count; i++) {
        self->events.items[i].start += by;
        self->events.items[i].end += by;
    }
    for (size_t i = 0; i < self->loading.count; i++) {
        self->loading.items[i].start += by;
        self->loading.items[i].end += by;
    }
}

bool thread_settle(struct host_thread *self)
{
    if (self->loading.count)
        qsort(self->loading.items, self->loading.count, sizeof *self->loading.items,
              compare_events);
    join_ranges(self);
    size_t count = self->events.count;
    bool is_sorted = true;
    for (size_t i = 1; i < count && is_sorted; i++)
        is_sorted = compare_events(&self->events.items[i - 1], &self->events.items[i]) <= 0;
    if (!is_sorted)
        qsort(self->events.items, count, sizeof *self->events.items, compare_events);
    if (!end_tree_reserve(&self->ends, count))
        return false;
    for (size_t i = 0; i < count; i++)
        end_tree_set(&self->ends, i, self->events.items[i].end);
    end_tree_settle(&self->ends);
    return true;
}

uint32_t thread_open_at(const struct host_thread *self, int64_t time, int64_t *until)
{
    size_t started, count = self->events.count;
    ARRAY_LOWER_BOUND(started, count, self->events.items[started].start <= time);
    size_t found = started ? end_tree_last(&self->ends, started - 1, time) : END_TREE_NONE;
    uint32_t open = found == END_TREE_NONE ? UINT32_MAX : (uint32_t)found;
    *until = started < count ? self->events.items[started].start : INT64_MAX;
    if (open != UINT32_MAX && self->events.items[open].end < *until)
        *until = self->events.items[open].end;
    return open;
}

void thread_free(struct host_thread *self)
{
    free(self->process);
    free(self->name);
    end_tree_free(&self->ends);
    array_free(&self->events);
    array_free(&self->loading);
    array_free(&self->partners);
}
