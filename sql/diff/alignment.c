/* alignment: Equal ends are taken off. The middle is a table of distances in a band around the
 * diagonal, which grows until the way stays inside, and is walked back. */
#include "sql/diff/alignment.h"

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

static void put(struct band *self, size_t place, unsigned value)
{
    self->cells[place / 4] = (uint8_t)(self->cells[place / 4] | value << (place % 4 * 2));
}

static unsigned get(const struct band *self, size_t i, size_t j)
{
    size_t place = cell(self, i, j);
    return self->cells[place / 4] >> (place % 4 * 2) & 3U;
}

static bool is_inside(const struct band *self, size_t i, size_t j)
{
    return j + self->width >= i && j <= i + self->width;
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
        put(self, cell(self, i, j), known | (row[k] == by_delete && by_delete < far ? DELETE : 0));
    }
}

static bool fill(struct band *self)
{
    size_t span = 2 * self->width + 1;
    uint32_t *rows = memory_list(2 * span, sizeof *rows);
    self->cells = memory_zeroed((self->left_count + 1) * span / 4 + 1, 1);
    if (!rows || !self->cells) {
        memory_free(rows);
        return false;
    }
    for (size_t i = 0; i <= self->left_count; i++)
        fill_row(self, i, rows + (i % 2 ? 0 : span), rows + (i % 2 ? span : 0));
    memory_free(rows);
    return true;
}

/* Goes back from the ends. `*is_inside`: the way stayed where values are known. */
static bool go_back(const struct band *self, struct pair_list *out, bool *stayed)
{
    size_t i = self->left_count, j = self->right_count;
    *stayed = true;
    while (i > 0 || j > 0) {
        bool is_match = i > 0 && j > 0 && self->left[i - 1] == self->right[j - 1];
        if (!is_match && i > 0 && j > 0 && !(is_inside(self, i, j) && get(self, i, j) & KNOWN)) {
            *stayed = false;
            return true;
        }
        bool is_delete = !is_match && i > 0 && (j == 0 || get(self, i, j) & DELETE);
        if (!array_add(out, (struct pair){is_match || is_delete ? (uint32_t)--i : PAIR_NONE,
                                          is_delete ? PAIR_NONE : (uint32_t)--j}))
            return false;
    }
    return true;
}

static void reverse(struct pair_list *list, size_t from)
{
    for (size_t i = from, k = list->count; i + 1 < k; i++) {
        struct pair held = list->items[i];
        list->items[i] = list->items[--k];
        list->items[k] = held;
    }
}

static bool add(struct pair_list *out, size_t left, size_t right)
{
    struct pair *pair = array_push(out);
    if (pair)
        *pair = (struct pair){left == SIZE_MAX ? PAIR_NONE : (uint32_t)left,
                              right == SIZE_MAX ? PAIR_NONE : (uint32_t)right};
    return pair;
}

/* Each symbol with the next equal one that is not far. */
static bool match_next(const struct band *self, struct pair_list *out)
{
    size_t j = 0;
    bool done = true;
    for (size_t i = 0; i < self->left_count && done; i++) {
        size_t end = self->right_count - j < WINDOW ? self->right_count : j + WINDOW, k = j;
        while (k < end && self->left[i] != self->right[k])
            k++;
        if (k == end) {
            done = add(out, i, SIZE_MAX);
            continue;
        }
        while (j < k && done)
            done = add(out, SIZE_MAX, j++);
        done = done && add(out, i, j++);
    }
    while (j < self->right_count && done)
        done = add(out, SIZE_MAX, j++);
    return done;
}

/* The middle, without the equal ends, in bands of growing width. */
static bool align_middle(struct band *self, struct pair_list *out)
{
    size_t difference = self->left_count > self->right_count ? self->left_count - self->right_count
                                                             : self->right_count - self->left_count;
    size_t longest = self->left_count > self->right_count ? self->left_count : self->right_count;
    size_t from = out->count;
    if (!self->left_count || !self->right_count)
        return match_next(self, out);
    for (self->width = difference + FIRST_WIDTH;; self->width *= 2) {
        bool stayed = false;
        if (self->width > longest)
            self->width = longest; /* all cells */
        if ((2 * self->width + 1) > MOST_BYTES / (self->left_count / 4 + 1))
            return match_next(self, out);
        bool done = fill(self) && go_back(self, out, &stayed);
        memory_free(self->cells);
        if (!done || stayed) {
            if (done)
                reverse(out, from);
            return done;
        }
        out->count = from;
    }
}

bool alignment_make(const uint32_t *left, size_t left_count, const uint32_t *right,
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
    bool done = true;
    if (band.left_count || band.right_count)
        done = align_middle(&band, out);
    for (size_t i = 0; i < tail && done; i++)
        done = add(out, band.left_count + i, band.right_count + i);
    return done;
}
