/* packer: bytes as a gzip member, time after time. The same bytes become the same member.
 *
 * Most pages of small tables have a few hundred bytes: these go through a stream with small tables,
 * as clearing those of a usual one costs more than what it does then.
 */
#pragma once

#include "src/base/text.h"

#define ZLIB_CONST
#include <zlib.h>

struct packer {
    struct packer_stream {
        z_stream stream;
        bool is_open;
    } small, large;
};

/* Appends a member; false: memory is out. */
bool packer_add(struct packer *self, struct view bytes, struct text *out);

void packer_close(struct packer *self);
