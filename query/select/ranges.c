/* ranges: see ranges.h. */
#include "query/select/ranges.h"

#include "src/base/order.h"

#include <assert.h>

static bool goes_on(const struct range *range, int64_t first)
{
    return range->last == INT64_MAX || first <= range->last + 1;
}

void ranges_add(struct ranges *self, int64_t first, int64_t last)
{
    if (last < first)
        return;
    struct range *before = self->count ? &self->items[self->count - 1] : NULL;
    if (before && first >= before->first && goes_on(before, first)) {
        if (last > before->last)
            before->last = last;
        return;
    }
    array_add(self, (struct range){first, last});
}

ORDER_BY(compare, struct range, UP(first));

void ranges_settle(struct ranges *self)
{
    array_sort(self, compare);
    size_t kept = 0;
    for (size_t i = 0; i < self->count; i++) {
        struct range *range = &self->items[i];
        if (kept && goes_on(&self->items[kept - 1], range->first)) {
            if (range->last > self->items[kept - 1].last)
                self->items[kept - 1].last = range->last;
        } else {
            self->items[kept++] = *range;
        }
    }
    self->count = kept;
}

bool ranges_contain(const struct ranges *self, int64_t id)
{
    size_t place; /* of the first range that ends at or after the id */
    ARRAY_LOWER_BOUND(place, self->count, self->items[place].last < id);
    /* ranges_settle has put them in order */
    assert(place + 1 >= self->count || self->items[place].last < self->items[place + 1].first);
    return place < self->count && self->items[place].first <= id;
}

void ranges_intersect(struct ranges *self, const struct ranges *other)
{
    struct ranges shared = {0};
    for (size_t i = 0, j = 0; i < self->count && j < other->count;) {
        const struct range *a = &self->items[i], *b = &other->items[j];
        ranges_add(&shared, a->first > b->first ? a->first : b->first,
                   a->last < b->last ? a->last : b->last);
        if (a->last < b->last)
            i++;
        else
            j++;
    }
    array_free(self);
    *self = shared;
}

void ranges_subtract(const struct ranges *self, const struct ranges *other, struct ranges *out)
{
    for (size_t i = 0, j = 0; i < self->count; i++) {
        int64_t next = self->items[i].first, last = self->items[i].last;
        bool is_rest = true; /* the ids from `next` on are in no range of `other` so far */
        while (j < other->count && other->items[j].last < next)
            j++;
        for (; is_rest && j < other->count && other->items[j].first <= last; j++) {
            ranges_add(out, next, other->items[j].first - 1);
            is_rest = other->items[j].last < last;
            if (!is_rest) /* it may reach into the next range, too */
                break;
            next = other->items[j].last + 1;
        }
        if (is_rest)
            ranges_add(out, next, last);
    }
}
