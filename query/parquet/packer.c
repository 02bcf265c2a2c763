/* packer: see packer.h. */
#include "query/parquet/packer.h"

#include <assert.h>

/* The quickest: better ones save a twentieth. */
enum { LEVEL = 1, MEMORY = 8, AS_GZIP = 16 };

/* The window of a small packer, and its memory. */
enum { SMALL_WBITS = 12, SMALL_BYTES = 1 << SMALL_WBITS, SMALL_MEMORY = 5 };

static bool begin(struct packer_stream *self, int window, int memory)
{
    int result = self->is_open ? deflateReset(&self->stream)
                               : deflateInit2(&self->stream, LEVEL, Z_DEFLATED, window + AS_GZIP,
                                              memory, Z_DEFAULT_STRATEGY);
    self->is_open |= result == Z_OK;
    return result == Z_OK;
}

/* A stream that begins, for so many bytes; NULL: memory is out. */
static z_stream *stream_for(struct packer *self, size_t bytes)
{
    bool is_small = bytes <= SMALL_BYTES;
    struct packer_stream *found = is_small ? &self->small : &self->large;
    bool done = begin(found, is_small ? SMALL_WBITS : MAX_WBITS, is_small ? SMALL_MEMORY : MEMORY);
    return done ? &found->stream : NULL;
}

bool packer_add(struct packer *self, struct view bytes, struct text *out)
{
    static const Bytef nothing[1];
    z_stream *stream = stream_for(self, bytes.length);
    if (!stream)
        return false;
    size_t room = deflateBound(stream, bytes.length);
    assert(bytes.length <= UINT32_MAX && room <= UINT32_MAX);
    if (!text_reserve(out, room))
        return false;
    stream->next_in = bytes.length ? (const Bytef *)bytes.bytes : nothing;
    stream->avail_in = (uInt)bytes.length;
    stream->next_out = (Bytef *)out->items + out->count;
    stream->avail_out = (uInt)room;
    if (deflate(stream, Z_FINISH) != Z_STREAM_END)
        return false;
    out->count += room - stream->avail_out;
    out->items[out->count] = '\0';
    return true;
}

void packer_close(struct packer *self)
{
    if (self->small.is_open)
        deflateEnd(&self->small.stream);
    if (self->large.is_open)
        deflateEnd(&self->large.stream);
    *self = (struct packer){.small = {.is_open = false}};
}
