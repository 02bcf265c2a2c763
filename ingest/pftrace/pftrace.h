/* pftrace: traces in the format of Perfetto, of which track events are read: slices, tracks and
 * arrows. rocprofv3 writes them (--output-format pftrace), and so do programs with its SDK. */
#pragma once

#include "ingest/trace/format.h"

extern const struct format pftrace_format;
