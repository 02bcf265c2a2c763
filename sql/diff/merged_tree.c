/* merged_tree: Pairs of nodes are worked off a list. Wrappers and chains of single children are
 * opened first, then children are paired by name. */
#include "sql/diff/difference.h"

#include <stdlib.h>

/* A node whose children are being merged: its pairs are in `pairs`, up to those of the next one. */
struct level {
    uint32_t node;
    size_t pair, pair_end;
    size_t first_number; /* of its children, in `numbers` */
};

/* Whom a node was merged with first, and as which number. */
struct partner {
    uint32_t node, number; /* number + 1; 0 = it was not */
};

struct merging {
    struct merged_tree *tree;
    const struct forest *left, *right;
    struct pairing pairing;
    struct partner *partners; /* of each left node, and behind them of right nodes without one */
    struct map number_of;     /* of further pairs: left, right -> number + 1 */
    ARRAY(struct level) levels;
    struct pair_list pairs; /* of all levels */
    ARRAY(uint32_t) numbers;

    /* of the pair in hand */
    struct node_list lefts, rights;
    struct pair_list found, changed;
    struct node_list rest_left, rest_right; /* what is to be paired again */
    struct map names;                       /* norm -> last child of that name + 1 */
};

static const struct forest_node *at(const struct forest *forest, uint32_t node)
{
    return &forest->nodes.items[node];
}

static void add_pair(struct pair_list *list, uint32_t left, uint32_t right)
{
    array_add(list, (struct pair){left, right});
}

/* ------------------------------------------------------------------ children */

/* The children on the way to the accelerator. */
static void list_children(const struct forest *forest, uint32_t node, struct node_list *out)
{
    out->count = 0;
    if (node == FOREST_NONE)
        return;
    for (uint32_t child = forest_first_child(forest, node); child != FOREST_NONE;
         child = forest_next_child(forest, node, child))
        if (forest_gpu_count(forest, child))
            array_add(out, child);
}

/* Preorder is the order of starts among siblings; lists that hold children of several nodes are
 * sorted by start, and stay in order otherwise. They are nearly sorted. */
static void sort_by_start(const struct forest *forest, struct node_list *list)
{
    for (size_t i = 1; i < list->count; i++) {
        uint32_t node = list->items[i];
        size_t k = i;
        for (; k > 0 && at(forest, list->items[k - 1])->ts > at(forest, node)->ts; k--)
            list->items[k] = list->items[k - 1];
        list->items[k] = node;
    }
}

/* True if the names of two lists are the same, one by one. */
static bool is_same(const struct forest *left_forest, const struct node_list *left,
                    const struct forest *right_forest, const struct node_list *right)
{
    bool same = left->count == right->count;
    for (size_t i = 0; i < left->count && same; i++)
        same = at(left_forest, left->items[i])->norm == at(right_forest, right->items[i])->norm;
    return same;
}

/* Adds what is named like a child that only the other side has among those that count. */
static void add_named(struct merging *self, const struct forest *forest, uint32_t node,
                      struct node_list *list, const struct forest *other_forest,
                      const struct node_list *other)
{
    bool is_needed = false, is_added = false;
    if (node == FOREST_NONE || at(forest, node)->last == node ||
        is_same(forest, list, other_forest, other))
        return;
    map_free(&self->names);
    for (size_t i = 0; i < other->count; i++) {
        uint32_t norm = at(other_forest, other->items[i])->norm;
        map_set(&self->names, norm, 0, 1);
        is_needed = true;
    }
    for (size_t i = 0; i < list->count && is_needed; i++)
        map_set(&self->names, at(forest, list->items[i])->norm, 0, 0);
    if (!is_needed)
        return;
    for (uint32_t child = forest_first_child(forest, node); child != FOREST_NONE;
         child = forest_next_child(forest, node, child))
        if (map_get(&self->names, at(forest, child)->norm, 0)) /* the last one holds */
            map_set(&self->names, at(forest, child)->norm, 0, child + 2);
    for (size_t i = 0; i < other->count; i++) {
        uint32_t norm = at(other_forest, other->items[i])->norm;
        uint32_t found = map_get(&self->names, norm, 0);
        if (found < 2)
            continue;
        map_set(&self->names, norm, 0, 0);
        is_added = true;
        array_add(list, found - 2);
    }
    if (is_added)
        sort_by_start(forest, list);
}

static bool is_dispatch(const struct forest *forest, uint32_t node)
{
    return at(forest, node)->kind == FOREST_CALL;
}

