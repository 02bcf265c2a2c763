/* file: whole files read and written, folders made. Whoever reads more than a few lines at a time
 * from a file of any size has a reader of its own (ingest/input/source.h).
 *
 * Where a file is written there may be anything, also what somebody else left there: a link, a
 * pipe, a second name of another file. A new file takes its name, and nothing is written through
 * it.
 */
#pragma once

#include "src/base/error.h"
#include "src/base/text.h"

#include <stdio.h>

/* Opens a file to read it. Pipes, devices and directories are refused: nobody knows their end. */
FILE *file_open_plain(const char *path, struct error *error);

/* Appends all bytes of a file, and a zero behind them. */
bool file_read(const char *path, struct text *out, struct error *error);

/* Makes a file of these bytes, in place of one that is there. */
bool file_write(const char *path, struct view bytes, struct error *error);

/* A file that is written piece by piece and then takes the place of one that is there, which stays
 * whole until then. */
struct new_file {
    FILE *out; /* NULL: not open */
    char *path;
    struct text building;
};

bool new_file_open(struct new_file *self, const char *path, struct error *error);

/* Puts it there if `done` and all of it was written; else nothing is left of it. */
bool new_file_close(struct new_file *self, bool done, struct error *error);

/* A new file beside `path`, by a name that nothing has, in `building` (empty before): its
 * descriptor, or -1 with an error. The caller renames or removes it; with the
 * memory in use it is removed. */
int file_begin(const char *path, struct text *building, struct error *error);

/* The path of a file without links and dots, allocated; NULL, with errno: it is not there. */
char *file_real_path(const char *path);

/* Makes a folder where there is none, or a link to one that a user named. */
bool file_make_folder(const char *path, struct error *error);

/* The same of a name that tpq chose, or a trace: a link is refused. */
bool file_make_own_folder(const char *path, struct error *error);
