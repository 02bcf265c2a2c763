/* file: whole files read and written, folders made. Whoever reads more than a few lines at a time
 * from a file of any size has a reader of its own (ingest/input/source.h).
 */
#ifndef TPQ_SRC_BASE_FILE_H
#define TPQ_SRC_BASE_FILE_H

#include "src/base/error.h"
#include "src/base/text.h"

/* Appends all bytes of a file, and a zero behind them. */
bool file_read(const char *path, struct text *out, struct error *error);

/* Makes a file of these bytes, in place of one that is there. */
bool file_write(const char *path, struct view bytes, struct error *error);

/* Makes a folder where there is none. */
bool file_make_folder(const char *path, struct error *error);

#endif
