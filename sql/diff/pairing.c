/* pairing: Lists are aligned by name. Nodes of one name pair by how many names the levels below
 * them have in common, the likest first. */
#include "sql/diff/difference.h"

#include "src/base/array.h"
#include "src/base/order.h"

#include <stdint.h>
#include <string.h>

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
 * Equal ends are taken off; the middle is a table of distances in that band, which is walked back.
 */

enum {
    MOST_BYTES = 1 << 26, /* of the band: two bits a cell */
    FIRST_WIDTH = 8,
    WINDOW = 1024, /* how far the next equal symbol may be, where there is no band */
};

/* The cells (i, j) with -width <= j - i <= width. A way that is longer than the width may leave
 * them: what is said of such a cell is not known. */
struct band {
    const uint32_t *left, *right;
    size_t left_count, right_count, width;
    uint8_t *cells; /* two bits each: whether its value is known, and whether it is a delete */
};

enum { KNOWN = 1, DELETE = 2 };

static size_t cell(const struct band *self, size_t i, size_t j)
{
    return i * (2 * self->width + 1) + (j + self->width - i);
}

static unsigned get(const struct band *self, size_t i, size_t j)
{
    size_t place = cell(self, i, j);
    return self->cells[place / 4] >> (place % 4 * 2) & 3U;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* One row of values from the one above; places are columns shifted by the row: above is one to the
 * right, the diagonal at the same place. */
static void fill_row(struct band *self, size_t i, const uint32_t *above, uint32_t *row)
{
    size_t span = 2 * self->width + 1;
    const uint32_t far = UINT32_MAX / 2;
    for (size_t k = 0; k < span; k++) {
        row[k] = far;
        if (i + k < self->width || i + k - self->width > self->right_count)
            continue;
        size_t j = i + k - self->width;
        uint32_t by_delete = i > 0 && k + 1 < span ? above[k + 1] + 1 : far;
        uint32_t by_insert = j > 0 && k > 0 ? row[k - 1] + 1 : far;
        uint32_t along =
            i > 0 && j > 0 ? above[k] + (self->left[i - 1] != self->right[j - 1]) : far;
        row[k] = i == 0 && j == 0 ? 0 : least(along, least(by_delete, by_insert));
        unsigned known = row[k] <= self->width ? KNOWN : 0;
        size_t place = cell(self, i, j);
        unsigned value = known | (row[k] == by_delete && by_delete < far ? DELETE : 0);
        self->cells[place / 4] = (uint8_t)(self->cells[place / 4] | value << (place % 4 * 2));
    }
}

/* Goes back from the ends. False: the way left where values are known. */
static bool go_back(const struct band *self, struct pair_list *out)
{
    size_t i = self->left_count, j = self->right_count;
    while (i > 0 || j > 0) {
        bool is_match = i > 0 && j > 0 && self->left[i - 1] == self->right[j - 1];
        if (!is_match && i > 0 && j > 0 &&
            !(j + self->width >= i && j <= i + self->width && get(self, i, j) & KNOWN))
            return false;
        bool is_delete = !is_match && i > 0 && (j == 0 || get(self, i, j) & DELETE);
        array_add(out, (struct pair){is_match || is_delete ? (uint32_t)--i : PAIR_NONE,
                                     is_delete ? PAIR_NONE : (uint32_t)--j});
    }
    return true;
}

static void add(struct pair_list *out, size_t left, size_t right)
{
    array_add(out, (struct pair){left == SIZE_MAX ? PAIR_NONE : (uint32_t)left,
                                 right == SIZE_MAX ? PAIR_NONE : (uint32_t)right});
}

/* Each symbol with the next equal one that is not far. */
static void match_next(const struct band *self, struct pair_list *out)
{
    size_t j = 0;
    for (size_t i = 0; i < self->left_count; i++) {
        size_t end = self->right_count - j < WINDOW ? self->right_count : j + WINDOW, k = j;
        while (k < end && self->left[i] != self->right[k])
            k++;
        if (k == end) {
            add(out, i, SIZE_MAX);
            continue;
        }
        while (j < k)
            add(out, SIZE_MAX, j++);
        add(out, i, j++);
    }
    while (j < self->right_count)
        add(out, SIZE_MAX, j++);
}

/* The middle, without the equal ends, in bands of growing width. */
static void align_middle(struct band *self, struct pair_list *out)
{
    size_t difference = self->left_count > self->right_count ? self->left_count - self->right_count
                                                             : self->right_count - self->left_count;
    size_t longest = self->left_count > self->right_count ? self->left_count : self->right_count;
    size_t from = out->count;
    bool done = !self->left_count || !self->right_count;
    if (done)
        match_next(self, out);
    for (self->width = difference + FIRST_WIDTH; !done; self->width *= 2) {
        if (self->width > longest)
            self->width = longest; /* all cells */
        if ((2 * self->width + 1) > MOST_BYTES / (self->left_count / 4 + 1)) {
            match_next(self, out);
            return;
        }
        size_t span = 2 * self->width + 1;
        uint32_t *rows = memory_list(2 * span, sizeof *rows);
        self->cells = memory_zeroed((self->left_count + 1) * span / 4 + 1, 1);
        for (size_t i = 0; i <= self->left_count; i++)
            fill_row(self, i, rows + (i % 2 ? 0 : span), rows + (i % 2 ? span : 0));
        memory_free(rows);
        done = go_back(self, out);
        memory_free(self->cells);
        if (done)
            for (size_t i = from, k = out->count; i + 1 < k; i++) {
                struct pair held = out->items[i];
                out->items[i] = out->items[--k];
                out->items[k] = held;
            }
        else
            out->count = from;
    }
}

void alignment_make(const uint32_t *left, size_t left_count, const uint32_t *right,
                    size_t right_count, struct pair_list *out)
{
    size_t tail = 0;
    while (tail < left_count && tail < right_count &&
           left[left_count - tail - 1] == right[right_count - tail - 1])
        tail++;
    struct band band = {.left = left,
                        .right = right,
                        .left_count = left_count - tail,
                        .right_count = right_count - tail};
    if (band.left_count || band.right_count)
        align_middle(&band, out);
    for (size_t i = 0; i < tail; i++)
        add(out, band.left_count + i, band.right_count + i);
}

enum {
    LEVELS = 4,
    MOST_SCORES = 1 << 20, /* pairs that are compared one by one */
};

/* A node of a list, to find those of the same name. */
struct place {
    uint32_t name, place;
    bool is_right;
};

/* How like two nodes are. */
struct score {
    uint32_t left, right; /* places */
    uint32_t levels, overlap;
    bool is_old; /* they match by alignment, too */
};

/* A list while it is paired. */
struct side {
    const struct forest *forest;
    const struct node_list *nodes;
    ARRAY(uint32_t) symbols;
    ARRAY(uint32_t) match;   /* place on the other side by alignment, or PAIR_NONE */
    ARRAY(uint32_t) partner; /* by what is below */
    ARRAY(bool) is_touched;
};

struct pairing_work {
    struct side left, right;
    struct pair_list aligned;
    ARRAY(struct place) places;
    ARRAY(struct score) scores;
    ARRAY(uint32_t) level, names; /* while what is below a node is gathered */
    struct text bytes;
};

/* ------------------------------------------------------------------ what is below */

ORDER_BY(compare_numbers, uint32_t, BY_LESS(*a, *b));

/* The number of what is below a node: names of its next levels, each sorted. */
static uint32_t find_below(struct pairing *self, bool is_right, uint32_t node)
{
    struct pairing_work *work = self->work;
    const struct forest *forest = is_right ? self->right : self->left;
    uint32_t *known = (is_right ? self->right_below.items : self->left_below.items) + node;
    if (*known)
        return *known;
    text_clear(&work->bytes);
    work->level.count = 0;
    array_add(&work->level, node);
    for (int i = 0; i < LEVELS; i++) {
        /* The children, on the way to the accelerator, of the nodes of a level. */
        size_t end = work->level.count;
        work->names.count = 0;
        for (size_t j = 0; j < end; j++) {
            uint32_t above = work->level.items[j];
            for (uint32_t child = forest_first_child(forest, above); child != FOREST_NONE;
                 child = forest_next_child(forest, above, child)) {
                if (!forest_gpu_count(forest, child))
                    continue;
                array_add(&work->level, child);
                array_add(&work->names, forest->nodes.items[child].norm);
            }
        }
        array_sort(&work->names, compare_numbers);
        work->level.count -= end;
        memmove(work->level.items, work->level.items + end,
                work->level.count * sizeof *work->level.items);
        uint32_t count = (uint32_t)work->names.count;
        text_add(&work->bytes, &count, sizeof count);
        if (count == 0)
            break;
        text_add(&work->bytes, work->names.items, count * sizeof count);
    }
    *known = intern_add(&self->below, work->bytes.items, work->bytes.count);
    return *known;
}

/* Takes the next level off the bytes; none counts as an empty one. */
static struct view take_level(struct view *bytes)
{
    uint32_t count = 0;
    if (bytes->length) {
        memcpy(&count, bytes->bytes, sizeof count);
        bytes->bytes += sizeof count;
        bytes->length -= sizeof count;
    }
    struct view level = {bytes->bytes, count * sizeof count};
    bytes->bytes += level.length;
    bytes->length -= level.length;
    return level;
}

/* How many names two sorted levels have in common. */
static uint32_t count_common(struct view left, struct view right)
{
    uint32_t common = 0, a, b;
    while (left.length && right.length) {
        memcpy(&a, left.bytes, sizeof a);
        memcpy(&b, right.bytes, sizeof b);
        common += a == b;
        if (a <= b) {
            left.bytes += sizeof a;
            left.length -= sizeof a;
        }
        if (b <= a) {
            right.bytes += sizeof b;
            right.length -= sizeof b;
        }
    }
    return common;
}

static void measure(const struct pairing *self, uint32_t left_below, uint32_t right_below,
                    struct score *score)
{
    struct view left = intern_view(&self->below, left_below);
    struct view right = intern_view(&self->below, right_below);
    while (left.length || right.length) {
        struct view a = take_level(&left), b = take_level(&right);
        if (!view_equal(a, b)) {
            score->overlap = count_common(a, b);
            return;
        }
        score->levels++;
    }
}

/* ------------------------------------------------------------------ nodes of one name */

static void join(struct pairing_work *work, uint32_t left, uint32_t right)
{
    work->left.partner.items[left] = right;
    work->right.partner.items[right] = left;
}

ORDER_BY(compare_scores, struct score,
         DOWN(levels) || DOWN(overlap) || DOWN(is_old) || UP(left) || UP(right));

/* Nodes with the same nodes below them match best: the one that alignment gave first, then in
 * order. */
static void join_equal(struct pairing *self, const struct place *lefts, size_t left_count,
                       const struct place *rights, size_t right_count)
{
    struct pairing_work *work = self->work;
    struct map next = {
        0}; /* what is below -> place in `rights` behind the last one that was given */
    for (size_t i = 0; i < left_count; i++) {
        uint32_t match = work->left.match.items[lefts[i].place];
        bool is_kept =
            match != PAIR_NONE && work->right.is_touched.items[match] &&
            self->right->nodes.items[work->right.nodes->items[match]].norm == rights->name &&
            self->left_below.items[work->left.nodes->items[lefts[i].place]] ==
                self->right_below.items[work->right.nodes->items[match]];
        if (is_kept)
            join(work, lefts[i].place, match);
    }
    /* the free ones on the right, chained by what is below them, in order */
    ARRAY(uint32_t) chain = {0};
    array_reserve(&chain, right_count);
    for (size_t i = right_count; i-- > 0;) {
        if (work->right.partner.items[rights[i].place] != PAIR_NONE)
            continue;
        uint32_t below = self->right_below.items[work->right.nodes->items[rights[i].place]];
        uint32_t *head = map_put(&next, below, 0);
        chain.items[i] = *head;
        *head = (uint32_t)i + 1;
    }
    for (size_t i = 0; i < left_count; i++) {
        if (work->left.partner.items[lefts[i].place] != PAIR_NONE)
            continue;
        uint32_t below = self->left_below.items[work->left.nodes->items[lefts[i].place]];
        uint32_t *head = map_get(&next, below, 0) ? map_put(&next, below, 0) : NULL;
        if (head) {
            uint32_t right = *head - 1;
            *head = chain.items[right];
            join(work, lefts[i].place, rights[right].place);
        }
    }
    array_free(&chain);
    map_free(&next);
}

/* Joins the rest of both sides, the likest first; very many in their order. */
static void join_rest(struct pairing *self, const struct place *lefts, size_t left_count,
                      const struct place *rights, size_t right_count)
{
    struct pairing_work *work = self->work;
    size_t left_free = 0, right_free = 0;
    for (size_t i = 0; i < left_count; i++)
        left_free += work->left.partner.items[lefts[i].place] == PAIR_NONE;
    for (size_t i = 0; i < right_count; i++)
        right_free += work->right.partner.items[rights[i].place] == PAIR_NONE;
    bool is_much = right_free && left_free > MOST_SCORES / right_free;
    work->scores.count = 0;
    if (!left_free || !right_free)
        return;
    for (size_t i = 0, k = 0; i < left_count; i++) {
        uint32_t left = lefts[i].place;
        if (work->left.partner.items[left] != PAIR_NONE)
            continue;
        for (size_t j = is_much ? k : 0; j < right_count; j++) {
            uint32_t right = rights[j].place;
            if (work->right.partner.items[right] != PAIR_NONE)
                continue;
            if (is_much) {
                join(work, left, right);
                k = j + 1;
                break;
            }
            struct score *score = array_push(&work->scores);
            *score = (struct score){left, right, 0, 0, work->left.match.items[left] == right};
            measure(self, self->left_below.items[work->left.nodes->items[left]],
                    self->right_below.items[work->right.nodes->items[right]], score);
        }
    }
    array_sort(&work->scores, compare_scores);
    for (size_t i = 0; i < work->scores.count; i++) {
        const struct score *score = &work->scores.items[i];
        if (work->left.partner.items[score->left] == PAIR_NONE &&
            work->right.partner.items[score->right] == PAIR_NONE)
            join(work, score->left, score->right);
    }
}

/* Nodes of one name, those on the left first. */
static void join_name(struct pairing *self, const struct place *places, size_t count)
{
    struct pairing_work *work = self->work;
    size_t left_count = 0;
    while (left_count < count && !places[left_count].is_right)
        left_count++;
    const struct place *rights = places + left_count;
    size_t right_count = count - left_count;
    bool is_matched = false;
    for (size_t i = 0; i < left_count && !is_matched; i++)
        is_matched = work->left.match.items[places[i].place] != PAIR_NONE;
    if (!left_count || !right_count || count == 2 || !is_matched)
        return;
    for (size_t i = 0; i < count; i++) {
        struct side *side = places[i].is_right ? &work->right : &work->left;
        side->is_touched.items[places[i].place] = true;
        find_below(self, places[i].is_right, side->nodes->items[places[i].place]);
    }
    join_equal(self, places, left_count, rights, right_count);
    join_rest(self, places, left_count, rights, right_count);
}

/* ------------------------------------------------------------------ lists */

static void begin_side(struct side *side, const struct node_list *nodes, bool by_brief_name)
{
    size_t count = nodes->count;
    side->nodes = nodes;
    side->symbols.count = side->match.count = side->partner.count = side->is_touched.count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct forest_node *node = &side->forest->nodes.items[nodes->items[i]];
        array_add(&side->symbols, by_brief_name ? node->brief : node->norm);
        array_add(&side->match, PAIR_NONE);
        array_add(&side->partner, PAIR_NONE);
        array_add(&side->is_touched, false);
    }
}

