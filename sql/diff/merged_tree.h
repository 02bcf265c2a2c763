/* merged_tree: two forests as one, node beside node.
 *
 * Roots are paired by their place, or by name and what is below them; then the children of each
 * pair, all the way down. Children that launch nothing themselves and are as many on both sides
 * belong together by their place; others by pairing.h. What one side wraps once more than the other
 * is unwrapped, and of what remains unmatched chains are shortened. Only nodes on the way to the
 * accelerator get in, and others of whose name the other side has one.
 *
 * Nodes of the merged tree are numbered in preorder. Nothing recurses: stacks of Python are deep.
 */
#pragma once

#include "sql/diff/pairing.h"

struct merged_node {
    uint32_t left, right;  /* nodes of the forests, or FOREST_NONE */
    uint32_t parent, root; /* number of the node it was met under, or FOREST_NONE; of the root */
    uint32_t first_child, child_count; /* in `children` */
    uint32_t place, depth;             /* among its siblings; how many are above it */
};

struct merged_tree {
    ARRAY(struct merged_node) nodes;
    ARRAY(uint32_t) children, roots;
};

/* False when memory is out. */
bool merged_tree_make(struct merged_tree *self, const struct forest *left,
                      const struct forest *right, bool roots_by_place);
void merged_tree_free(struct merged_tree *self);
