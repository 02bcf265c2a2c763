/* packer: bytes as a gzip member, time after time. The same bytes become the same member. */
#ifndef TPQ_QUERY_PARQUET_PACKER_H
#define TPQ_QUERY_PARQUET_PACKER_H

#include "src/base/text.h"

#define ZLIB_CONST
#include <zlib.h>

struct packer {
    z_stream stream;
    bool is_open;
};

/* Appends a member; false: memory is out. */
bool packer_add(struct packer *self, struct view bytes, struct text *out);

void packer_close(struct packer *self);

#endif