static void add_places(struct pairing_work *work, const struct side *side, bool is_right)
{
    for (size_t i = 0; i < side->nodes->count; i++)
        array_add(&work->places,
                  (struct place){side->forest->nodes.items[side->nodes->items[i]].norm, (uint32_t)i,
                                 is_right});
}

ORDER_BY(compare_places, struct place, UP(name) || UP(is_right) || UP(place));

static void join_names(struct pairing *self)
{
    struct pairing_work *work = self->work;
    work->places.count = 0;
    add_places(work, &work->left, false);
    add_places(work, &work->right, true);
    array_sort(&work->places, compare_places);
    for (size_t i = 0, end; i < work->places.count; i = end) {
        for (end = i + 1; end < work->places.count &&
                          work->places.items[end].name == work->places.items[i].name;)
            end++;
        join_name(self, work->places.items + i, end - i);
    }
}

static void add_pair(const struct pairing_work *work, struct pair_list *out, uint32_t left,
                     uint32_t right)
{
    array_add(out, (struct pair){left == PAIR_NONE ? PAIR_NONE : work->left.nodes->items[left],
                                 right == PAIR_NONE ? PAIR_NONE : work->right.nodes->items[right]});
}

static bool is_touched(const struct pairing_work *work, struct pair pair)
{
    return (pair.left != PAIR_NONE && work->left.is_touched.items[pair.left]) ||
           (pair.right != PAIR_NONE && work->right.is_touched.items[pair.right]);
}

