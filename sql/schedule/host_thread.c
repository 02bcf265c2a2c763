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

bool thread_settle(struct host_thread *self)
{
    if (self->loading.count)
        qsort(self->loading.items, self->loading.count, sizeof *self->loading.items,
              compare_events);
    join_ranges(self);
    size_t count = self->events.count, width = 1;
    bool is_sorted = true;
    for (size_t i = 1; i < count && is_sorted; i++)
        is_sorted = compare_events(&self->events.items[i - 1], &self->events.items[i]) <= 0;
    if (!is_sorted)
        qsort(self->events.items, count, sizeof *self->events.items, compare_events);
    while (width < count)
        width *= 2;
    self->width = width;
    self->latest = malloc(2 * width * sizeof *self->latest);
    if (!self->latest)
        return false;
    for (size_t i = 0; i < width; i++)
        self->latest[width + i] = i < count ? self->events.items[i].end : INT64_MIN;
    for (size_t i = width; i-- > 1;)
        self->latest[i] = self->latest[2 * i] > self->latest[2 * i + 1] ? self->latest[2 * i]
                                                                        : self->latest[2 * i + 1];
    return true;
}

/* The last of the events up to `place` that ends after a time; UINT32_MAX when none does. */
static uint32_t last_open(const struct host_thread *self, size_t place, int64_t time)
{
    size_t node = self->width + place;
    if (self->latest[node] <= time) {
        while (node > 1 && !(node % 2 == 1 && self->latest[node - 1] > time))
            node /= 2;
        if (node <= 1)
            return UINT32_MAX;
        for (node--; node < self->width;)
            node = self->latest[2 * node + 1] > time ? 2 * node + 1 : 2 * node;
    }
    return (uint32_t)(node - self->width);
}

uint32_t thread_open_at(const struct host_thread *self, int64_t time, int64_t *until)
{
    size_t started, count = self->events.count;
    ARRAY_LOWER_BOUND(started, count, self->events.items[started].start <= time);
    uint32_t open = started ? last_open(self, started - 1, time) : UINT32_MAX;
    *until = started < count ? self->events.items[started].start : INT64_MAX;
    if (open != UINT32_MAX && self->events.items[open].end < *until)
        *until = self->events.items[open].end;
    return open;
}

void thread_free(struct host_thread *self)
{
    free(self->process);
    free(self->name);
    free(self->latest);
    array_free(&self->events);
    array_free(&self->loading);
    array_free(&self->partners);
}
