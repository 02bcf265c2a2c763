/* kernel_loop: the kernels of a device in the order of their launches are a sequence of names.
 * Short pieces of it (grams) stand where a loop begins again: between two places of one gram the
 * kernels are the same ones. The grams of a length are sorted, so a pass costs n log n.
 */
#include "sql/time/kernel_loop.h"

#include "sql/asked.h"
#include "sql/time/kernel_loop.sql.h"
#include "src/base/hash.h"
#include "src/base/keyed.h"
#include "src/base/map.h"
#include "src/base/number.h"
#include "src/base/order.h"

#include <string.h>

enum { TURNS_LEAST = 3, KERNELS_LEAST = 12 };
static const double covered_least = 0.8; /* of the GPU time of kernels */
static const double alike_least = 0.4;   /* of it, in turns that are equal */

struct kernel {
    int64_t id, launch, end;
    int64_t time;     /* GPU time of the kernels before this one */
    uint64_t ordered; /* hash of the names before this one, in their order */
    uint64_t bag;     /* sum of hashes of these names: the same for any order */
    uint32_t touches; /* host memcpys and synchronizations before its launch */
    uint32_t name;
};

/* Two places of a gram that follow each other, and the kernels between. */
struct segment {
    size_t at, length;
    uint64_t bag;
    int64_t time;
};

/* A gram whose segments are mostly the same. */
struct loop {
    uint64_t gram, bag;    /* bag: of a turn */
    size_t length;         /* of the gram */
    size_t first;          /* its first place */
    size_t period, sample; /* kernels of a turn, and where a usual one begins */
    size_t equal;          /* segments of that bag */
    int64_t pause;         /* of the host before the turns */
    bool is_touched;       /* the host copies or waits in them */
    size_t turns, kernels; /* turns found, and kernels in usual ones */
    int64_t covered;       /* their GPU time */
    bool is_exact;         /* whole turns may fill the sequence */
    bool is_ended;         /* nothing else follows the turns */
};

struct finder {
    ARRAY(struct kernel) kernels; /* one behind the last, for sums */
    ARRAY(struct keyed) places;   /* of grams */
    ARRAY(struct segment) segments;
    ARRAY(struct loop) loops;
    ARRAY(int64_t) touches;
    struct map names;      /* of kernels: 1, 2, 3 */
    ARRAY(uint32_t) usual; /* by name: kernels of a usual turn */
    ARRAY(uint32_t) seen;  /* the same of a piece, else 0 */
};

static size_t kernel_count(const struct finder *self)
{
    return self->kernels.count - 1;
}

/* ------------------------------------------------------------------ the sequence */

static const uint64_t factor = 0x9e3779b97f4a7c15U;

ORDER_BY(compare_launches, struct kernel, UP(launch) || UP(end) || UP(id));
ORDER_BY(compare_times, int64_t, BY_LESS(*a, *b));

/* Reads the kernels of the device with most of their time, and when the host touches a device. */
static int kernel_loop_read(struct finder *self, sqlite3 *db, const int64_t trace[3])
{
    struct asked asked;
    struct kernel kernel = {0};
    int64_t name, time;
    uint32_t names = 0;
    ASK(&asked, db, kernels_of_device, trace[1], trace[2]);
    while (ASKED_ROW(&asked, &kernel.id, &kernel.launch, &kernel.end, &kernel.time, &name)) {
        uint32_t *known = map_put(&self->names, name, 0);
        kernel.bag = hash64(&name, sizeof name, 0);
        kernel.name = *known = *known ? *known : ++names;
        array_add(&self->kernels, kernel);
    }
    int result = asked_end(&asked);
    if (result != SQLITE_OK || self->kernels.count < KERNELS_LEAST)
        return result;
    array_sort(&self->kernels, compare_launches);
    for (uint32_t i = 0; i <= names; i++) {
        array_add(&self->usual, 0);
        array_add(&self->seen, 0);
    }
    ASK(&asked, db, touches_of_host, trace[1], trace[2]);
    while (ASKED_ROW(&asked, &time))
        array_add(&self->touches, time);
    array_sort(&self->touches, compare_times);
    return asked_end(&asked);
}