/* Pairs of the alignment, where names did not decide otherwise; then new matches, deletes, inserts.
 * A node whose match was taken from it stays alone. */
static void write_changed(const struct pairing_work *work, struct pair_list *out)
{
    for (size_t i = 0; i < work->aligned.count; i++) {
        struct pair pair = work->aligned.items[i];
        if (!is_touched(work, pair))
            add_pair(work, out, pair.left, pair.right);
    }
    for (uint32_t i = 0; i < work->left.nodes->count; i++)
        if (work->left.partner.items[i] != PAIR_NONE)
            add_pair(work, out, i, work->left.partner.items[i]);
    for (size_t k = 0; k < work->aligned.count; k++) {
        uint32_t left = work->aligned.items[k].left;
        if (left != PAIR_NONE && is_touched(work, work->aligned.items[k]) &&
            work->left.partner.items[left] == PAIR_NONE)
            add_pair(work, out, left, PAIR_NONE);
    }
    for (size_t k = 0; k < work->aligned.count; k++) {
        uint32_t right = work->aligned.items[k].right;
        if (right != PAIR_NONE && is_touched(work, work->aligned.items[k]) &&
            work->right.partner.items[right] == PAIR_NONE)
            add_pair(work, out, PAIR_NONE, right);
    }
}

static void begin(struct pairing *self)
{
    size_t left = self->left->nodes.count, right = self->right->nodes.count;
    if (self->work)
        return;
    self->work = memory_zeroed(1, sizeof *self->work);
    array_reserve(&self->left_below, left + 1);
    array_reserve(&self->right_below, right + 1);
    memset(self->left_below.items, 0, left * sizeof *self->left_below.items);
    memset(self->right_below.items, 0, right * sizeof *self->right_below.items);
    self->work->left.forest = self->left;
    self->work->right.forest = self->right;
}

