/* whole_file: a file that is written piece by piece, compressed or not, and has its name only when
 * it is whole; or standard output.
 *
 *     struct whole_file file;
 *     bool done = whole_file_open(&file, "trace.json.gz", PACKED_QUICKLY, &error);
 *     text_add_string(&file.text, "...");
 *     done = done && whole_file_spill(&file) && ...;
 *     done = whole_file_close(&file, done);
 *
 * What is written is added to its text. A writer spills it now and then, between any two things.
 */
#pragma once

#include "src/base/error.h"
#include "src/base/text.h"

enum packing { NOT_PACKED, PACKED_QUICKLY, PACKED_SMALL };

struct whole_file {
    const char *path; /* the caller's; "-" = standard output */
    struct error *error;
    struct text text;     /* not yet written */
    struct text building; /* the name that it has until it is whole */
    struct gzFile_s *stream;
};

bool whole_file_open(struct whole_file *self, const char *path, enum packing packing,
                     struct error *error);

/* Writes what has come together, when that is a good piece. */
bool whole_file_spill(struct whole_file *self);

/* Writes the rest and gives the file its name; where all was not `done`, leaves nothing behind. */
bool whole_file_close(struct whole_file *self, bool done);
