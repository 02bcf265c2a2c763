/* packer: see packer.h. */
#include "query/parquet/packer.h"

#include <assert.h>

/* The quickest: better ones save a twentieth. */
enum { LEVEL = 1, MEMORY = 8, AS_GZIP = 16 };

static bool begin(struct packer *self)
{
    int result = self->is_open ? deflateReset(&self->stream)
                               : deflateInit2(&self->stream, LEVEL, Z_DEFLATED, MAX_WBITS + AS_GZIP,
                                              MEMORY, Z_DEFAULT_STRATEGY);
    self->is_open |= result == Z_OK;
    return result == Z_OK;
}

bool packer_add(struct packer *self, struct view bytes, struct text *out)
{
    static const Bytef nothing[1];
    if (!begin(self))
        return false;
    size_t room = deflateBound(&self->stream, bytes.length);
    assert(bytes.length <= UINT32_MAX && room <= UINT32_MAX);
    if (!array_reserve(out, room + 1))
        return false;
    self->stream.next_in = bytes.length ? (const Bytef *)bytes.bytes : nothing;
    self->stream.avail_in = (uInt)bytes.length;
    self->stream.next_out = (Bytef *)out->items + out->count;
    self->stream.avail_out = (uInt)room;
    if (deflate(&self->stream, Z_FINISH) != Z_STREAM_END)
        return false;
    out->count += room - self->stream.avail_out;
    out->items[out->count] = '\0';
    return true;
}

void packer_close(struct packer *self)
{
    if (self->is_open)
        deflateEnd(&self->stream);
    *self = (struct packer){.is_open = false};
}
