/* memo: what a raw text was turned into the last time it was seen.
 *
 * Argument lists repeat thousands of times, and turning one into its canonical form costs far more
 * than recognising it. A memo stops growing at MEMO_BYTES_MAX; beyond that texts are worked out
 * again each time.
 */
#pragma once

#include "src/base/intern.h"

#ifndef TPQ_SMALL_WINDOWS
enum { MEMO_BYTES_MAX = 8 << 20 };
#else /* for tests */
enum { MEMO_BYTES_MAX = 1 };
#endif

struct memo {
    struct intern raw;
    ARRAY(uint32_t) values; /* by number in `raw`, 0 = not known yet */
    uint32_t spare;
};

/* Where the value of this text is kept. */
uint32_t *memo_find(struct memo *self, struct view raw);