static bool has_dispatch(const struct forest *forest, const struct node_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (is_dispatch(forest, list->items[i]))
            return true;
    return false;
}

static bool launches(const struct forest *forest, uint32_t node)
{
    for (uint32_t child = forest_first_child(forest, node); child != FOREST_NONE;
         child = forest_next_child(forest, node, child))
        if (is_dispatch(forest, child))
            return true;
    return false;
}

/* Down a chain of single children, to the node whose children are several, or none. `kids` has
 * them; none when something that launches stands in the way. */
static void collapse(const struct forest *forest, uint32_t *node, struct node_list *kids)
{
    for (;;) {
        kids->count = 0;
        if (is_dispatch(forest, *node) ||
            (at(forest, *node)->kind == FOREST_OP && launches(forest, *node)))
            return;
        list_children(forest, *node, kids);
        if (kids->count != 1)
            return;
        *node = kids->items[0];
    }
}

static void exchange(struct node_list *a, struct node_list *b)
{
    struct node_list held = *a;
    *a = *b;
    *b = held;
}

/* One side has a single child, the other has not: what the one wraps is compared. */
static void unwrap(struct merging *self, const struct forest *forest, struct node_list *children,
                   uint32_t *node)
{
    uint32_t inner = children->items[0];
    collapse(forest, &inner, &self->rest_left);
    if (self->rest_left.count) {
        *node = inner;
        exchange(children, &self->rest_left);
    }
}

/* ------------------------------------------------------------------ pairs of children */

static void pair_lists(struct merging *self, const struct node_list *lefts,
                       const struct node_list *rights, struct pair_list *out)
{
    if (lefts->count && lefts->count == rights->count && !has_dispatch(self->left, lefts) &&
        !has_dispatch(self->right, rights))
        for (size_t i = 0; i < lefts->count; i++)
            add_pair(out, lefts->items[i], rights->items[i]);
    else
        pairing_make(&self->pairing, lefts, rights, false, out);
}

static void split_unmatched(struct merging *self, const struct pair_list *pairs)
{
    self->rest_left.count = self->rest_right.count = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        struct pair pair = pairs->items[i];
        if (pair_is_match(pair))
            continue;
        if (pair.right == PAIR_NONE)
            array_add(&self->rest_left, pair.left);
        else
            array_add(&self->rest_right, pair.right);
    }
}

/* ------------------------------------------------------------------ one side wraps */

/* Unmatched nodes of a side: their names, and the sequences of their children's names. */
struct wrapping {
    struct map names;
    struct intern sequences;
};

static bool can_be_opened(const struct forest *forest, uint32_t node)
{
    enum forest_kind kind = at(forest, node)->kind;
    return kind != FOREST_KERNEL && kind != FOREST_CALL;
}

/* The bytes of the names of a node's children that count. */
static void write_sequence(const struct forest *forest, uint32_t node, struct node_list *kids,
                           struct text *out)
{
    text_clear(out);
    list_children(forest, node, kids);
    for (size_t i = 0; i < kids->count; i++)
        text_add(out, &at(forest, kids->items[i])->norm, sizeof(uint32_t));
}

static void read_wrapping(struct wrapping *self, const struct forest *forest,
                          const struct node_list *nodes, struct node_list *kids, struct text *bytes)
{
    for (size_t i = 0; i < nodes->count; i++) {
        uint32_t node = nodes->items[i];
        if (!can_be_opened(forest, node))
            continue;
        map_set(&self->names, at(forest, node)->norm, 0, 1);
        write_sequence(forest, node, kids, bytes);
        if (bytes->count)
            intern_add(&self->sequences, bytes->items, bytes->count);
    }
}

static void open_nodes(const struct forest *forest, struct node_list *nodes,
                       const struct wrapping *other, bool *is_opened)
{
    struct node_list out = {0}, kids = {0};
    struct text bytes = {0};
    for (size_t i = 0; i < nodes->count; i++) {
        /* Appends a node to a list, or its children where the other side has one of them unmatched,
         * or the same children below another name. */
        uint32_t node = nodes->items[i];
        bool opens = false;
        if (can_be_opened(forest, node)) {
            write_sequence(forest, node, &kids, &bytes);
            opens = bytes.count && intern_find(&other->sequences, bytes.items, bytes.count);
            for (size_t k = 0; k < kids.count && !opens; k++)
                opens = map_get(&other->names, at(forest, kids.items[k])->norm, 0);
        }
        if (!opens) {
            array_add(&out, node);

        } else {
            *is_opened = true;
            for (size_t k = 0; k < kids.count; k++)
                array_add(&out, kids.items[k]);
        }
    }
    exchange(nodes, &out);
    sort_by_start(forest, nodes);
    arrays_free(&out, &kids);
    text_free(&bytes);
}

