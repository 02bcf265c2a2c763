/* nsys: what Nsight Systems exports as a SQLite database (nsys export --type sqlite). */
#ifndef TPQ_INGEST_NSYS_NSYS_H
#define TPQ_INGEST_NSYS_NSYS_H

#include "ingest/trace/format.h"

extern const struct format nsys_format;

#endif
