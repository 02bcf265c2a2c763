/* kineto: the Chrome trace JSON that PyTorch's profiler (Kineto) writes, as a format. formats.c
 * lists it; kineto.c says how it is read. */
#ifndef TPQ_INGEST_KINETO_KINETO_H
#define TPQ_INGEST_KINETO_KINETO_H

#include "ingest/trace/format.h"

bool kineto_recognises(const unsigned char *bytes, size_t length);
bool kineto_read(struct source *source, const struct read_options *options, struct trace *trace,
                 struct error *error);

#endif
