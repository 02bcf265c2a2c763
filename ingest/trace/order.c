/* order: slices are moved in place, through blocks where a few runs are merged; places are numbered
 * anew by their texts. */
#include "ingest/trace/order.h"

#include "ingest/trace/sort.h"

#include <assert.h>

/* Ranks decide nesting when two slices take the same time. */
static int rank_of(const struct trace *self, const struct slice *slice)
{
    static const int ranks[] = {
        [ROLE_OP] = 0,   [ROLE_FRAME] = 1,    [ROLE_CALL] = 2,  [ROLE_GPU] = 3,
        [ROLE_MARK] = 4, [ROLE_GPU_MARK] = 5, [ROLE_OTHER] = 6,
    };
    return ranks[trace_role(self, slice)];
}

static int compare_integers(int64_t left, int64_t right)
{
    return (left > right) - (left < right);
}

static int compare_texts(const struct trace *self, uint32_t left, uint32_t right)
{
    struct view a = intern_view(&self->strings, left), b = intern_view(&self->strings, right);
    int order = memcmp(a.bytes, b.bytes, a.length < b.length ? a.length : b.length);
    return order ? order : compare_integers((int64_t)a.length, (int64_t)b.length);
}

static int compare_slices(const void *left, const void *right, void *context)
{
    const struct trace *self = context;
    const struct slice *a = &self->slices.items[*(const uint32_t *)left];
    const struct slice *b = &self->slices.items[*(const uint32_t *)right];
    int order = compare_integers(a->start, b->start);
    order = order ? order : compare_integers(b->duration, a->duration);
    order = order ? order : compare_integers(rank_of(self, a), rank_of(self, b));
    order = order ? order : compare_integers(a->place, b->place);
    order = order || a->name == b->name ? order : compare_texts(self, a->name, b->name);
    return order ? order : compare_integers(a->uid, b->uid);
}

/* Slices are moved through blocks that hold so many. */
enum { BLOCK = 256 };

/* Puts in the place of each item the one that `order` names there, without room for a second list;
 * `order` is of no use afterwards. */
static void permute(void *items, size_t size, uint32_t *order, size_t count)
{
    char held[BLOCK * sizeof(struct slice)], *at = items;
    assert(size <= sizeof held);
    for (size_t first = 0; first < count; first++) {
        size_t to = first;
        if (order[first] == first)
            continue;
        memcpy(held, at + first * size, size);
        while (order[to] != first) {
            size_t from = order[to];
            memcpy(at + to * size, at + from * size, size);
            order[to] = (uint32_t)to;
            to = from;
        }
        memcpy(at + to * size, held, size);
        order[to] = (uint32_t)to;
    }
}

/* Blocks take the slices of each stretch of the order, in turn: a free one each, and a block
 * becomes free with its last slice. `blocks` gets all of them, `left` is room for as many numbers.
 * False: there are not enough of them, as the order jumps about. */
static bool choose_blocks(const uint32_t *order, size_t count, uint32_t *blocks, uint32_t *left,
                          size_t block_count)
{
    size_t free_at = 0, free_end = 0; /* they stand behind those that were taken */
    for (size_t block = 0; block < block_count; block++) {
        size_t first = block * BLOCK;
        left[block] = (uint32_t)(first >= count          ? 0
                                 : count - first < BLOCK ? count - first
                                                         : BLOCK);
        if (!left[block])
            blocks[free_end++] = (uint32_t)block;
    }
    for (size_t i = 0; i < count; i++) {
        if (i % BLOCK == 0 && free_at++ == free_end)
            return false;
        if (!--left[order[i] / BLOCK])
            blocks[free_end++] = order[i] / BLOCK;
    }
    assert(free_end == block_count);
    return true;
}

/* Likewise for slices: where a few runs are merged, as tables are that stand one behind the other,
 * they are read from front to back, and only whole blocks must find their places. */
static void permute_slices(struct trace *self, uint32_t *order)
{
    enum { SPARE = 32 };
    size_t count = self->slices.count, block_count = (count + BLOCK - 1) / BLOCK + SPARE;
    uint32_t *blocks = memory_list(2 * block_count, sizeof *blocks);
    array_reserve(&self->slices, block_count * BLOCK - count);
    struct slice *slices = self->slices.items;
    if (choose_blocks(order, count, blocks, blocks + block_count, block_count)) {
        for (size_t i = 0; i < count; i++)
            slices[(size_t)blocks[i / BLOCK] * BLOCK + i % BLOCK] = slices[order[i]];
        permute(slices, BLOCK * sizeof *slices, blocks, block_count);

    } else
        permute(slices, sizeof *slices, order, count);
    memory_free(blocks);
}