static void free_wrapping(struct wrapping *self)
{
    map_free(&self->names);
    intern_free(&self->sequences);
}

/* Keeps the matches of `found`, and appends pairs of what is in the rest. */
static void pair_rest(struct merging *self, bool by_brief_name)
{
    struct pair_list *out = &self->changed;
    out->count = 0;
    for (size_t i = 0; i < self->found.count; i++)
        if (pair_is_match(self->found.items[i]))
            add_pair(out, self->found.items[i].left, self->found.items[i].right);
    if (by_brief_name)
        pairing_make(&self->pairing, &self->rest_left, &self->rest_right, true, out);
    else
        pair_lists(self, &self->rest_left, &self->rest_right, out);
    struct pair_list held = self->found;
    self->found = self->changed;
    self->changed = held;
}

/* Opens unmatched nodes that wrap what the other side has. */
static void reconcile(struct merging *self)
{
    struct wrapping left = {0}, right = {0};
    struct node_list kids = {0};
    struct text bytes = {0};
    bool is_opened = false;
    split_unmatched(self, &self->found);
    if (!self->rest_left.count || !self->rest_right.count)
        return;
    read_wrapping(&left, self->left, &self->rest_left, &kids, &bytes);
    read_wrapping(&right, self->right, &self->rest_right, &kids, &bytes);
    open_nodes(self->left, &self->rest_left, &right, &is_opened);
    open_nodes(self->right, &self->rest_right, &left, &is_opened);
    free_wrapping(&left);
    free_wrapping(&right);
    array_free(&kids);
    text_free(&bytes);
    if (is_opened)
        pair_rest(self, false);
}

/* ------------------------------------------------------------------ chains that stay unmatched */

static void collapse_list(const struct forest *forest, struct node_list *list,
                          struct node_list *kids)
{
    for (size_t i = 0; i < list->count; i++)
        collapse(forest, &list->items[i], kids);
}

/* ------------------------------------------------------------------ the tree */

/* The place for the number of a pair. Nearly all nodes have one partner. */
static uint32_t *number_of(struct merging *self, struct pair pair)
{
    bool is_left = pair.left != FOREST_NONE;
    struct partner *partner =
        &self->partners[is_left ? pair.left : self->left->nodes.count + pair.right];
    if (partner->number && partner->node != pair.right)
        return map_put(&self->number_of, (int64_t)pair.left, (int64_t)pair.right);
    partner->node = pair.right;
    return &partner->number;
}

/* The number of a pair; `*is_new`: its children are to be merged. */
static void enter(struct merging *self, struct pair pair, uint32_t parent, uint32_t root,
                  uint32_t *number, bool *is_new)
{
    struct merged_tree *tree = self->tree;
    uint32_t *known = number_of(self, pair);
    *is_new = *known == 0;
    if (*is_new) {
        struct merged_node *node = array_push(&tree->nodes);
        if (tree->nodes.count >= FOREST_NONE)
            memory_fail(); /* there are no numbers for more */
        *known = (uint32_t)tree->nodes.count;
        *node = (struct merged_node){.left = pair.left,
                                     .right = pair.right,
                                     .parent = parent,
                                     .root = root == FOREST_NONE ? *known - 1 : root};
        if (parent != FOREST_NONE)
            node->depth = tree->nodes.items[parent].depth + 1;
    }
    *number = *known - 1;
}

