/* wire: messages in memory first, then messages from a source, which keeps only a window of the
 * file. */
#include "ingest/input/wire.h"

#include <string.h>

#ifndef TPQ_SMALL_WINDOWS
enum { CHUNK = 128 << 10 };
#else
enum { CHUNK = 32 };
#endif

/* A field's key and what follows it are at most two numbers of ten bytes. */
enum { FIELD_BYTES_MAX = 20, NUMBER_BYTES_MAX = 10 };
_Static_assert((int)CHUNK >= (int)FIELD_BYTES_MAX, "a field's head fits");

/* ------------------------------------------------------------------ in memory */

static uint64_t read_word(const unsigned char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static bool long_number(struct message *self, uint64_t *number)
{
    const unsigned char *at = self->at, *end = self->end;
    if (end - at > NUMBER_BYTES_MAX)
        end = at + NUMBER_BYTES_MAX;
    uint64_t value = 0;
    for (int shift = 0; at < end; shift += 7) {
        unsigned char byte = *at++;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            self->at = at;
            *number = value;
            return true;
        }
    }
    return false;
}

/* Most numbers are small. */
static inline bool read_number(struct message *self, uint64_t *number)
{
    const unsigned char *at = self->at;
    if (at < self->end && *at < 0x80) {
        *number = *at;
        self->at++;
        return true;
    }
    int length;
    if (self->end - at >= 8) {
        /* Numbers of up to eight bytes at once: the first byte that is less than 128 ends one, and
         * seven bits of each are put together, two neighbours at a time. `word` is little end
         * first. */
        uint64_t word = read_word(at);
        uint64_t ends = ~word & 0x8080808080808080;
        if (!ends)
            length = 0;
        else {
            int bits = __builtin_ctzll(ends) + 1;
            word &= UINT64_MAX >> (64 - bits);
            word = (word & 0x007F007F007F007F) | (word & 0x7F007F007F007F00) >> 1;
            word = (word & 0x00003FFF00003FFF) | (word & 0x3FFF00003FFF0000) >> 2;
            *number = (word & 0x000000000FFFFFFF) | (word & 0x0FFFFFFF00000000) >> 4;
            length = bits / 8;
        }
    } else
        length = 0;
    self->at += length;
    if (length)
        return true;
    return long_number(self, number);
}

bool message_number(struct message *self, uint64_t *number)
{
    return read_number(self, number);
}

/* Reads a fixed number, little end first. */
static bool read_fixed(struct message *self, int count, uint64_t *value)
{
    if (self->end - self->at < count)
        return false;
    *value = 0;
    for (int i = 0; i < count; i++)
        *value |= (uint64_t)self->at[i] << (8 * i);
    self->at += count;
    return true;
}

/* Key, and number or length; what has a length is not looked at. */
static inline bool read_head(struct message *self, struct wire_field *field)
{
    uint64_t key;
    if (!read_number(self, &key) || key >> 3 == 0 || key >> 3 > UINT32_MAX)
        return false;
    field->number = (uint32_t)(key >> 3);
    field->type = (enum wire_type)(key & 7);
    switch (field->type) {
    case WIRE_VARINT:
    case WIRE_LENGTH:
        return read_number(self, &field->value);
    case WIRE_FIXED64:
        return read_fixed(self, 8, &field->value);
    case WIRE_FIXED32:
        return read_fixed(self, 4, &field->value);
    default:
        return false;
    }
}

enum wire_step message_next(struct message *self, struct wire_field *field)
{
    if (self->at >= self->end)
        return WIRE_END;
    if (!read_head(self, field))
        return WIRE_FAILED;
    field->bytes = (struct message){self->at, self->at};
    if (field->type != WIRE_LENGTH)
        return WIRE_FIELD;
    if (field->value > (uint64_t)(self->end - self->at))
        return WIRE_FAILED;
    self->at += field->value;
    field->bytes.end = self->at;
    return WIRE_FIELD;
}

/* ------------------------------------------------------------------ from a source */

void wire_init(struct wire *self, struct source *source, struct error *error)
{
    *self = (struct wire){.source = source, .error = error, .limits = {INT64_MAX}, .depth = 1};
    self->bytes = memory_take(CHUNK);
    self->room = CHUNK;
}

