/* ranges: sets of ids, as lists of ranges in order that neither touch nor overlap.
 *
 *     struct ranges events = {0};
 *     ranges_add(&events, 5, 9);           in any order; then
 *     ranges_settle(&events);              puts them in order and joins them
 *     ranges_intersect(&events, &others);
 *     array_free(&events);
 *
 * The same serves for times, with the last moment of a range in it. All take time linear in the
 * ranges; settling sorts, unless they came in order.
 */
#pragma once

#include "src/base/array.h"

#include <stdint.h>

struct range {
    int64_t first, last;
};

struct ranges {
    struct range *items;
    size_t count, room;
};

/* Adds a range; one without ids is skipped. Joins it with the range that was added before
 * when it goes on where that one ends. */
void ranges_add(struct ranges *self, int64_t first, int64_t last);

void ranges_settle(struct ranges *self);

/* Settled ranges: whether an id is in them; what two sets share; what only the first has. */
bool ranges_contain(const struct ranges *self, int64_t id);
void ranges_intersect(struct ranges *self, const struct ranges *other);
void ranges_subtract(const struct ranges *self, const struct ranges *other, struct ranges *out);
