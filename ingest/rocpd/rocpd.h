/* rocpd: the databases that AMD's rocprofv3 and rocprofiler-systems write (schema 3 and 4). */
#pragma once

#include "ingest/trace/format.h"

extern const struct format rocpd_format;
