/* rocpd: the databases that AMD's rocprofv3 and rocprofiler-systems write (schema 3 and 4). */
#ifndef TPQ_INGEST_ROCPD_ROCPD_H
#define TPQ_INGEST_ROCPD_ROCPD_H

#include "ingest/trace/format.h"

extern const struct format rocpd_format;

#endif
