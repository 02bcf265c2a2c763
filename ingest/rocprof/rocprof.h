/* rocprof: the JSON that rocprofv3 writes (--output-format json). */
#ifndef TPQ_INGEST_ROCPROF_ROCPROF_H
#define TPQ_INGEST_ROCPROF_ROCPROF_H

#include "ingest/trace/format.h"

extern const struct format rocprof_format;

#endif
