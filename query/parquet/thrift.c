/* thrift: see thrift.h. */
#include "query/parquet/thrift.h"

#include <assert.h>

void thrift_varint(struct text *text, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        text_add_byte(text, (char)(0x80 | (value & 0x7f)));
    text_add_byte(text, (char)value);
}

/* Small numbers of either sign become small ones. */
static uint64_t zigzag(int64_t value)
{
    return ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0);
}

static void add_byte(struct thrift *self, unsigned byte)
{
    text_add_byte(self->text, (char)byte);
}

static void add_varint(struct thrift *self, uint64_t value)
{
    thrift_varint(self->text, value);
}

/* Things in a list have no header. */
static void add_header(struct thrift *self, int field, enum thrift_type type)
{
    if (!field)
        return;
    int step = field - self->last[self->depth];
    assert(step > 0);
    add_byte(self, (unsigned)(step > 15 ? 0 : step) << 4 | type);
    if (step > 15)
        add_varint(self, zigzag(field));
    self->last[self->depth] = field;
}

void thrift_integer(struct thrift *self, int field, enum thrift_type type, int64_t value)
{
    add_header(self, field, type);
    add_varint(self, zigzag(value));
}

void thrift_binary(struct thrift *self, int field, struct view bytes)
{
    add_header(self, field, THRIFT_BINARY);
    add_varint(self, bytes.length);
    text_add_view(self->text, bytes);
}

void thrift_list(struct thrift *self, int field, enum thrift_type type, size_t count)
{
    add_header(self, field, THRIFT_LIST);
    add_byte(self, (unsigned)(count < 15 ? count : 15) << 4 | type);
    if (count >= 15)
        add_varint(self, count);
}

void thrift_begin(struct thrift *self, int field)
{
    add_header(self, field, THRIFT_STRUCT);
    assert(self->depth + 1 < THRIFT_DEPTH_MAX);
    self->last[++self->depth] = 0;
}

void thrift_end(struct thrift *self)
{
    add_byte(self, 0);
    self->depth--;
}

bool thrift_stop(struct thrift *self)
{
    add_byte(self, 0);
    return !self->out_of_memory;
}