/* Makes sums of what each kernel has: a piece of the sequence is a difference of two. */
static void kernel_loop_sum(struct finder *self)
{
    struct kernel sum = {.launch = INT64_MAX};
    array_add(&self->kernels, sum);
    for (size_t i = 0; i < self->kernels.count; i++) {
        struct kernel *kernel = &self->kernels.items[i];
        struct kernel own = *kernel;
        while (sum.touches < self->touches.count &&
               self->touches.items[sum.touches] < kernel->launch)
            sum.touches++;
        kernel->time = sum.time;
        kernel->ordered = sum.ordered;
        kernel->bag = sum.bag;
        kernel->touches = sum.touches;
        sum.time = number_sum(sum.time, own.time);
        sum.ordered = sum.ordered * factor + own.bag;
        sum.bag += own.bag;
    }
}

static int64_t time_between(const struct finder *self, size_t from, size_t to)
{
    return self->kernels.items[to].time - self->kernels.items[from].time;
}

static uint64_t bag_between(const struct finder *self, size_t from, size_t to)
{
    return self->kernels.items[to].bag - self->kernels.items[from].bag;
}

/* `power` is the factor to the power of the length. */
static uint64_t order_between(const struct finder *self, size_t from, size_t to, uint64_t power)
{
    return self->kernels.items[to].ordered - self->kernels.items[from].ordered * power;
}

static uint64_t power_of(size_t length)
{
    uint64_t power = 1, base = factor;
    for (; length; length >>= 1, base *= base)
        power *= length & 1 ? base : 1;
    return power;
}

/* ------------------------------------------------------------------ loops */

ORDER_BY(compare_segments, struct segment, UP(length) || UP(bag) || UP(at));

/* The kind of segments with most time; fewer than two of a kind are none. */
static bool find_kind(struct finder *self, struct loop *loop)
{
    int64_t most = 0;
    array_sort(&self->segments, compare_segments);
    for (size_t i = 0, end; i < self->segments.count; i = end) {
        const struct segment *first = &self->segments.items[i];
        int64_t time = 0;
        for (end = i; end < self->segments.count && self->segments.items[end].bag == first->bag &&
                      self->segments.items[end].length == first->length;
             end++)
            time += self->segments.items[end].time;
        if (end - i < 2 || time <= most)
            continue;
        most = time;
        loop->sample = first->at;
        loop->period = first->length;
        loop->bag = first->bag;
        loop->equal = end - i;
        loop->covered = time;
    }
    return most > 0;
}

/* Adds the loop whose turns begin with a gram, if it has one: its places are in order. */
static void add_loop(struct finder *self, const struct keyed *places, size_t count, size_t length)
{
    const struct kernel *kernels = self->kernels.items;
    struct loop loop = {.gram = (uint64_t)places->key, .length = length, .first = places->place};
    self->segments.count = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        size_t from = places[i].place, to = places[i + 1].place;
        array_add(&self->segments, (struct segment){from, to - from, bag_between(self, from, to),
                                                    time_between(self, from, to)});
    }
    if (!find_kind(self, &loop) ||
        (double)loop.covered < alike_least * (double)time_between(self, 0, kernel_count(self)))
        return;
    size_t touched = 0, paused = 0;
    for (size_t i = 0; i < self->segments.count; i++) {
        size_t at = self->segments.items[i].at;
        if (self->segments.items[i].bag != loop.bag)
            continue;
        touched += kernels[at + loop.period].touches > kernels[at].touches;
        if (!at)
            continue;

        /* One long pause does not make a beginning: each counts up to half a turn. */
        int64_t most = (kernels[at + loop.period - 1].launch - kernels[at].launch) / 2,
                pause = kernels[at].launch - kernels[at - 1].launch;
        loop.pause += pause < most ? pause : most;
        paused++;
    }
    loop.pause /= paused ? (int64_t)paused : 1;
    loop.is_touched = touched * 5 >= loop.equal * 4;
    array_add(&self->loops, loop);
}

static void kernel_loop_list(struct finder *self)
{
    static const size_t lengths[] = {1, 4, 16};
    size_t count = kernel_count(self);
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        size_t length = lengths[k];
        uint64_t power = power_of(length);
        self->places.count = 0;
        for (size_t i = 0; i + length <= count; i++)
            array_add(
                &self->places,
                (struct keyed){(int64_t)order_between(self, i, i + length, power), (uint32_t)i});
        keyed_sort(self->places.items, self->places.count);
        for (size_t i = 0, end; i < self->places.count; i = end) {
            for (end = i; end < self->places.count &&
                          self->places.items[end].key == self->places.items[i].key;
                 end++)
                ;
            if (end - i >= TURNS_LEAST)
                add_loop(self, &self->places.items[i], end - i, length);
        }
    }
}

