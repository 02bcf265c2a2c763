/* file: whole files read and written, folders made. Whoever reads more than a few lines at a time
 * from a file of any size has a reader of its own (ingest/input/source.h).
 *
 * Where a file is written there may be anything, also what somebody else left there: a link, a
 * pipe, a second name of another file. A new file takes its name, and nothing is written through
 * it.
 */
#ifndef TPQ_SRC_BASE_FILE_H
#define TPQ_SRC_BASE_FILE_H

#include "src/base/error.h"
#include "src/base/text.h"

#include <stdio.h>

/* Appends all bytes of a file, and a zero behind them. */
bool file_read(const char *path, struct text *out, struct error *error);

/* Makes a file of these bytes, in place of one that is there. */
bool file_write(const char *path, struct view bytes, struct error *error);

/* An empty file in place of one that is there, to be written piece by piece; NULL with an error. */
FILE *file_create(const char *path, struct error *error);

/* A new file beside `path`, by a name that nothing has, in `building` (empty before): its
 * descriptor, or -1 with an error. The caller renames or removes it. */
int file_begin(const char *path, struct text *building, struct error *error);

/* Makes a folder where there is none, or a link to one that a user named. */
bool file_make_folder(const char *path, struct error *error);

/* The same of a name that tpq chose, or a trace: a link is refused. */
bool file_make_own_folder(const char *path, struct error *error);

#endif
