/* names: what there is of a kind, a name a line: `tpq help names KIND`, for the completions of
 * shells.
 */
#pragma once

#include "src/base/error.h"

#include <stdio.h>

/* Names in the warehouse that $TPQ_DB or the directory names, where the kind is one of things in
 * it; none where there is no warehouse. A name with a control character in it is left out. */
bool names_print(const char *kind, FILE *out, struct error *error);
