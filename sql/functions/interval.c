/* interval: see interval.h. Rows mostly come in the order of time, so that merging on arrival keeps
 * the list short and the final sort is rarely needed. */
#include "sql/functions/interval.h"

#include "src/base/keyed.h"
#include "src/base/memory.h"
#include "src/base/order.h"

#include <stdlib.h>
#include <string.h>

void end_tree_reserve(struct end_tree *self, size_t count)
{
    size_t width = 1;
    while (width < count)
        width *= 2;
    self->latest = memory_list(2 * width, sizeof *self->latest);
    self->width = width;
    for (size_t i = 0; i < 2 * width; i++)
        self->latest[i] = INT64_MIN;
}

void end_tree_set(struct end_tree *self, size_t place, int64_t end)
{
    self->latest[self->width + place] = end;
}

void end_tree_settle(struct end_tree *self)
{
    int64_t *latest = self->latest;
    for (size_t i = self->width; i-- > 1;)
        latest[i] = latest[2 * i] > latest[2 * i + 1] ? latest[2 * i] : latest[2 * i + 1];
}

size_t end_tree_last(const struct end_tree *self, size_t place, int64_t time)
{
    size_t node = self->width + place;
    if (self->latest[node] <= time) {
        while (node > 1 && !(node % 2 == 1 && self->latest[node - 1] > time))
            node /= 2;
        if (node <= 1)
            return END_TREE_NONE;
        for (node--; node < self->width;)
            node = self->latest[2 * node + 1] > time ? 2 * node + 1 : 2 * node;
    }
    return node - self->width;
}

void end_tree_free(struct end_tree *self)
{
    memory_free(self->latest);
    *self = (struct end_tree){0};
}

void interval_add(struct interval_set *self, int64_t start, int64_t end)
{
    if (self->list.count) {
        struct interval *last = &self->list.items[self->list.count - 1];
        if (start >= last->start && start <= last->end) {
            if (end > last->end)
                last->end = end;
            return;
        }
        if (start < last->start)
            self->unsettled = true;
    }
    array_add(&self->list, (struct interval){start, end});
}

void interval_unite(struct interval_set *self, const struct interval_set *other)
{
    size_t count = other->list.count;
    if (count == 0)
        return;
    array_reserve(&self->list, count);
    size_t first;
    ARRAY_LOWER_BOUND(first, self->list.count,
                      self->list.items[first].end < other->list.items[0].start);
    size_t kept = first, behind = first + count, end = self->list.count + count;
    struct interval *items = self->list.items;
    const struct interval *next = other->list.items, *last = next + count;
    memmove(items + behind, items + first, (self->list.count - first) * sizeof *items);
    while (behind < end || next < last) {
        bool own = next == last || (behind < end && items[behind].start < next->start);
        struct interval one = own ? items[behind++] : *next++;
        if (kept == first || one.start > items[kept - 1].end)
            items[kept++] = one;
        else if (one.end > items[kept - 1].end)
            items[kept - 1].end = one.end;
    }
    self->list.count = kept;
}

ORDER_BY(compare_starts, struct interval, UP(start));

void interval_settle(struct interval_set *self)
{
    if (!self->unsettled)
        return;
    struct interval *items = self->list.items;
    if (!keyed_sort_items(items, self->list.count, sizeof *items, offsetof(struct interval, start)))
        qsort(items, self->list.count, sizeof *items, compare_starts);
    size_t kept = 0;
    for (size_t i = 1; i < self->list.count; i++) {
        if (items[i].start > items[kept].end)
            items[++kept] = items[i];
        else if (items[i].end > items[kept].end)
            items[kept].end = items[i].end;
    }
    self->list.count = kept + 1;
    self->unsettled = false;
}

uint64_t interval_length(const struct interval_set *self)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < self->list.count; i++)
        sum += (uint64_t)self->list.items[i].end - (uint64_t)self->list.items[i].start;
    return sum;
}

int64_t interval_within(const struct interval_set *self, int64_t start, int64_t end)
{
    int64_t shared = 0;
    size_t at;
    ARRAY_LOWER_BOUND(at, self->list.count, self->list.items[at].end <= start);
    for (; at < self->list.count && self->list.items[at].start < end; at++) {
        const struct interval *part = &self->list.items[at];
        shared += (part->end < end ? part->end : end) - (part->start > start ? part->start : start);
    }
    return shared;
}

uint64_t interval_shared(const struct interval_set *left, const struct interval_set *right)
{
    uint64_t sum = 0;
    size_t i = 0, j = 0;
    while (i < left->list.count && j < right->list.count) {
        struct interval a = left->list.items[i], b = right->list.items[j];
        int64_t start = a.start > b.start ? a.start : b.start;
        int64_t end = a.end < b.end ? a.end : b.end;
        if (end > start)
            sum += (uint64_t)end - (uint64_t)start;
        if (a.end < b.end)
            i++;
        else
            j++;
    }
    return sum;
}

uint64_t interval_beyond(const struct interval_set *left, const struct interval_set *right)
{
    return interval_length(left) - interval_shared(left, right);
}

void interval_free(struct interval_set *self)
{
    array_free(&self->list);
}

/* ------------------------------------------------------------------ piles */

void interval_pile_add(struct interval_pile *self, int64_t start, int64_t end)
{
    if (end <= start)
        return;
    array_add(&self->starts, start);
    array_add(&self->ends, end);
}

ORDER_BY(compare_times, int64_t, BY_LESS(*a, *b));

static void sort_times(int64_t *times, size_t count)
{
    if (!keyed_sort_items(times, count, sizeof *times, 0))
        qsort(times, count, sizeof *times, compare_times);
}

size_t interval_pile_height(struct interval_pile *self)
{
    size_t count = self->ends.count, ended = 0, most = 0;
    sort_times(self->starts.items, count);
    sort_times(self->ends.items, count);
    for (size_t i = 0; i < count; i++) {
        while (self->ends.items[ended] <= self->starts.items[i])
            ended++;
        most = i + 1 - ended > most ? i + 1 - ended : most;
    }
    return most;
}

uint64_t interval_pile_time(struct interval_pile *self, size_t least)
{
    size_t count = self->ends.count, started = 0, ended = 0;
    uint64_t sum = 0;
    sort_times(self->starts.items, count);
    sort_times(self->ends.items, count);
    /* between two moments, as many are there as started and did not end */
    for (int64_t before = 0; ended < count;) {
        bool is_start = started < count && self->starts.items[started] < self->ends.items[ended];
        int64_t now = is_start ? self->starts.items[started] : self->ends.items[ended];
        if (started - ended >= least)
            sum += (uint64_t)now - (uint64_t)before;
        started += is_start;
        ended += !is_start;
        before = now;
    }
    return sum;
}

/* ------------------------------------------------------------------ loads */

void interval_load_add(struct interval_load *self, int64_t start, int64_t end, double weight)
{
    if (end <= start)
        return;
    array_reserve(&self->points, 2);
    self->points.items[self->points.count++] = (struct interval_step){start, weight};
    self->points.items[self->points.count++] = (struct interval_step){end, -weight};
}

/* By time; of one time what ends goes first, so that what only touches is not together. */
ORDER_BY(compare_steps, struct interval_step, UP(time) || UP(change));

double interval_load_peak(struct interval_load *self)
{
    struct interval_step *points = self->points.items;
    double level = 0, most = 0;
    array_sort(&self->points, compare_steps);
    for (size_t i = 0; i < self->points.count; i++) {
        level += points[i].change;
        most = level > most ? level : most;
    }
    return most;
}
