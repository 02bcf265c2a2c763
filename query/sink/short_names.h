/* short_names: the names of a column's kernels as tables show them: short (kernel_name.h), and of
 * two different ones never alike. Names with one short form get what tells them apart behind it:
 * `vectorized_elementwise<MulFunctor>`, or show other pieces of themselves:
 * `cutlass_80_tensorop…64x64_32x6_nt_align4`.
 *
 * A report adds all names of a column, makes the short ones, and hands them to the outputs with the
 * column.
 */
#pragma once

#include "src/base/intern.h"

struct short_names {
    bool of_calls;        /* behind -> in a name stands that of a kernel, perhaps (Synthetic Op) */
    struct intern names;  /* as they are */
    struct intern shown;  /* short */
    ARRAY(uint32_t) made; /* of each name its short one */
    ARRAY(uint32_t) used; /* of each short one the number that was last put behind it */
};

/* Both return true. */
void short_names_add(struct short_names *self, struct view name);
void short_names_make(struct short_names *self); /* once, when all are added */

/* The short form of a name that was added; any other stays as it is. */
struct view short_names_find(const struct short_names *self, struct view name);

void short_names_free(struct short_names *self);
