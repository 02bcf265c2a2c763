/* model: what `tpq model` answers: which models there are, and what they say about calls.
 *
 * Called by verb_model.c with an open warehouse; writes to `out`.
 */
#pragma once

#include "sql/evaluate/evaluator.h"
#include "sql/warehouse/warehouse.h"

#include <stdio.h>

/* Prints one call with its outcome: a JSON object on a line, or words. `model` may be NULL. */
void model_print(const struct signature *call, const struct model *model,
                 const struct outcome *outcome, bool json, FILE *out);

/* Evaluates calls that are given as JSON Lines, and prints the outcomes in the same order. */
bool model_eval_file(struct evaluator *evaluator, const char *path, bool json, FILE *out,
                     struct error *error);

/* The call that words describe: dtype[dims] is an operand, N=VALUE the concrete input N,
 * kernel=NAME and annotation=WORDS what they say, and KEY=VALUE any other argument. */
bool model_read_words(const char *op, const char *const *words, size_t count,
                      struct signature *call, struct error *error);

/* Prints the least time that a device needs for an outcome, from the peaks in the catalog; without
 * an outcome it only looks the device up. */
bool model_print_roofline(struct warehouse *warehouse, const char *device,
                          const struct outcome *outcome, FILE *out, struct error *error);

/* Prints the row that holds for an op, and the rows that it beats. */
bool model_show(struct evaluator *evaluator, const char *op, FILE *out, struct error *error);

/* Prints how many rows of each table a file has added. */
bool model_print_rows(struct warehouse *warehouse, const char *path, FILE *out,
                      struct error *error);

/* Prints what expressions may call. */
void model_helpers(FILE *out);
