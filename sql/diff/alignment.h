/* alignment: two lists of symbols side by side, by edit distance.
 *
 *     ab | ac          match(0,0) delete 1 insert 1
 *     aab | ab         delete 0 match(1,0) match(2,1)
 *
 * Going back from both ends: equal symbols always match; else the left one is deleted if that is on
 * a shortest way, else the right one is inserted. So what is exchanged is a delete and an insert.
 * Only the band of the table around that way is computed, wider while the way leads out of it: the
 * time is that of the lengths times their difference. Lists whose band would not fit in memory (a
 * good 16,000 on either side with little in common) are matched by the next equal symbol instead.
 * Plain C; pairing.c calls it.
 */
#pragma once

#include "src/base/array.h"

#include <stdint.h>

#define PAIR_NONE UINT32_MAX

/* Both: a match; left alone: a delete; right alone: an insert. */
struct pair {
    uint32_t left, right;
};

struct pair_list {
    struct pair *items;
    size_t count, room;
};

static inline bool pair_is_match(struct pair pair)
{
    return pair.left != PAIR_NONE && pair.right != PAIR_NONE;
}

/* Appends the pairs, as places in the lists; false when memory is out. */
bool alignment_make(const uint32_t *left, size_t left_count, const uint32_t *right,
                    size_t right_count, struct pair_list *out);
