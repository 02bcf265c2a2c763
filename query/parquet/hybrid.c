/* hybrid: see hybrid.h. */
#include "query/parquet/hybrid.h"

#include "query/parquet/thrift.h"

enum { GROUP = 8 };

unsigned hybrid_width(uint32_t most)
{
    unsigned width = 1;
    while (most >>= 1)
        width++;
    return width;
}

/* How many of the first values are the same. */
static size_t run_length(const uint32_t *values, size_t count)
{
    size_t length = 1;
    while (length < count && values[length] == values[0])
        length++;
    return length;
}

static bool add_run(struct text *text, uint32_t value, size_t length, unsigned width)
{
    bool done = thrift_varint(text, (uint64_t)length << 1);
    for (unsigned bits = 0; bits < width && done; bits += 8)
        done = text_add_byte(text, (char)(value >> bits));
    return done;
}

/* Groups of eight, the last one filled up with zeros. */
static bool add_groups(struct text *text, const uint32_t *values, size_t count, unsigned width)
{
    size_t groups = (count + GROUP - 1) / GROUP;
    uint64_t bits = 0;
    unsigned held = 0;
    bool done = thrift_varint(text, (uint64_t)groups << 1 | 1);
    for (size_t i = 0; i < groups * GROUP && done; i++) {
        bits |= (uint64_t)(i < count ? values[i] : 0) << held;
        for (held += width; held >= 8 && done; held -= 8, bits >>= 8)
            done = text_add_byte(text, (char)bits);
    }
    return done;
}

/* How many values, whole groups but at the end, come before the next run that is worth it. */
static size_t groups_length(const uint32_t *values, size_t count)
{
    size_t length = 0;
    while (length < count && run_length(values + length, count - length) < GROUP)
        length += GROUP;
    return length < count ? length : count;
}

bool hybrid_add(struct text *text, const uint32_t *values, size_t count, unsigned width)
{
    bool done = true;
    for (size_t at = 0; at < count && done;) {
        size_t length = run_length(values + at, count - at);
        if (length >= GROUP) {
            done = add_run(text, values[at], length, width);
        } else {
            length = groups_length(values + at, count - at);
            done = add_groups(text, values + at, length, width);
        }
        at += length;
    }
    return done;
}