void wire_free(struct wire *self)
{
    memory_free(self->bytes);
    *self = (struct wire){0};
}

bool wire_corrupt(struct wire *self, const char *what)
{
    return error_set(self->error, STATUS_BAD_INPUT, "%s: %s at byte %lld",
                     source_path(self->source), what, (long long)wire_offset(self));
}

static bool breaks_off(struct wire *self)
{
    return error_set(self->error, STATUS_BAD_INPUT,
                     "%s: the file breaks off at byte %lld, within a message",
                     source_path(self->source), (long long)(self->base + (int64_t)self->end));
}

/* Sees to it that `wanted` bytes are there, unless the input has fewer left. Room is made only as
 * bytes come. */
static bool fill(struct wire *self, size_t wanted)
{
    while (self->end - self->at < wanted && !self->input_ended) {
        if (self->at) {
            memmove(self->bytes, self->bytes + self->at, self->end - self->at);
            self->base += (int64_t)self->at;
            self->end -= self->at;
            self->at = 0;
        }
        if (self->end == self->room) {
            unsigned char *larger = memory_resize(self->bytes, 2, self->room);
            self->bytes = larger;
            self->room *= 2;
        }
        ptrdiff_t got =
            source_read(self->source, self->bytes + self->end, self->room - self->end, self->error);
        if (got < 0)
            return false;
        self->input_ended = got == 0;
        self->end += (size_t)got;
    }
    return true;
}

/* Passes over bytes; the innermost message has them, by its own account. */
static bool skip(struct wire *self, int64_t count)
{
    while (count > 0) {
        size_t there = self->end - self->at;
        if ((int64_t)there >= count) {
            self->at += (size_t)count;
            return true;
        }
        count -= (int64_t)there;
        self->at = self->end;
        if (!fill(self, 1))
            return false;
        if (self->at == self->end)
            return breaks_off(self);
    }
    return true;
}

enum wire_step wire_next(struct wire *self, struct wire_field *field)
{
    int64_t pending = self->pending;
    self->pending = 0;
    if (pending && !skip(self, pending))
        return WIRE_FAILED;
    int64_t left = self->limits[self->depth - 1] - wire_offset(self);
    if (left == 0)
        return WIRE_END;
    if (self->end - self->at < FIELD_BYTES_MAX && !fill(self, FIELD_BYTES_MAX))
        return WIRE_FAILED;
    size_t there = self->end - self->at;
    if (there == 0 && self->depth == 1)
        return WIRE_END;
    bool is_cut = (int64_t)there < left && there < FIELD_BYTES_MAX; /* by the end of the input */
    struct message span = {self->bytes + self->at,
                           self->bytes + self->at + ((int64_t)there < left ? there : (size_t)left)};
    if (!read_head(&span, field)) {
        if (is_cut && self->depth > 1)
            breaks_off(self);
        else
            wire_corrupt(self, "this is no protobuf message");
        return WIRE_FAILED;
    }
    self->at = (size_t)(span.at - self->bytes);
    if (field->type == WIRE_LENGTH) {
        if (field->value > (uint64_t)(self->limits[self->depth - 1] - wire_offset(self))) {
            wire_corrupt(self, "a length goes beyond the end of its message");
            return WIRE_FAILED;
        }
        self->pending = (int64_t)field->value;
    }
    return WIRE_FIELD;
}

bool wire_enter(struct wire *self)
{
    if (self->depth == WIRE_DEPTH_MAX)
        return wire_corrupt(self, "messages are nested too deeply");
    self->limits[self->depth++] = wire_offset(self) + self->pending;
    self->pending = 0;
    return true;
}

bool wire_leave(struct wire *self)
{
    int64_t left = self->limits[self->depth - 1] - wire_offset(self);
    self->depth--;
    self->pending = 0;
    return skip(self, left);
}

bool wire_bytes(struct wire *self, struct message *span)
{
    size_t length = (size_t)self->pending;
    if (self->pending > WIRE_PIECE_MAX)
        return wire_corrupt(self, "a message is too long");
    if (!fill(self, length))
        return false;
    if (self->end - self->at < length)
        return breaks_off(self);
    *span = (struct message){self->bytes + self->at, self->bytes + self->at + length};
    self->at += length;
    self->pending = 0;
    return true;
}
