/* archive: the members of a zip archive, found by their names and read one at a time.
 *
 * Only what workbooks are made of: members that are stored or deflated, no encryption, no parts,
 * less than 4 GiB. Checksums are verified.
 */
#pragma once

#include "src/base/error.h"
#include "src/base/text.h"

struct member {
    char *name;
    uint32_t method, crc, packed, place; /* place: of its header in the file */
};

struct archive {
    int file;
    const char *path; /* the caller's; for messages */
    int64_t size;
    ARRAY(struct member) members;
};

/* Opens a file and reads the list at its end. A file that is no zip archive has no members. */
bool archive_open(struct archive *self, const char *path, struct error *error);
void archive_close(struct archive *self);

/* NULL: there is none of this name. */
const struct member *archive_find(const struct archive *self, const char *name);

/* Hands out the content piece by piece, until `take` returns false; it then has filled the error
 * that was handed to it. */
typedef bool archive_take(void *context, const void *bytes, size_t length, struct error *error);
bool archive_read(const struct archive *self, const struct member *member, archive_take *take,
                  void *context, struct error *error);
