/* overlap: see overlap.h.
 *
 * The work that lasts long enough is sorted by start. What can overlap a kernel is then the front
 * of that list, up to what starts too late, without what ends too early; a tree of latest ends
 * passes over the latter. How many those are, two binary searches tell without finding them.
 */
#include "sql/launches/overlap.h"

#include "src/base/number.h"
#include "src/base/order.h"

#include <math.h>
#include <string.h>

void overlap_add(struct overlap_set *self, const struct overlap_work *work)
{
    array_add(&self->work, *work);
}

/* ------------------------------------------------------------------ index */

struct start {
    int64_t start;
    uint32_t work;
};

ORDER_BY(compare_starts, struct start, UP(start) || UP(work));

ORDER_BY(compare_times, int64_t, BY_LESS(*a, *b));

static bool can_overlap(const struct overlap_set *self, const struct overlap_work *work)
{
    return number_difference(work->end, work->start) >= self->microsecond;
}

/* How many of a sorted list are less than a time. */
static size_t count_below(const int64_t *times, size_t count, int64_t time)
{
    size_t below;
    ARRAY_LOWER_BOUND(below, count, times[below] < time);
    return below;
}

/* The front of the list in which everything starts early enough to overlap a kernel. */
static size_t early_enough(const struct overlap_set *self, const struct overlap_work *kernel)
{
    return count_below(self->starts, self->count,
                       number_sum(number_difference(kernel->end, self->microsecond), 1));
}

/* How much there is to look at for a kernel. */
static uint64_t count_near(const struct overlap_set *self, const struct overlap_work *kernel)
{
    if (!can_overlap(self, kernel))
        return 0;
    return early_enough(self, kernel) -
           count_below(self->ends, self->count, kernel->start + self->microsecond) - 1;
}

/* The greatest limit that keeps the number of pairs in its bounds. */
static void choose_limit(struct overlap_set *self)
{
    uint64_t budget = OVERLAP_PAIRS + OVERLAP_PAIRS_EACH * (uint64_t)self->work.count;
    uint64_t *near = memory_list(self->count + 1, sizeof *near);
    for (size_t i = 0; i < self->count; i++)
        near[i] = count_near(self, &self->work.items[self->order[i]]);
    uint64_t low = 1, high = self->count + 1;
    while (low < high) {
        uint64_t middle = low + (high - low + 1) / 2;
        size_t count = self->count;
        uint64_t sum = 0;
        for (size_t i = 0; i < count; i++)
            sum += near[i] < middle ? near[i] : middle;
        if (sum <= budget)
            low = middle;
        else
            high = middle - 1;
    }
    self->limit = low;
    memory_free(near);
}

void overlap_index(struct overlap_set *self, int64_t microsecond)
{
    size_t count = self->work.count + 1;
    struct start *list = memory_list(count, sizeof *list);
    size_t leaves = 1;
    while (leaves < count)
        leaves *= 2;
    self->microsecond = microsecond;
    self->leaves = 1;
    self->name_of = memory_list(count, sizeof *self->name_of);
    self->order = memory_list(count, sizeof *self->order);
    self->starts = memory_list(count, sizeof *self->starts);
    self->ends = memory_list(count, sizeof *self->ends);
    self->latest = memory_list(2 * leaves, sizeof *self->latest);
    for (size_t i = 0; i < self->work.count; i++) {
        uint32_t *number = map_put(&self->names, self->work.items[i].name, 0);
        if (*number == 0)
            *number = (uint32_t)self->names.count;
        self->name_of[i] = *number - 1;
    }

    /* Work that can overlap by start, and above it a tree of the latest ends. */
    for (size_t i = 0; i < self->work.count; i++)
        if (can_overlap(self, &self->work.items[i]))
            list[self->count++] = (struct start){self->work.items[i].start, (uint32_t)i};
    qsort(list, self->count, sizeof *list, compare_starts);
    while (self->leaves < self->count)
        self->leaves *= 2;
    for (size_t i = 0; i < self->count; i++) {
        self->order[i] = list[i].work;
        self->starts[i] = list[i].start;
        self->ends[i] = self->work.items[list[i].work].end;
    }
    for (size_t i = 0; i < self->leaves; i++)
        self->latest[self->leaves + i] = i < self->count ? self->ends[i] : INT64_MIN;
    for (size_t i = self->leaves; i-- > 1;) {
        int64_t left = self->latest[2 * i], right = self->latest[2 * i + 1];
        self->latest[i] = left > right ? left : right;
    }
    qsort(self->ends, self->count, sizeof *self->ends, compare_times);
    choose_limit(self);
    memory_free(list);
}

/* ------------------------------------------------------------------ finding */

static bool are_partners(const struct overlap_work *left, const struct overlap_work *right)
{
    return left != right && left->block == right->block &&
           (left->stream == INT64_MIN || left->stream != right->stream) &&
           (left->op == 0 || left->op != right->op);
}

