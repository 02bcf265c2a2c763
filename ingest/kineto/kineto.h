/* kineto: the Chrome trace JSON that PyTorch's profiler (Kineto) writes, as a format. formats.c
 * lists it; kineto.c says how it is read. */
#ifndef TPQ_INGEST_KINETO_KINETO_H
#define TPQ_INGEST_KINETO_KINETO_H

#include "ingest/trace/format.h"

extern const struct format kineto_format;

#endif
