/* signature: one call of an op, as a model sees it: its inputs, and what else a trace says.
 *
 * signature_read takes what tests and the command line give, one JSON object:
 *     op, input_dims, input_types, input_strides, concrete_inputs    as a trace records them
 *     kernel_names, annotation, extra_args, linked_fwd               where a model needs them
 */
#pragma once

#include "src/base/literal.h"

/* Fields of an annotation about a batch of requests: queries, keys, queries squared and queries x
 * keys, summed over requests in prefill (c_) and in decoding (g_). */
enum { STEP_FIELDS = 8 };
extern const char *const step_fields[STEP_FIELDS];

struct signature {
    struct literals values;
    char *op;
    int dims, types, strides, concrete, kernels, args, output_types; /* places in `values` */
    bool has_step;
    int64_t step[STEP_FIELDS];
    bool has_forward;
    int forward_dims, forward_types, forward_strides, forward_concrete;
};

/* Forgets the call that is in it and names the next one. */
void signature_start(struct signature *self, const char *op);

/* Reads a part of it; what cannot be read is absent. */
int signature_part(struct signature *self, const char *json);

/* Takes the batch from the words of an annotation; false when they do not tell. */
bool signature_annotate(struct signature *self, const char *words);

/* Reads all of it; false when the text is no object with an op. */
bool signature_read(struct signature *self, struct view json);

void signature_free(struct signature *self);
