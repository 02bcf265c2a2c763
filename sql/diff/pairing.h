/* pairing: which nodes of two lists belong together.
 *
 * Lists are aligned by name. Where a name is there several times on one side, the
 * names of what is below decides which of them belong together: nodes whose next four levels have
 * more levels in common first, then more names in the first level that differs. The smaller side of
 * such a name is then matched as a whole.
 * merged_tree.c calls it, with lists that are the children of two nodes, or roots.
 */
#pragma once

#include "sql/diff/forest.h"

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

/* Appends the pairs of two lists of symbols by edit distance, as places in the lists. */
void alignment_make(const uint32_t *left, size_t left_count, const uint32_t *right,
                    size_t right_count, struct pair_list *out);

struct node_list {
    uint32_t *items;
    size_t count, room;
};

/* Two forests, and what is known of them. */
struct pairing {
    const struct forest *left, *right;
    struct intern below; /* what is below nodes: four levels of sorted names, as bytes */
    ARRAY(uint32_t) left_below, right_below; /* of each node its number, or 0 */
    struct pairing_work *work;
};

/* Gives a pair list of nodes of the two forests. */
void pairing_make(struct pairing *self, const struct node_list *left, const struct node_list *right,
                  bool by_brief_name, struct pair_list *out);
void pairing_free(struct pairing *self);
