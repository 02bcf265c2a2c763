/* nsys_report: reports of Nsight Systems (.nsys-rep), a closed format that only its own program
 * reads. */
#pragma once

#include "ingest/input/source.h"

/* Exports a report as SQLite where nsys is on PATH, and says so on standard error: the export in
 * `content`, by the path of the report. Else `content` is the source itself. False: failed. */
bool nsys_report_export(struct source *source, struct source **content, struct error *error);
