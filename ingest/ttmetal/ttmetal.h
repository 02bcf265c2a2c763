/* ttmetal: the op table that tt-metal's profiler writes, as a format. formats.c lists it;
 * ttmetal_header.h says how it is read. */
#ifndef TPQ_INGEST_TTMETAL_TTMETAL_H
#define TPQ_INGEST_TTMETAL_TTMETAL_H

#include "ingest/trace/format.h"

bool ttmetal_recognises(const unsigned char *bytes, size_t length);
bool ttmetal_read(struct source *source, const struct read_options *options, struct trace *trace,
                  struct error *error);

#endif
