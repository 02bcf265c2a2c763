/* host_thread: Events lie in blocks, looked through one by one: a tree of all would take as much
 * room as they do. */
#include "sql/schedule/host_thread.h"

#include "src/base/order.h"

#include <stdlib.h>

ORDER_BY(compare_events, struct host_event, UP(start) || DOWN(end) || UP(id));

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
    /* Ranges that overlap or touch become one. */
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
    size_t count = self->events.count;
    bool is_sorted = true;
    for (size_t i = 1; i < count && is_sorted; i++)
        is_sorted = compare_events(&self->events.items[i - 1], &self->events.items[i]) <= 0;
    if (!is_sorted)
        qsort(self->events.items, count, sizeof *self->events.items, compare_events);
    return true;
}

bool thread_next_stretch(const struct host_thread *self, struct host_event *stretch, size_t *next)
{
    const struct host_event *events = self->events.items;
    if (*next == self->events.count)
        return false;
    *stretch = events[*next];
    while (++*next < self->events.count && events[*next].start <= stretch->end)
        if (events[*next].end > stretch->end)
            stretch->end = events[*next].end;
    return true;
}

/* Events that are looked through one by one: a tree of all would take as much room as they do. */
enum { BLOCK = 32 };

bool thread_index(struct host_thread *self)
{
    size_t count = self->events.count, blocks = (count + BLOCK - 1) / BLOCK;
    if (self->ends.latest)
        return true;
    if (!end_tree_reserve(&self->ends, blocks))
        return false;
    for (size_t block = 0; block < blocks; block++) {
        int64_t latest = INT64_MIN;
        for (size_t i = block * BLOCK; i < count && i < (block + 1) * BLOCK; i++)
            latest = self->events.items[i].end > latest ? self->events.items[i].end : latest;
        end_tree_set(&self->ends, block, latest);
    }
    end_tree_settle(&self->ends);
    return true;
}

/* The last event below `place` that ends after a time, in the block of the one before it;
 * UINT32_MAX = none. */
static uint32_t last_in_block(const struct host_thread *self, size_t place, int64_t time)
{
    for (size_t first = (place - 1) / BLOCK * BLOCK; place-- > first;)
        if (self->events.items[place].end > time)
            return (uint32_t)place;
    return UINT32_MAX;
}

static uint32_t last_open(const struct host_thread *self, size_t started, int64_t time)
{
    uint32_t open = started ? last_in_block(self, started, time) : UINT32_MAX;
    size_t block = started ? (started - 1) / BLOCK : 0;
    if (open != UINT32_MAX || !block)
        return open;
    block = end_tree_last(&self->ends, block - 1, time);
    return block == END_TREE_NONE ? UINT32_MAX : last_in_block(self, (block + 1) * BLOCK, time);
}

/* How many events started by a time; `near` is about where they end. */
static size_t started_by(const struct host_thread *self, int64_t time, size_t near)
{
    const struct host_event *events = self->events.items;
    size_t count = self->events.count, from = near < count ? near : count, width = 1;
    if (from && events[from - 1].start > time) {
        for (; width < from && events[from - width].start > time; width *= 2)
            continue;
        from = width < from ? from - width : 0;
    }
    size_t until = from;
    for (width = 1; until < count && events[until].start <= time; width *= 2) {
        from = until;
        until = count - until > width ? until + width : count;
    }
    size_t place;
    ARRAY_LOWER_BOUND(place, until - from, events[from + place].start <= time);
    return from + place;
}

uint32_t thread_open_at(const struct host_thread *self, int64_t time, size_t *near, int64_t *until)
{
    size_t started = started_by(self, time, *near);
    uint32_t open = last_open(self, started, time);
    *near = started;
    *until = started < self->events.count ? self->events.items[started].start : INT64_MAX;
    if (open != UINT32_MAX && self->events.items[open].end < *until)
        *until = self->events.items[open].end;
    return open;
}

void thread_free(struct host_thread *self)
{
    memory_free(self->process);
    memory_free(self->name);
    end_tree_free(&self->ends);
    array_free(&self->events);
    array_free(&self->loading);
    array_free(&self->partners);
}