/* ------------------------------------------------------------------ turns */

/* Kernels of a piece that a usual turn has, too; `other` gets the GPU time of the rest. */
static size_t shared_kernels(struct finder *self, size_t from, size_t to, int64_t *other)
{
    size_t shared = 0;
    *other = 0;
    for (size_t i = from; i < to; i++) {
        uint32_t name = self->kernels.items[i].name;
        if (self->seen.items[name] < self->usual.items[name])
            self->seen.items[name]++, shared++;
        else
            *other = number_sum(*other, time_between(self, i, i + 1));
    }
    for (size_t i = from; i < to; i++)
        self->seen.items[self->kernels.items[i].name] = 0;
    return shared;
}

/* True for a piece that shares nine of ten kernels with a usual turn, and the reverse. */
static bool is_usual(struct finder *self, const struct loop *loop, size_t from, size_t to)
{
    size_t length = to - from > loop->period ? to - from : loop->period;
    int64_t other;
    return bag_between(self, from, to) == loop->bag ||
           shared_kernels(self, from, to, &other) * 10 >= length * 9;
}

static void cover(struct finder *self, struct loop *loop, size_t from, size_t to)
{
    loop->covered += time_between(self, from, to);
    loop->kernels += to - from;
}

static void add_turn(const struct finder *self, size_t from, size_t to, loop_turns *turns)
{
    const struct kernel *kernels = self->kernels.items;
    struct loop_turn turn = {.id = kernels[from].id, .start = kernels[from].launch};
    int64_t end = kernels[from].end;
    for (size_t i = from; i < to; i++)
        end = kernels[i].end > end ? kernels[i].end : end;
    turn.busy = number_difference(end, kernels[from].end - time_between(self, from, from + 1));
    turn.duration = number_difference(kernels[to].launch, turn.start);
    array_add(turns, turn);
}

/* Lists where turns may begin, as `places`: the gram stands there. Where it does not, whole turns
 * are told by their kernels alone: before the first place, behind the last one, and in long gaps.
 */
static void list_borders(struct finder *self, const struct loop *loop)
{
    size_t count = kernel_count(self), period = loop->period, from = loop->first;
    uint64_t power = power_of(loop->length);
    self->places.count = 0;
    while (from >= period && is_usual(self, loop, from - period, from))
        from -= period;
    for (; from < loop->first; from += period)
        array_add(&self->places, (struct keyed){.place = (uint32_t)from});
    for (size_t i = loop->first, last = i; i <= count; i++) {
        bool is_end = i == count, is_first = i == loop->first;
        if (!is_end && (i + loop->length > count ||
                        order_between(self, i, i + loop->length, power) != loop->gram))
            continue;
        if (!is_end && !is_first && (i - last) * 2 < period)
            continue;
        for (; i - last > 2 * period || (is_end && i - last >= period); last += period) {
            if (!is_usual(self, loop, last, last + period))
                break;
            array_add(&self->places, (struct keyed){.place = (uint32_t)(last + period)});
        }
        if (!is_end && (!self->places.count ||
                        self->places.items[self->places.count - 1].place != (uint32_t)i))
            array_add(&self->places, (struct keyed){.place = (uint32_t)i});
        last = i;
    }
}

/* Lists the turns, and sums up what usual ones cover, with the parts at both ends. Some between
 * usual ones differ; a piece longer than two turns is none. */
static void list_turns(struct finder *self, struct loop *loop, loop_turns *turns)
{
    size_t count = kernel_count(self), usual = 0; /* turns up to the last usual one */
    memset(self->usual.items, 0, self->usual.count * sizeof *self->usual.items);
    for (size_t i = 0; i < loop->period; i++)
        self->usual.items[self->kernels.items[loop->sample + i].name]++;
    list_borders(self, loop);
    turns->count = loop->kernels = 0;
    loop->covered = 0;
    const struct keyed *borders = self->places.items;
    for (size_t i = 0; i + 1 < self->places.count; i++) {
        size_t from = borders[i].place, to = borders[i + 1].place;
        bool is_whole = is_usual(self, loop, from, to);
        if (is_whole)
            cover(self, loop, from, to);
        if (is_whole || (usual && to - from <= 2 * loop->period))
            add_turn(self, from, to, turns);
        usual = is_whole ? turns->count : usual;
    }
    loop->turns = turns->count = usual;
    size_t first = borders[0].place, last = borders[self->places.count - 1].place;
    int64_t other;
    if (first < loop->period && shared_kernels(self, 0, first, &other) * 10 >= first * 9)
        cover(self, loop, 0, first);
    bool is_part = shared_kernels(self, last, count, &other) * 10 >= (count - last) * 9;
    if (count - last < loop->period && is_part)
        cover(self, loop, last, count);
    loop->is_ended = (double)other * 10 * (double)usual <= (double)loop->covered;
}

