/* protobuf: see protobuf.h. */
#include "query/export/protobuf.h"

enum { KIND_VARINT = 0, KIND_FIXED64 = 1, KIND_BYTES = 2, VARINT_MAX = 10 };

static size_t put_varint(char *bytes, uint64_t value)
{
    size_t length = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[length++] = (char)(value | 0x80);
    bytes[length++] = (char)value;
    return length;
}

/* Two numbers, one behind the other. Most of a file is written here. */
static void add_two(struct text *out, uint64_t first, uint64_t second)
{
    text_reserve(out, 2 * VARINT_MAX);
    out->count += put_varint(out->items + out->count, first);
    out->count += put_varint(out->items + out->count, second);
    out->items[out->count] = '\0';
}

static uint64_t key_of(uint32_t field, uint32_t kind)
{
    return (uint64_t)field << 3 | kind;
}

void protobuf_number(struct text *out, uint32_t field, uint64_t value)
{
    add_two(out, key_of(field, KIND_VARINT), value);
}

void protobuf_signed(struct text *out, uint32_t field, int64_t value)
{
    protobuf_number(out, field, (uint64_t)value);
}

void protobuf_fixed64(struct text *out, uint32_t field, uint64_t value)
{
    char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (char)(value >> 8 * i);
    text_add_varint(out, key_of(field, KIND_FIXED64));
    text_add(out, bytes, sizeof bytes);
}

void protobuf_real(struct text *out, uint32_t field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    protobuf_fixed64(out, field, bits);
}

void protobuf_text(struct text *out, uint32_t field, struct view value)
{
    add_two(out, key_of(field, KIND_BYTES), value.length);
    text_add_view(out, value);
}

/* Most messages are short: their length gets one byte, and more when that is known. */
size_t protobuf_open(struct text *out, uint32_t field)
{
    add_two(out, key_of(field, KIND_BYTES), 0);
    return out->count;
}

void protobuf_close(struct text *out, size_t message)
{
    char bytes[VARINT_MAX];
    size_t length = out->count - message, size = put_varint(bytes, length);
    if (size > 1) {
        text_add(out, bytes, size - 1);
        memmove(out->items + message + size - 1, out->items + message, length);
    }
    memcpy(out->items + message - 1, bytes, size);
}
