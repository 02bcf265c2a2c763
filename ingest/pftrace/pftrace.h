/* pftrace: traces in the format of Perfetto, of which track events are read: slices, tracks and
 * arrows. rocprofv3 writes them (--output-format pftrace), and so do programs with its SDK. */
#ifndef TPQ_INGEST_PFTRACE_PFTRACE_H
#define TPQ_INGEST_PFTRACE_PFTRACE_H

#include "ingest/trace/format.h"

extern const struct format pftrace_format;

#endif
