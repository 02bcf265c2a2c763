/* rocprof: the JSON that rocprofv3 writes (--output-format json). */
#pragma once

#include "ingest/trace/format.h"

extern const struct format rocprof_format;
