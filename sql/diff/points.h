/* points: the points of difference of a merged tree, those that change most first, with the sets of
 * kernels that each has in the two traces.
 */
#pragma once

#include "sql/diff/difference.h"

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
