/* difference: two forests side by side: nodes in pairs, one merged tree, and the GPU activities
 * that differ, each with the lowest node that both have above it. diff_tables.c makes tables of it.
 */
#pragma once

#include "sql/diff/forest.h"

/* ------------------------------------------------------------------ pairs: pairing.c
 *
 * Lists are aligned by name. Where a name is there several times on one side, the names of what is
 * below decides which of them belong together: nodes whose next four levels have more levels in
 * common first, then more names in the first level that differs. The smaller side of such a name is
 * then matched as a whole. The lists are the children of two nodes, or roots. */

#define PAIR_NONE UINT32_MAX

/* Both: a match; left alone: a delete; right alone: an insert. */
struct pair {
    uint32_t left, right;
};

struct pair_list {
    struct pair *items;
    size_t count, room;
};

static inline bool pair_is_match(struct pair pair)
{
    return pair.left != PAIR_NONE && pair.right != PAIR_NONE;
}

/* Appends the pairs of two lists of symbols by edit distance, as places in the lists. */
void alignment_make(const uint32_t *left, size_t left_count, const uint32_t *right,
                    size_t right_count, struct pair_list *out);

struct node_list {
    uint32_t *items;
    size_t count, room;
};

/* Two forests, and what is known of them. */
struct pairing {
    const struct forest *left, *right;
    struct intern below; /* what is below nodes: four levels of sorted names, as bytes */
    ARRAY(uint32_t) left_below, right_below; /* of each node its number, or 0 */
    struct pairing_work *work;
};

/* Gives a pair list of nodes of the two forests. */
void pairing_make(struct pairing *self, const struct node_list *left, const struct node_list *right,
                  bool by_brief_name, struct pair_list *out);
void pairing_free(struct pairing *self);

/* ------------------------------------------------------------------ one tree: merged_tree.c
 *
 * Roots are paired by their place, or by name and what is below them; then the children of each
 * pair, all the way down. Children that launch nothing themselves and are as many on both sides
 * belong together by their place; others by their pairs. What one side wraps once more than the
 * other is unwrapped, and of what remains unmatched chains are shortened. Only nodes on the way to
 * the accelerator get in, and others of whose name the other side has one.
 *
 * Nodes of the merged tree are numbered in preorder. Nothing recurses: stacks of Python are deep.
 */

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

void merged_tree_make(struct merged_tree *self, const struct forest *left,
                      const struct forest *right, bool roots_by_place);

/* ------------------------------------------------------------------ differences: difference.c
 *
 * A node of both is a point of difference when it has children of one side alone, or is a kernel
 * or copy itself: then the work below these children, and itself, is listed, of either side with
 * the time that it covers together. So every GPU activity below the roots is listed once, unless
 * no op is above it. */

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

/* Adds names of points and modules to the symbols of the forests. */
void difference_find(struct difference_list *self, struct intern *symbols,
                     const struct merged_tree *tree, const struct forest forests[2]);

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

void points_find(struct point_list *self, const struct difference_list *differences,
                 const struct forest forests[2]);

/* Appends the names of a set, with their numbers. */
void points_write_set(const struct point_list *self, const struct intern *symbols, uint32_t set,
                      struct text *out);

/* op_names: names that the ops of both traces have in common, for tables by op.
 *
 * Ops below one point of difference belong together: pairs of their names in order, when there are
 * as many on both sides, else names that have something in common. Their name is then what one
 * contains of the other (miopen_convolution and convolution are convolution), a/b when they begin
 * alike, the module that both are in alone; else, but not like the reference, the name of the
 * point, or a/b. */

/* Gives each row its name. Like the reference, a module may be called root. */
void op_names_find(struct difference_list *differences, struct intern *symbols,
                   const struct merged_tree *tree, const struct forest forests[2],
                   bool like_reference);