/* ------------------------------------------------------------------ the loop of the program */

static size_t enough(size_t turns)
{
    return turns < TURNS_LEAST ? turns : TURNS_LEAST;
}

ORDER_BY(compare_rotations, struct loop,
         UP(equal) || DOWN(period) || DOWN(turns) || DOWN(is_exact) || DOWN(pause) || UP(first));
ORDER_BY(compare_loops, struct loop,
         UP(period) || BY_LESS(enough(a->turns), enough(b->turns)) || UP(is_exact) || UP(pause) ||
             UP(turns));

/* Keeps one of the loops with equally many turns: the longest, for others are parts of it. Of its
 * beginnings this is the one after the longest pause, unless it cuts a turn that is needed. */
static void keep_longest(struct finder *self)
{
    size_t count = kernel_count(self), kept = 0;
    for (size_t i = 0; i < self->loops.count; i++) {
        struct loop *loop = &self->loops.items[i];
        loop->turns = enough((count - loop->first % loop->period) / loop->period);
        loop->is_exact = count % loop->period == 0 && loop->first % loop->period == 0;
    }
    array_sort(&self->loops, compare_rotations);
    for (size_t i = 0; i < self->loops.count; i++)
        if (!kept || self->loops.items[i].equal != self->loops.items[kept - 1].equal)
            self->loops.items[kept++] = self->loops.items[i];
    self->loops.count = kept;
}

/* A loop of the whole program, no loop over the layers of a model: it covers the sequence, no head
 * of a model follows it, and in each turn the host takes part, or a shorter loop runs. */
static bool is_program_loop(const struct finder *self, const struct loop *loop)
{
    size_t count = kernel_count(self);
    if (loop->turns < TURNS_LEAST || !loop->is_ended ||
        (double)loop->covered < covered_least * (double)time_between(self, 0, count) ||
        (double)loop->kernels < covered_least * (double)count)
        return false;
    bool has_layers = false;
    for (const struct loop *other = self->loops.items; other < loop && !has_layers; other++)
        has_layers = other->period >= 4 && other->turns >= TURNS_LEAST * loop->turns;
    return loop->is_touched || has_layers;
}

/* The longest loop, for shorter ones are parts of its turns. A shorter one is taken where less than
 * half a turn of its own is between its turns, for each turn of the longer one: this comes with a
 * log entry every tenth time. */
static struct loop *choose_loop(struct finder *self, loop_turns *turns)
{
    int64_t total = time_between(self, 0, kernel_count(self));
    struct loop *chosen = NULL;
    keep_longest(self);
    for (size_t i = 0; i < self->loops.count; i++)
        list_turns(self, &self->loops.items[i], turns);
    array_sort(&self->loops, compare_loops);
    for (size_t i = self->loops.count; i > 0; i--) {
        struct loop *loop = &self->loops.items[i - 1];
        if (!is_program_loop(self, loop))
            continue;
        double turn = (double)loop->covered / (double)loop->turns;
        if (!chosen || (loop->turns * 2 >= chosen->turns * 3 &&
                        (double)(total - loop->covered) < 1.5 * turn * (double)chosen->turns))
            chosen = loop;
    }
    return chosen;
}

int kernel_loop_find(sqlite3 *db, const int64_t trace[3], loop_turns *turns)
{
    struct finder self = {0};
    int result = kernel_loop_read(&self, db, trace);
    if (result == SQLITE_OK && self.kernels.count >= KERNELS_LEAST) {
        kernel_loop_sum(&self);
        kernel_loop_list(&self);
        struct loop *loop = choose_loop(&self, turns);
        turns->count = 0;
        if (loop)
            list_turns(&self, loop, turns);

        /* No turn follows the last one: it ends with its kernels, or with a launch before that. */
        struct loop_turn *last = turns->count ? &turns->items[turns->count - 1] : NULL;
        if (last && last->busy < last->duration)
            last->duration = last->busy;
    }
    arrays_free(&self.kernels, &self.places, &self.segments, &self.loops, &self.touches,
                &self.usual, &self.seen);
    map_free(&self.names);
    return result;
}
