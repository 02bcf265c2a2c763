/* ttmetal: the op table that tt-metal's profiler writes, as a format. formats.c lists it;
 * ttmetal_header.h says how it is read. */
#pragma once

#include "ingest/trace/format.h"

extern const struct format ttmetal_format;
