/* collective: which kernels on several ranks are one collective.
 *
 * The kernels of a process group are matched by the first of these ways that holds for it:
 *
 *     seq      by the sequence number of the communicator, where every kernel states one and on a
 *              rank no two of the same name have the same
 *     step     by profiler step and place in it, where ranks that have a step have the same there
 *     index    by place on the rank, where all ranks have the same
 *     aligned  by when they ran, where clocks agree: kernels overlap, and end together; else the
 *              longest common sequence. Only kernels with the same signature become one; what is
 *              left over is a collective of one rank
 *
 * No way costs more than n log n, but that a common sequence is sought with so many differences at
 * a time. Plain C; collective_table.c makes tables of it.
 */
#pragma once

#include "src/base/array.h"

#include <stdint.h>

#define COLLECTIVE_UNKNOWN INT64_MIN

struct collective_part {
    uint32_t rank;      /* place of the rank among others */
    uint32_t name;      /* number of the name of the collective */
    uint32_t signature; /* number of name, type and sizes together */
    int64_t seq, step;  /* or COLLECTIVE_UNKNOWN */
    int64_t start, end; /* on a clock that ranks share, as far as there is one */
    uint32_t number;    /* result: of the collective in its group, from 0 */
};

enum collective_method {
    COLLECTIVE_SEQ,
    COLLECTIVE_STEP,
    COLLECTIVE_INDEX,
    COLLECTIVE_ALIGNED,
    COLLECTIVE_METHODS
};

extern const char *const collective_method_names[COLLECTIVE_METHODS];

/* Numbers the parts of a group, which come by rank and start, and says how: by `first` or one of
 * those behind it. With `is_forced` index holds even where ranks differ. */
void collective_match(struct collective_part *parts, size_t count, enum collective_method first,
                      bool is_forced, enum collective_method *method);
