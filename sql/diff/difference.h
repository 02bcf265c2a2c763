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
    uint32_t op_name;                  /* the same of the op, as op_names has it */
};

/* When both sides are the same only one of them is there, as SIDE_BOTH. */
struct difference_list {
    ARRAY(struct difference) rows;
};

/* Adds names of points and modules to the symbols of the forests. False when memory is out. */
bool difference_find(struct difference_list *self, struct intern *symbols,
                     const struct merged_tree *tree, const struct forest forests[2]);
void difference_free(struct difference_list *self);

/* points: the points of difference of a merged tree, the greatest change first, with the sets of
 * kernels that each has in the two traces. */

struct point {
    uint32_t number;             /* in the merged tree */
    uint32_t first;              /* its first row, of the baseline if that has one */
    int64_t busy_ns1, busy_ns2;  /* covered by its work */
    uint32_t kernels1, kernels2; /* how many */
    uint32_t set1, set2;         /* in `sets`; 0 = none */
};

struct point_list {
    ARRAY(struct point) points;
    struct intern sets; /* names of work, as symbols, and how often each */
};

/* False when memory is out. */
bool points_find(struct point_list *self, const struct difference_list *differences,
                 const struct forest forests[2]);
void points_free(struct point_list *self);

/* Appends the names of a set, with their numbers; false when memory is out. */
bool points_write_set(const struct point_list *self, const struct intern *symbols, uint32_t set,
                      struct text *out);

/* op_names: names that the ops of both traces have in common, for tables by op.
 *
 * Ops below one point of difference belong together: pairs of their names in order, when there are
 * as many on both sides, else names that have something in common. Their name is then what one
 * contains of the other (miopen_convolution and convolution are convolution), a/b when they begin
 * alike, the module that both are in alone; else, but not like the reference, the name of the
 * point, or a/b. */

/* Gives each row its name. Like the reference, a module may be called root. False when memory is
 * out. */
bool op_names_find(struct difference_list *differences, struct intern *symbols,
                   const struct merged_tree *tree, const struct forest forests[2],
                   bool like_reference);
