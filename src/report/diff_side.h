/* diff_side: a trace whose call tree is compared with that of another one: a file, a run that has
 * one trace, or one of the rank that --rank names, or the number of a trace. `tpq diff` has two of
 * them, `tpq report --diff` one.
 */
#pragma once

#include "ingest/discover.h"
#include "ingest/ingest.h"
#include "src/command/option.h"

bool diff_side_is_file(const char *word);

/* Reads a file into the warehouse of `options`, and adds it to the inputs. Of several ranks it is
 * the one that --rank names. */
bool diff_side_ingest(const struct arguments *arguments, const char *path,
                      struct ingest_options *options, input_list *inputs, int64_t *trace,
                      struct error *error);

/* Finds a word for a run (run_choice.h) that has one trace, or a trace by its number. */
bool diff_side_find(const struct arguments *arguments, struct warehouse *warehouse,
                    const char *word, int64_t *trace, struct error *error);

/* Kernels alone have no tree: fails for a trace without ops, which the user calls `word`. */
bool diff_side_check(const struct arguments *arguments, struct warehouse *warehouse,
                     const char *word, int64_t trace, struct error *error);
