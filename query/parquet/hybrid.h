/* hybrid: Parquet's encoding of small numbers: runs of one value, and groups of eight values of as
 * many bits as the largest may need, in any order. */
#pragma once

#include "src/base/text.h"

/* Bits that numbers up to `most` need; at least 1. */
unsigned hybrid_width(uint32_t most);

/* Appends the values, each of `width` bits; false: memory is out. */
bool hybrid_add(struct text *text, const uint32_t *values, size_t count, unsigned width);
