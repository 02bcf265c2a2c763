/* nsys: what Nsight Systems exports as a SQLite database (nsys export --type sqlite). */
#pragma once

#include "ingest/trace/format.h"

extern const struct format nsys_format;