/* State of a kernel's search. */
struct search {
    const struct overlap_set *set;
    struct overlap_found *found;
    const struct overlap_work *kernel;
    size_t front;
    uint64_t seen;
    int64_t covered, reached; /* by partners, up to this time */
};

/* Goes through a node of the tree, over the leaves from `first` on. */
static void look(struct search *self, size_t node, size_t first, size_t leaves)
{
    const struct overlap_set *set = self->set;
    if (first >= self->front || self->seen > set->limit ||
        set->latest[node] < self->kernel->start + set->microsecond)
        return;
    if (leaves == 1) {
        uint32_t index = set->order[first];
        const struct overlap_work *kernel = self->kernel;
        const struct overlap_work *work = &self->set->work.items[index];
        if (work != kernel && self->seen++ < self->set->limit && are_partners(kernel, work)) {
            array_add(&self->found->near, (struct overlap_near){work->uid, index});
            int64_t from = work->start > self->reached ? work->start : self->reached;
            int64_t to = work->end < kernel->end ? work->end : kernel->end;
            if (to > from) {
                self->covered += to - from;
                self->reached = to;
            }
        }
        return;
    }
    look(self, 2 * node, first, leaves / 2);
    look(self, 2 * node + 1, first + leaves / 2, leaves / 2);
}

ORDER_BY(compare_uids, struct overlap_near, UP(uid) || UP(work));

/* As numpy rounds: multiply, to even, divide. */
static double round2(double value)
{
    return rint(value * 100) / 100;
}

static void gather(const struct overlap_set *set, const struct overlap_work *kernel,
                   int64_t covered, struct overlap_found *found)
{
    for (size_t i = 0; i < found->near.count; i++) {
        uint32_t index = found->near.items[i].work;
        const struct overlap_work *work = &set->work.items[index];
        struct overlap_place *place = &found->places[set->name_of[index]];
        if (place->round != found->round) {
            struct overlap_partner *partner = array_push(&found->partners);
            struct overlap_sum *sum = array_push(&found->sums);
            *partner = (struct overlap_partner){.name = work->name, .stream = work->stream};
            *sum = (struct overlap_sum){0};
            *place = (struct overlap_place){found->round, (uint32_t)found->sums.count - 1};
        }
        int64_t from = work->start > kernel->start ? work->start : kernel->start;
        int64_t to = work->end < kernel->end ? work->end : kernel->end;
        struct overlap_sum *sum = &found->sums.items[place->place];
        sum->count++;
        sum->durations += (double)work->stated / 1000;
        sum->shares += covered ? round2((double)(to - from) / (double)covered) : 0;
    }
}

void overlap_find(const struct overlap_set *set, const uint32_t *kernels, size_t count,
                  int64_t covered, struct overlap_found *found)
{
    double sum = 0;
    if (!found->places)
        found->places = memory_zeroed(set->names.count + 1, sizeof *found->places);
    found->round++;
    found->partners.count = found->sums.count = 0;
    found->share = 0;
    found->not_examined = 0;
    for (size_t i = 0; i < count; i++) {
        const struct overlap_work *kernel = &set->work.items[kernels[i]];
        if (!can_overlap(set, kernel))
            continue;
        struct search search = {.set = set,
                                .found = found,
                                .kernel = kernel,
                                .front = early_enough(set, kernel),
                                .reached = kernel->start};
        uint64_t near = count_near(set, kernel);
        found->not_examined += near > set->limit ? (int64_t)(near - set->limit) : 0;
        found->near.count = 0;
        look(&search, 1, 0, set->leaves);
        sum += (double)search.covered;
        if (found->near.count > 1)
            array_sort(&found->near, compare_uids);
        gather(set, kernel, covered, found);
    }
    for (size_t i = 0; i < found->partners.count; i++) {
        struct overlap_partner *partner = &found->partners.items[i];
        const struct overlap_sum *of = &found->sums.items[i];
        double duration = of->durations / (double)of->count * 100; /* a sound one: below 2^53 */
        partner->duration = llrint(fmin(fmax(duration, -9e17), 9e17)) * 10;
        partner->share = round2(of->shares / (double)of->count);
    }
    found->share = covered ? round2(sum / (double)covered) : 0;
}

/* ------------------------------------------------------------------ end */

void overlap_free(struct overlap_set *self)
{
    array_free(&self->work);
    map_free(&self->names);
    memory_free(self->name_of);
    memory_free(self->order);
    memory_free(self->starts);
    memory_free(self->ends);
    memory_free(self->latest);
    *self = (struct overlap_set){0};
}

void overlap_found_free(struct overlap_found *self)
{
    arrays_free(&self->partners, &self->near, &self->sums);
    memory_free(self->places);
    *self = (struct overlap_found){0};
}
