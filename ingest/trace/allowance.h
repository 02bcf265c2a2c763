/* allowance: how much may be made out of an input beyond what it states.
 *
 * A few bytes of an input can stand for many: a text that others refer to, a list that is written
 * out, a name that each row has again. Whoever makes such things takes their bytes here first; when
 * the allowance, which goes with the size of the input, is spent, they are left out or cut, and
 * NOTE_EXPANSION counts them. So memory, time and the size of a warehouse stay in proportion to the
 * input, whatever is in it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Real profiles take a few times their size; most of it for shapes of operands. */
enum { ALLOWANCE_FREE = 16 << 20, ALLOWANCE_TIMES = 32 };

struct allowance {
    uint64_t input; /* bytes of the decompressed input */
    uint64_t taken;
};

/* False, and nothing is taken, when that would be too much. */
static inline bool allowance_take(struct allowance *self, size_t bytes)
{
    uint64_t most = ALLOWANCE_FREE + ALLOWANCE_TIMES * self->input;
    if (bytes > most || self->taken > most - bytes)
        return false;
    self->taken += bytes;
    return true;
}
