/* run_per: many runs of one call, by the paths of their files.
 *
 *     file         a run is a file; files of one directory that differ only in the rank are one run
 *     directory    a run is a directory with traces right in it
 *     a pattern    a regular expression, whose group `run`, else first group, else match is the
 *                  name of the run; other named groups are labels of it
 */
#pragma once

#include "ingest/discover.h"

/* Says which run each input is of, and takes out those that a pattern does not match. All runs get
 * `labels`, a list that ends with NULL. `rank_pattern` is that of ingest_options. */
bool run_per_find(const char *word, const char *rank_pattern, const char *const *labels,
                  input_list *inputs, struct error *error);
