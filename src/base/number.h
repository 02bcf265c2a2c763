/* number: numbers as text, the same in every output. */
#pragma once

#include "src/base/text.h"

/* The shortest decimal that reads back as the same number: 0.1, 12.0, 1.5e-05, 1e+16. */
void number_add_real(struct text *out, double value);

void number_add_integer(struct text *out, int64_t value);

/* With a comma between groups of three digits. */
void number_add_grouped(struct text *out, int64_t value);

/* Digits behind the point that people want to see of a number in this unit; -1 = it depends. */
int number_decimals(const char *unit);

/* For people: with commas and only as many decimals as the unit deserves. */
bool number_add_rounded(struct text *out, double value, const char *unit);

/* Nanoseconds in the unit that fits: 800 ns, 5.79 us, 12.345 ms, 1.211 s. */
void number_add_time(struct text *out, int64_t nanoseconds);

/* Bytes in the unit that fits: 640 bytes, 3.00 KiB, 64.00 MiB, 11.03 GiB. */
void number_add_size(struct text *out, double bytes);

/* The number in so many bytes, the lowest first. */
static inline uint32_t little_endian32(const unsigned char *bytes, int count)
{
    uint32_t value = 0;
    while (count--)
        value = value << 8 | bytes[count];
    return value;
}

/* The sum or difference, at the end of the range where it is beyond: what files state must not
 * overflow. */
static inline int64_t number_sum(int64_t left, int64_t right)
{
    int64_t sum;
    if (!__builtin_add_overflow(left, right, &sum))
        return sum;
    return left < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t number_difference(int64_t left, int64_t right)
{
    int64_t difference;
    if (!__builtin_sub_overflow(left, right, &difference))
        return difference;
    return left < 0 ? INT64_MIN : INT64_MAX;
}
