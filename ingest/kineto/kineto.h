/* kineto: the Chrome trace JSON that PyTorch's profiler (Kineto) writes, as a format. formats.c
 * lists it; kineto.c says how it is read. */
#pragma once

#include "ingest/trace/format.h"

extern const struct format kineto_format;
