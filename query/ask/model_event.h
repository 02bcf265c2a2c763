/* model_event: calls of a trace as models see them, with what stands around them in the trace. */
#pragma once

#include "sql/evaluate/evaluator.h"
#include "sql/warehouse.h"

#include <stdio.h>

/* Reads the call that an event is: its inputs, other arguments, kernels, the batch of the step
 * around it, and its forward op. */
bool model_read_event(struct warehouse *warehouse, int64_t event, struct signature *call,
                      struct error *error);

/* Prints the inputs of an example of an op: place, dimensions, type, strides, concrete value. */
bool model_args(struct warehouse *warehouse, int64_t trace, const char *op, FILE *out,
                struct error *error);

/* Prints what the model says about each distinct call of an op in a trace. */
bool model_test(struct warehouse *warehouse, struct evaluator *evaluator, int64_t trace,
                const char *op, bool json, FILE *out, struct error *error);
