/* host_names: Pieces of a thread are cut where the open events change, and each goes to the tally
 * of its owner. */
#include "sql/advice/evidence.h"

#include "src/base/order.h"

#include <stdlib.h>

void tally_add(struct tally *self, int64_t name, int64_t time, int64_t count)
{
    uint32_t *place = map_put(&self->places, name, 0);
    if (!*place) {
        array_add(&self->items, (struct named_time){.name = name});
        *place = (uint32_t)self->items.count;
    }
    self->items.items[*place - 1].time += time;
    self->items.items[*place - 1].count += count;
}

ORDER_BY(compare_times, struct named_time, DOWN(time) || UP(name));

struct named_time tally_most(struct tally *self, int64_t time)
{
    array_sort(&self->items, compare_times);
    struct named_time most = self->items.count ? self->items.items[0] : (struct named_time){0};
    for (size_t i = 0; i < self->items.count && most.name < 0; i++)
        if (self->items.items[i].name > 0 && self->items.items[i].time >= time / 10)
            most = self->items.items[i];
    most.name = most.name < -INT64_MAX ? 0 : llabs(most.name); /* what has no negative is no name */
    return most;
}

void tally_free(struct tally *self)
{
    map_free(&self->places);
    array_free(&self->items);
}

ORDER_BY(compare_names, struct host_name, UP(track) || UP(start) || DOWN(end) || UP(name));

/* Whose time it is while these are open. */
static const struct host_name *owner(const struct host_names *open)
{
    size_t at = open->items.count;
    for (size_t i = 0; i < open->items.count; i++)
        if (open->items.items[i].holds)
            return &open->items.items[i];
    while (at && open->items.items[at - 1].name < 0)
        at--;
    return &open->items.items[(at ? at : open->items.count) - 1];
}

/* Adds the part of `of` from `from` to `to`, which may be empty. */
static void add_piece(struct host_names *pieces, const struct host_name *of, int64_t from,
                      int64_t to)
{
    if (from < to)
        array_add(&pieces->items,
                  (struct host_name){of->track, from, to, of->name, from > of->start, of->holds});
}

void host_names_settle(struct host_names *self)
{
    struct host_names pieces = {0}, open = {0};
    int64_t at = 0;
    array_sort(&self->items, compare_names);
    for (size_t i = 0; i <= self->items.count; i++) {
        const struct host_name *next = i < self->items.count ? &self->items.items[i] : NULL;
        while (open.items.count) {
            const struct host_name *last = &open.items.items[open.items.count - 1];
            if (next && next->track == last->track && next->start < last->end)
                break;
            add_piece(&pieces, owner(&open), at, last->end);
            at = at > last->end ? at : last->end;
            open.items.count--;
        }
        if (!next)
            break;
        if (open.items.count)
            add_piece(&pieces, owner(&open), at, next->start);
        at = next->start;
        array_add(&open.items, *next);
    }
    arrays_free(&open.items, &self->items);
    *self = pieces;
    array_sort(&self->items, compare_names);
}

void host_names_tally(const struct host_names *self, int64_t track, int64_t start, int64_t end,
                      struct tally *tally)
{
    size_t at;
    ARRAY_LOWER_BOUND(
        at, self->items.count,
        self->items.items[at].track < track ||
            (self->items.items[at].track == track && self->items.items[at].end <= start));
    for (; at < self->items.count; at++) {
        const struct host_name *piece = &self->items.items[at];
        if (piece->track != track || piece->start >= end)
            break;
        int64_t from = piece->start > start ? piece->start : start;
        int64_t to = piece->end < end ? piece->end : end;
        if (to > from)
            tally_add(tally, piece->name, to - from, !piece->is_rest);
    }
}
