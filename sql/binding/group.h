/* group: rows sorted by what they have in common, for the price of a hash for each row and key.
 *
 * Every row begins in group 0. Each key parts the groups further; at the end the groups, of which
 * there are few, are sorted, and the rows with them. Within a group they stay as they were. Plain
 * C.
 *
 *     group_start(&groups, count);
 *     group_part(&groups, keys);       for each column: a number for each row
 *     group_finish(&groups, compare, context);     now groups.order
 */
#pragma once

#include "src/base/array.h"

#include <stdint.h>

struct groups {
    uint32_t *numbers; /* of each row, by first appearance */
    uint32_t *order;   /* rows, group by group */
    size_t count, groups;
};

/* Compares two rows of different groups. */
typedef int (*group_compare)(size_t left, size_t right, void *context);

void group_start(struct groups *self, size_t count);
void group_part(struct groups *self, const int64_t *keys);
void group_finish(struct groups *self, group_compare compare, void *context);
void group_free(struct groups *self);