static void open_level(struct merging *self, uint32_t number)
{
    struct merged_node *node = &self->tree->nodes.items[number];
    struct level *level = array_push(&self->levels);

    /* Finds the pairs of the children of a pair of nodes, which may turn out to be nodes further
     * down. */
    self->found.count = 0;
    list_children(self->left, node->left, &self->lefts);
    list_children(self->right, node->right, &self->rights);
    add_named(self, self->left, node->left, &self->lefts, self->right, &self->rights);
    add_named(self, self->right, node->right, &self->rights, self->left, &self->lefts);
    if (self->lefts.count != self->rights.count) {
        if (self->lefts.count == 1)
            unwrap(self, self->left, &self->lefts, &node->left);
        else if (self->rights.count == 1)
            unwrap(self, self->right, &self->rights, &node->right);
    }
    if (self->lefts.count || self->rights.count) {
        pair_lists(self, &self->lefts, &self->rights, &self->found);
        reconcile(self);

        /* Nodes without a match are paired once more by what is below their single children. */
        struct node_list kids = {0};
        split_unmatched(self, &self->found);
        if (self->rest_left.count && self->rest_right.count) {
            collapse_list(self->left, &self->rest_left, &kids);
            collapse_list(self->right, &self->rest_right, &kids);
            array_free(&kids);
            self->changed.count = 0;
            pairing_make(&self->pairing, &self->rest_left, &self->rest_right, false,
                         &self->changed);
            size_t kept = 0;
            for (size_t i = 0; i < self->found.count; i++)
                if (pair_is_match(self->found.items[i]))
                    self->found.items[kept++] = self->found.items[i];
            self->found.count = kept;
            for (size_t i = 0; i < 2 * self->changed.count; i++) { /* matches first */
                struct pair pair = self->changed.items[i % self->changed.count];
                if (pair_is_match(pair) == (i < self->changed.count))
                    add_pair(&self->found, pair.left, pair.right);
            }
            split_unmatched(self, &self->found);
            if (self->rest_left.count && self->rest_right.count)
                pair_rest(self, true);
        }
    }
    *level = (struct level){number, self->pairs.count, self->pairs.count + self->found.count,
                            self->numbers.count};
    for (size_t i = 0; i < self->found.count; i++)
        add_pair(&self->pairs, self->found.items[i].left, self->found.items[i].right);
}

static void close_level(struct merging *self)
{
    struct merged_tree *tree = self->tree;
    const struct level *level = &self->levels.items[--self->levels.count];
    struct merged_node *node = &tree->nodes.items[level->node];
    node->first_child = (uint32_t)tree->children.count;
    node->child_count = (uint32_t)(self->numbers.count - level->first_number);
    if (node->child_count)
        array_reserve(&tree->children, node->child_count);
    for (size_t i = level->first_number; i < self->numbers.count; i++) {
        uint32_t child = self->numbers.items[i];
        if (tree->nodes.items[child].parent == level->node)
            tree->nodes.items[child].place = (uint32_t)(i - level->first_number);
        tree->children.items[tree->children.count++] = child;
    }
    self->numbers.count = level->first_number;
    self->pairs.count =
        self->levels.count ? self->levels.items[self->levels.count - 1].pair_end : 0;
}

static void merge_below(struct merging *self, uint32_t root)
{
    open_level(self, root);
    while (self->levels.count) {
        struct level *level = &self->levels.items[self->levels.count - 1];
        if (level->pair == level->pair_end) {
            close_level(self);
            continue;
        }
        uint32_t number, parent = level->node;
        bool is_new;
        struct pair pair = self->pairs.items[level->pair++];
        enter(self, pair, parent, root, &number, &is_new);
        array_add(&self->numbers, number);
        if (is_new)
            open_level(self, number);
    }
}

void merged_tree_make(struct merged_tree *self, const struct forest *left,
                      const struct forest *right, bool roots_by_place)
{
    struct merging merging = {.tree = self, .left = left, .right = right};
    struct pair_list roots = {0};
    merging.pairing = (struct pairing){.left = left, .right = right};
    merging.partners =
        memory_zeroed(left->nodes.count + right->nodes.count + 1, sizeof *merging.partners);
    struct node_list lefts = {left->roots.items, left->roots.count, 0};
    struct node_list rights = {right->roots.items, right->roots.count, 0};
    size_t most = lefts.count > rights.count ? lefts.count : rights.count;
    if (!roots_by_place)
        pairing_make(&merging.pairing, &lefts, &rights, false, &roots);
    for (size_t i = 0; i < most && roots_by_place; i++)
        add_pair(&roots, i < lefts.count ? lefts.items[i] : FOREST_NONE,
                 i < rights.count ? rights.items[i] : FOREST_NONE);
    for (size_t i = 0; i < roots.count; i++) {
        uint32_t number;
        bool is_new;
        enter(&merging, roots.items[i], FOREST_NONE, FOREST_NONE, &number, &is_new);
        array_add(&self->roots, number);
        self->nodes.items[number].place = (uint32_t)self->roots.count - 1;
        if (is_new)
            merge_below(&merging, number);
    }
    array_free(&roots);
    pairing_free(&merging.pairing);
    memory_free(merging.partners);
    map_free(&merging.number_of);
    map_free(&merging.names);
    arrays_free(&merging.levels, &merging.pairs, &merging.numbers, &merging.lefts, &merging.rights,
                &merging.found, &merging.changed, &merging.rest_left, &merging.rest_right);
}
