/* difference: the GPU activities that differ between the two traces of a merged tree, and the
 * lowest node that both have above it.
 *
 * A node of both is a point of difference when it has children of one side alone, or is a kernel
 * or copy itself: then the work below these children, and itself, is listed, of either side with
 * the time that it covers together. So every GPU activity below the roots is listed once, unless
 * no op is above it.
 */
#pragma once

#include "sql/diff/merged_tree.h"

enum difference_sides { SIDE_LEFT = 1, SIDE_RIGHT = 2, SIDE_BOTH = 3 };

struct difference {
    uint32_t node, op; /* the work and the nearest op above it, in its forest */
    uint32_t point;    /* number in the merged tree; FOREST_NONE when nothing of both is above */
    int64_t busy_ns;   /* covered by the work that is listed with it */
    enum difference_sides side, named; /* where it ran; whose names the point has here */
    uint32_t point_name, module;       /* symbols; the innermost module, 0 = none */
    uint32_t op_name;                  /* the same of the op, as op_names.h has it */
};

/* When both sides are the same only one of them is there, as SIDE_BOTH. */
struct difference_list {
    ARRAY(struct difference) rows;
};

/* Adds names of points and modules to the symbols of the forests. False when memory is out. */
bool difference_find(struct difference_list *self, struct intern *symbols,
                     const struct merged_tree *tree, const struct forest forests[2]);
void difference_free(struct difference_list *self);
