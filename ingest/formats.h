/* formats: the list of what can be read, and which of them an input is.
 *
 * A new format is a folder with its reader, which keeps the contract of trace/format.h, and a line
 * in formats.c. Whoever opens an input asks here first.
 */
#pragma once

#include "ingest/trace/format.h"

/* One after the other; NULL behind the last. */
const struct format *format_at(size_t index);

/* The format with this name, or NULL. */
const struct format *format_find(const char *name);

/* The format of an input, or NULL with an error that says why there is none. */
const struct format *format_detect(struct source *source, struct error *error);
