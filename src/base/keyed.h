/* keyed: many things in the order of a number, for a few passes over them.
 *
 *     keys[i] = (struct keyed){things[i].start, i}, ..., keyed_sort(keys, count)
 *     keyed_sort_items(things, count, sizeof *things, offsetof(struct thing, start))
 *
 * What has the same number stays as it was: by several numbers things are sorted by the last one
 * first.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keyed {
    int64_t key;
    uint32_t place;
};

/* Sorts by the keys; equal ones stay in their order. */
void keyed_sort(struct keyed *items, size_t count);

/* Things of a size, which have an int64_t at an offset. */
bool keyed_sort_items(void *items, size_t count, size_t size, size_t offset);
