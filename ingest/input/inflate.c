/* inflate: see inflate.h. */
#include "ingest/input/inflate.h"

#include <stdlib.h>
#include <zlib.h>

struct inflate {
    z_stream stream;
    bool ended;
};

struct inflate *inflate_open(struct view bytes)
{
    struct inflate *self = memory_zeroed(1, sizeof *self);
    if (bytes.length > UINT32_MAX || inflateInit(&self->stream) != Z_OK) {
        memory_free(self);
        return NULL;
    }
    self->stream.next_in = (Bytef *)(uintptr_t)bytes.bytes;
    self->stream.avail_in = (uInt)bytes.length;
    return self;
}

void inflate_close(struct inflate *self)
{
    if (self)
        inflateEnd(&self->stream);
    memory_free(self);
}

ptrdiff_t inflate_read(struct inflate *self, void *buffer, size_t room)
{
    if (self->ended)
        return 0;
    self->stream.next_out = buffer;
    self->stream.avail_out = (uInt)(room > UINT32_MAX ? UINT32_MAX : room);
    uInt offered = self->stream.avail_out;
    int result = inflate(&self->stream, Z_NO_FLUSH);
    uInt got = offered - self->stream.avail_out;
    self->ended = result == Z_STREAM_END;
    if (result != Z_OK && result != Z_STREAM_END)
        return got ? (ptrdiff_t)got : -1;
    return got || self->ended ? (ptrdiff_t)got : -1;
}
