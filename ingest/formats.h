/* formats: the list of what can be read, and which of them an input is.
 *
 * A new format is a folder with its reader, which keeps the contract of trace/format.h, and a line
 * in formats.c. Whoever opens an input asks here first.
 */
#ifndef TPQ_INGEST_FORMATS_H
#define TPQ_INGEST_FORMATS_H

#include "ingest/trace/format.h"

/* The format of an input, or NULL with an error that says why there is none. */
const struct format *format_detect(struct source *source, struct error *error);

#endif
