/* end_tree: of things in the order of their starts the last one up to a place that ends after a
 * time.
 *
 *     struct end_tree tree = {0};
 *     end_tree_reserve(&tree, count);
 *     end_tree_set(&tree, i, end)              for each of them
 *     end_tree_settle(&tree);
 *     end_tree_last(&tree, place, time)        END_TREE_NONE when none does
 *
 * A search takes the logarithm of their number, however deep they nest. Plain C.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define END_TREE_NONE SIZE_MAX

/* Node i has the latest end below it, its children are 2 i and 2 i + 1, `width` is that of item 0.
 */
struct end_tree {
    int64_t *latest; /* NULL: there is none yet */
    size_t width;
};

/* Room for so many, none of which has an end yet; false when memory is out. */
bool end_tree_reserve(struct end_tree *self, size_t count);
void end_tree_set(struct end_tree *self, size_t place, int64_t end);
void end_tree_settle(struct end_tree *self);

size_t end_tree_last(const struct end_tree *self, size_t place, int64_t time);

void end_tree_free(struct end_tree *self);
