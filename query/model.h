/* model: what `tpq model` answers: which models there are, and what they say about calls.
 *
 * Called by verb_model.c with an open warehouse; writes to `out`.
 */
#ifndef TPQ_QUERY_MODEL_H
#define TPQ_QUERY_MODEL_H

#include "evaluate/evaluator.h"
#include "warehouse.h"

#include <stdio.h>

/* Prints one call with its outcome: a JSON object on a line, or words. `model` may be NULL. */
bool model_print(const struct signature *call, const struct model *model,
                 const struct outcome *outcome, bool json, FILE *out, struct error *error);

/* Evaluates calls that are given as JSON Lines, and prints the outcomes in the same order. */
bool model_eval_file(struct evaluator *evaluator, const char *path, bool json, FILE *out,
                     struct error *error);

#endif
