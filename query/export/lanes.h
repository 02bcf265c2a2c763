/* lanes: the first of several rows of a track where a slice nests in what is open on it.
 *
 *     struct lanes lanes = {0};
 *     lanes_put(&lanes, start, end, &lane)     for each slice, in the order of starts; of those
 *                                              that start together the longest first
 *
 * However many lanes there are, a slice takes the logarithm of their number.
 */
#pragma once

#include "src/base/array.h"

#include <stdint.h>

/* Ends of the innermost open slices of a lane, or of all below a node. */
struct lane_ends {
    int64_t least, most;
};

struct lanes {
    struct lane {
        int64_t *items; /* ends of what is open, the innermost last */
        size_t count, room;
    } * items;
    size_t count, room;
    struct lane_ends *tree; /* node i has 2 i and 2 i + 1 below it; lane 0 is node `width` */
    size_t width;
};

void lanes_put(struct lanes *self, int64_t start, int64_t end, uint32_t *lane);