/* Gives the slices of a role numbers in the order in which they stand; `order` gets those that they
 * had. */
static size_t number_sides(struct trace *self, enum role role, uint32_t *order)
{
    size_t count = 0;
    for (size_t i = 0; i < self->slices.count; i++) {
        struct slice *slice = &self->slices.items[i];
        if (trace_role(self, slice) != role)
            continue;
        order[count] = slice->side;
        slice->side = (uint32_t)count++;
    }
    return count;
}

/* The slices in their order, and the work and calls in that of their slices. `place` gets where
 * each slice went. */
static void reorder(struct trace *self, uint32_t *order, uint32_t *place)
{
    size_t count = self->slices.count;
    for (size_t i = 0; i < count; i++)
        place[order[i]] = (uint32_t)i;
    permute_slices(self, order);
    size_t gpus = number_sides(self, ROLE_GPU, order);
    assert(gpus == self->gpus.count);
    if (gpus)
        permute(self->gpus.items, sizeof *self->gpus.items, order, gpus);
    size_t calls = number_sides(self, ROLE_CALL, order);
    assert(calls == self->calls.count);
    if (calls)
        permute(self->calls.items, sizeof *self->calls.items, order, calls);
    for (size_t i = 0; i < gpus; i++)
        self->gpus.items[i].slice = place[self->gpus.items[i].slice];
    for (size_t i = 0; i < calls; i++)
        self->calls.items[i].slice = place[self->calls.items[i].slice];
}

/* ------------------------------------------------------------------ places */

/* Numbers by what they count to, as far as texts tell. */
static int compare_numbers(const struct trace *self, uint32_t left, uint32_t right)
{
    struct view a = intern_view(&self->strings, left), b = intern_view(&self->strings, right);
    int order = compare_integers((int64_t)a.length, (int64_t)b.length);
    return order ? order : compare_texts(self, left, right);
}

static int compare_place_numbers(const void *left, const void *right, void *context)
{
    const struct trace *self = context;
    struct place a = trace_place(self, *(const uint32_t *)left);
    struct place b = trace_place(self, *(const uint32_t *)right);
    int order = compare_numbers(self, a.process, b.process);
    return order ? order : compare_numbers(self, a.thread, b.thread);
}

/* Tracks stand in the order of their places. */
static void order_places(struct trace *self)
{
    uint32_t count = (uint32_t)intern_count(&self->places);
    uint32_t *order = memory_list(count + 1, sizeof *order);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i + 1;
    qsort_r(order, count, sizeof *order, compare_place_numbers, self);

    /* Slices, records of memory and threads follow the new numbers. */
    struct intern places = {0};
    uint32_t *number = memory_zeroed(count + 1, sizeof *number);
    for (uint32_t i = 0; i < count; i++) {
        struct place place = trace_place(self, order[i]);
        number[order[i]] = intern_add(&places, &place, sizeof place);
    }
    for (size_t i = 0; i < self->slices.count; i++)
        self->slices.items[i].place = number[self->slices.items[i].place] & 0xFFFFFF;
    for (size_t i = 0; i < self->memory.count; i++)
        self->memory.items[i].place = number[self->memory.items[i].place];
    for (size_t i = 0; i < self->threads.count; i++)
        self->threads.items[i].place = number[self->threads.items[i].place];
    memory_free(number);
    intern_free(&self->places);
    self->places = places;
    memory_free(order);
}

/* ------------------------------------------------------------------ all of it */

void order_trace(struct trace *self, uint32_t **places)
{
    size_t count = self->slices.count;
    uint32_t *order = memory_list(count + 1, sizeof *order);
    uint32_t *place = memory_list(count + 1, sizeof *place);
    order_places(self);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    if (count) {
        const struct slice *slices = self->slices.items;
        self->start = INT64_MAX;
        for (size_t i = 0; i < count; i++)
            self->start = slices[i].start < self->start ? slices[i].start : self->start;
        sort_slices(self, order, count, TREE_FILE_ORDER);
        /* Slices that start together, by all that tells them apart. */
        for (size_t start = 0, end; start < count; start = end) {
            for (end = start + 1;
                 end < count && slices[order[end]].start == slices[order[start]].start;)
                end++;
            if (end - start > 1)
                qsort_r(order + start, end - start, sizeof *order, compare_slices, self);
        }
        reorder(self, order, place);
    }
    for (size_t i = 0; i < self->sequences.count; i++)
        self->sequences.items[i].slice = place[self->sequences.items[i].slice];
    memory_free(order);
    *places = place;
}
