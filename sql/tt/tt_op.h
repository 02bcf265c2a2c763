/* tt_op: what the cells of an op of tt-metal mean: dimensions, types, attributes, math fidelity.
 * Plain C; bind_tt.c makes SQL functions of it. */
#pragma once

#include "src/base/text.h"

/* The number that a text begins with, as in 32[17]: the padded size. -1 when there is none. */
int64_t tt_dimension(const char *cell);

/* Bytes of an element, by the digits in the name of its type; 4 when there are none. */
double tt_type_bytes(const char *type);

/* The last two parts of a memory's name, in lower case: dram_interleaved of
 * DEV_1_DRAM_INTERLEAVED. False when memory is out. */
bool tt_memory_layout(const char *memory, struct text *layout);

/* Short names of the types that have one. */
const char *tt_type_name(const char *type);

/* A number of the program configuration: in0_block_w, out_subblock_h, out_subblock_w. -1 = none. */
int64_t tt_config(const char *attributes, const char *name);

/* Height times width of a convolution's window; -1 = not stated. */
int64_t tt_window_area(const char *attributes);

/* Labels of a convolution and of a halo; false when memory is out. */
bool tt_convolution_label(const char *attributes, struct text *label);
bool tt_halo_label(const char *attributes, struct text *label);

/* Whether a fidelity fits the types, and what to say about it. Any of them may be NULL. */
struct tt_verdict {
    const char *class;  /* sufficient, too_high, too_low, not_applicable or unknown */
    const char *advice; /* a sentence; NULL = none. It may hold one %s, for the type */
    const char *type;   /* that is not known */
};
struct tt_verdict tt_fidelity(const char *in0, const char *in1, const char *out,
                              const char *fidelity);
