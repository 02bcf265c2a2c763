/* xlsx_file: a file that gets its name only when it is whole.
 *
 *     xlsx_file_open(&file, path, overwrite, error); ... write file.building ...;
 *     xlsx_file_publish(&file, error); xlsx_file_free(&file);
 */
#pragma once

#include "src/base/error.h"

struct xlsx_file {
    char *path, *directory;
    char *building; /* where it is written, beside `path`; NULL once it has its name */
    bool overwrite;
    bool is_out; /* copied to standard output when it is whole */
};

/* Fails for a file that is there, unless it may be overwritten, and where none can be made. */
bool xlsx_file_open(struct xlsx_file *self, const char *path, bool overwrite, struct error *error);

/* The error of a file that cannot be written, for this reason; returns false. */
bool xlsx_file_error(const struct xlsx_file *self, int reason, struct error *error);

/* Whether the members of the zip archive stand one behind the other, where its directory says that
 * they do: minizip takes a position that it could not get for one. An archive with fields for more
 * than 4 GB is not looked into. */
bool xlsx_file_is_whole(const struct xlsx_file *self);

bool xlsx_file_publish(struct xlsx_file *self, struct error *error);

/* Removes what is unfinished. */
void xlsx_file_free(struct xlsx_file *self);
