/* pairing: which nodes of two lists belong together.
 *
 * Lists are aligned by name (alignment.h). Where a name is there several times on one side, the
 * names of what is below decides which of them belong together: nodes whose next four levels have
 * more levels in common first, then more names in the first level that differs. The smaller side of
 * such a name is then matched as a whole.
 * merged_tree.c calls it, with lists that are the children of two nodes, or roots.
 */
#pragma once

#include "sql/diff/alignment.h"
#include "sql/diff/forest.h"

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

/* Gives a pair list of nodes of the two forests; false when memory is out. */
bool pairing_make(struct pairing *self, const struct node_list *left, const struct node_list *right,
                  bool by_brief_name, struct pair_list *out);
void pairing_free(struct pairing *self);