void pairing_make(struct pairing *self, const struct node_list *left, const struct node_list *right,
                  bool by_brief_name, struct pair_list *out)
{
    begin(self);
    struct pairing_work *work = self->work;
    work->aligned.count = 0;
    begin_side(&work->left, left, by_brief_name);
    begin_side(&work->right, right, by_brief_name);
    alignment_make(work->left.symbols.items, left->count, work->right.symbols.items, right->count,
                   &work->aligned);
    for (size_t i = 0; i < work->aligned.count; i++) {
        struct pair pair = work->aligned.items[i];
        if (!pair_is_match(pair))
            continue;
        work->left.match.items[pair.left] = pair.right;
        work->right.match.items[pair.right] = pair.left;
    }
    join_names(self);
    for (size_t i = 0; i < work->left.partner.count; i++)
        if (work->left.partner.items[i] != PAIR_NONE &&
            work->left.partner.items[i] != work->left.match.items[i]) {
            write_changed(work, out);
            return;
        }
    for (size_t i = 0; i < work->aligned.count; i++)
        add_pair(work, out, work->aligned.items[i].left, work->aligned.items[i].right);
}

static void free_side(struct side *side)
{
    arrays_free(&side->symbols, &side->match, &side->partner, &side->is_touched);
}

void pairing_free(struct pairing *self)
{
    struct pairing_work *work = self->work;
    if (work) {
        free_side(&work->left);
        free_side(&work->right);
        arrays_free(&work->aligned, &work->places, &work->scores, &work->level, &work->names);
        text_free(&work->bytes);
    }
    memory_free(work);
    intern_free(&self->below);
    arrays_free(&self->left_below, &self->right_below);
}
