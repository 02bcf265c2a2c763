/* pipeline_rows: Stages come from names, or else from the places of ranks. Windows are made at
 * their first slot, measured, and replayed with recorded and mean durations. */
#include "sql/ranks/pipeline_rows.h"

#include "src/base/map.h"
#include "src/base/memory.h"
#include "src/base/number.h"
#include "src/base/order.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* pipeline: schedules of pipelines, replayed and recognised.
 *
 * Slots come by rank and position there. Each runs after the one before it on its rank and after
 * the slot that it needs:
 *
 *     forward of a stage      the forward of the stage before
 *     backward of a stage     the backward of the next stage; of the last stage: its forward
 *     weight gradients        the backward (of the inputs) of the same stage
 *
 * always of the same microbatch. What is needed and not there counts as done.
 *
 * A slot runs with the next ones of its rank until one must wait. A rank's first round
 * shows which schedule it is. */

/* ------------------------------------------------------------------ replay */

/* The place + 1 of a slot of the same microbatch; 0: there is none. */
static uint32_t find(const struct map *places, const struct pipeline_step *step,
                     enum pipeline_kind kind, int64_t stage)
{
    return map_get(places, stage * PIPELINE_KINDS + (int64_t)kind,
                   step->microbatch << 32 | step->round);
}

static uint32_t find_need(const struct map *places, const struct pipeline_step *step, int64_t last)
{
    bool is_weight = step->kind == PIPELINE_WEIGHT;
    if (step->kind == PIPELINE_FORWARD)
        return find(places, step, PIPELINE_FORWARD, step->stage - 1);
    if (!is_weight && step->stage == last)
        return find(places, step, PIPELINE_FORWARD, step->stage);
    int64_t stage = is_weight ? step->stage : step->stage + 1;
    enum pipeline_kind first = step->kind == PIPELINE_BACKWARD ? PIPELINE_BACKWARD : PIPELINE_INPUT;
    uint32_t need = find(places, step, first, stage);
    return need ? need
                : find(places, step, first == PIPELINE_INPUT ? PIPELINE_BACKWARD : PIPELINE_INPUT,
                       stage);
}

struct replay {
    const struct pipeline_step *steps;
    size_t count;
    uint32_t *needs;  /* of each slot the place + 1 of what it needs */
    uint32_t *waiter; /* of each slot a slot + 1 that waits for it, */
    uint32_t *next;   /* and of that one the next that does */
    uint32_t *ready;  /* slots that can run */
    double *ends;     /* below 0: has not run */
};

/* Runs a slot, and the next ones of its rank, until one must wait; lists what waited for them. */
static void run(struct replay *self, size_t place, size_t *ready)
{
    const struct pipeline_step *steps = self->steps;
    for (;; place++) {
        uint32_t need = self->needs[place];
        double start =
            place && steps[place - 1].rank == steps[place].rank ? self->ends[place - 1] : 0;
        if (need && self->ends[need - 1] < 0) {
            self->next[place] = self->waiter[need - 1];
            self->waiter[need - 1] = (uint32_t)place + 1;
            return;
        }
        if (need && self->ends[need - 1] > start)
            start = self->ends[need - 1];
        self->ends[place] = start + steps[place].ns;
        for (uint32_t i = self->waiter[place]; i; i = self->next[i - 1])
            self->ready[(*ready)++] = i - 1;
        if (place + 1 == self->count || steps[place + 1].rank != steps[place].rank)
            return;
    }
}

/* From the start of the first slot to the end of the last one, where nothing but the slots takes
 * time. NAN: slots wait for each other. */
static double pipeline_replay(const struct pipeline_step *steps, size_t count)
{
    struct map places = {0};
    struct replay self = {
        .steps = steps,
        .count = count,
        .needs = memory_zeroed(count + 1, sizeof *self.needs),
        .waiter = memory_zeroed(count + 1, sizeof *self.waiter),
        .next = memory_zeroed(count + 1, sizeof *self.next),
        .ready = memory_zeroed(count + 1, sizeof *self.ready),
        .ends = memory_zeroed(count + 1, sizeof *self.ends),
    };
    int64_t last = 0;
    size_t ready = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t *place = map_put(&places, steps[i].stage * PIPELINE_KINDS + (int64_t)steps[i].kind,
                                  steps[i].microbatch << 32 | steps[i].round);
        if (*place == 0)
            *place = (uint32_t)i + 1;
        last = steps[i].stage > last ? steps[i].stage : last;
    }
    for (size_t i = 0; i < count; i++) {
        self.needs[i] = find_need(&places, &steps[i], last);
        self.ends[i] = -1;
        if (i == 0 || steps[i - 1].rank != steps[i].rank)
            self.ready[ready++] = (uint32_t)i;
    }
    while (ready)
        run(&self, self.ready[--ready], &ready);
    bool is_stuck = false;
    double length = 0;
    for (size_t i = 0; i < count; i++) {
        is_stuck = is_stuck || self.ends[i] < 0;
        length = self.ends[i] > length ? self.ends[i] : length;
    }
    map_free(&places);
    memory_free(self.needs);
    memory_free(self.waiter);
    memory_free(self.next);
    memory_free(self.ready);
    memory_free(self.ends);
    return is_stuck ? NAN : length;
}

/* ------------------------------------------------------------------ schedules */

/* The shape of a rank's first round. */
struct look {
    size_t stages;         /* 1, or 2 for several */
    bool is_v;             /* stages r and 2p - 1 - r, of each some */
    bool is_forward_first; /* no forward behind a backward */
    bool is_alternating;   /* from the first backward on one of each, until one kind runs out */
    bool has_halves;
};

static struct look look_at(const struct pipeline_step *steps, size_t count, int64_t ranks)
{
    struct look look = {.stages = 1, .is_forward_first = true, .is_alternating = true};
    size_t left[2] = {0}, backward = 0;
    bool has_low = false, has_high = false, has_other = false;
    for (size_t i = 0; i < count; i++) {
        int64_t rank = steps[0].rank;
        has_low = has_low || steps[i].stage == rank;
        has_high = has_high || steps[i].stage == 2 * ranks - 1 - rank;
        has_other = has_other || (steps[i].stage != rank && steps[i].stage != 2 * ranks - 1 - rank);
        look.stages = steps[i].stage != steps[0].stage ? 2 : look.stages;
        look.has_halves = look.has_halves || steps[i].kind >= PIPELINE_INPUT;
        left[steps[i].kind != PIPELINE_FORWARD] += steps[i].round == 0;
    }
    look.is_v = has_low && has_high && !has_other;
    bool before = false;
    for (size_t i = 0; i < count; i++) {
        bool is_backward = steps[i].kind != PIPELINE_FORWARD;
        if (steps[i].round)
            continue;
        look.is_forward_first = look.is_forward_first && (is_backward || !backward);
        /* the same kind twice, though the other one is left */
        if (backward && before == is_backward && left[!is_backward])
            look.is_alternating = false;
        left[is_backward]--;
        backward += is_backward;
        before = is_backward;
    }
    return look;
}

uint32_t pipeline_leader(struct pipeline_rows *self, uint32_t rank)
{
    struct pipeline_rank *ranks = self->ranks.items;
    while (ranks[rank].leader != rank)
        rank = ranks[rank].leader = ranks[ranks[rank].leader].leader;
    return rank;
}

/* ------------------------------------------------------------------ slots in order */

ORDER_BY(by_host, struct pipeline_slot, UP(rank) || UP(from) || UP(id));
ORDER_BY(by_position, struct pipeline_slot,
         UP(window) || UP(rank) || UP(order) || UP(from) || UP(id));

/* Finds the window of each slot, and makes it at its first one. */
static void make_windows(struct pipeline_rows *self)
{
    struct map windows = {0};
    int64_t order = INT64_MIN;
    for (size_t i = 0; i < self->slots.count; i++) {
        struct pipeline_slot *slot = &self->slots.items[i];
        uint32_t leader = pipeline_leader(self, slot->rank);
        uint32_t *place = map_put(&windows, leader, slot->step);
        if (*place == 0) {
            array_add(&self->windows, (struct pipeline_window){.leader = leader,
                                                               .step = slot->step,
                                                               .start = INT64_MAX,
                                                               .end = INT64_MIN});
            *place = (uint32_t)self->windows.count;
        }
        struct pipeline_window *window = &self->windows.items[*place - 1];
        slot->window = *place - 1;
        order = i && slot[-1].rank == slot->rank ? order : INT64_MIN;
        order = slot->start != INT64_MIN ? slot->start : order;
        slot->order = order;
        if (slot->start == INT64_MIN)
            continue;
        window->start = slot->start < window->start ? slot->start : window->start;
        window->end = slot->end > window->end ? slot->end : window->end;
    }
    for (size_t i = 0; i < self->p2p.count; i++) {
        const struct pipeline_p2p *p2p = &self->p2p.items[i];
        uint32_t place = map_get(&windows, pipeline_leader(self, p2p->rank), p2p->step);
        if (!place)
            continue;
        self->windows.items[place - 1].pairs += p2p->is_pair;
        self->windows.items[place - 1].unmatched += !p2p->is_pair;
    }
    map_free(&windows);
}

/* ------------------------------------------------------------------ figures */

/* Adds what covers a window of a set that is settled. */
static void add_within(struct interval_set *to, const struct interval_set *from, int64_t start,
                       int64_t end)
{
    size_t i;
    ARRAY_LOWER_BOUND(i, from->list.count, from->list.items[i].end <= start);
    for (; i < from->list.count && from->list.items[i].start < end; i++) {
        const struct interval *one = &from->list.items[i];
        interval_add(to, one->start > start ? one->start : start, one->end < end ? one->end : end);
    }
}

/* Adds them, and gives how much more the set covers then. */
static void measure_more(struct interval_set *to, const struct interval_set *from,
                         const struct pipeline_window *window, int64_t *more)
{
    int64_t before = (int64_t)interval_length(to);
    add_within(to, from, window->start, window->end);
    interval_settle(to);
    *more = (int64_t)interval_length(to) - before;
}

/* Measures the slots of a rank in a window, which are `count`. */
static void add_part(struct pipeline_rows *self, struct pipeline_slot *slots, size_t count)
{
    const struct pipeline_rank *rank = &self->ranks.items[slots->rank];
    const struct pipeline_window *window = &self->windows.items[slots->window];
    struct pipeline_part part = {.rank = slots->rank, .window = slots->window};
    struct interval_set set = {0};
    struct map rounds = {0};
    bool is_warm = true;
    for (size_t i = 0; i < count; i++) {
        uint32_t *round = map_put(&rounds, slots[i].stage * PIPELINE_KINDS + (int64_t)slots[i].kind,
                                  slots[i].microbatch);
        slots[i].round = (*round)++;
        slots[i].position = (uint32_t)i;
        slots[i].busy = (int64_t)interval_length(&slots[i].set);
        is_warm = is_warm && slots[i].kind != PIPELINE_BACKWARD && slots[i].kind != PIPELINE_INPUT;
        part.warmup += is_warm;
        add_within(&set, &slots[i].set, window->start, window->end);
    }
    interval_settle(&set);
    part.compute = (int64_t)interval_length(&set);
    measure_more(&set, &rank->moving, window, &part.transfer);
    measure_more(&set, &rank->all, window, &part.other);
    measure_more(&set, &rank->waiting, window, &part.wait);
    array_add(&self->parts, part);
    map_free(&rounds);
    interval_free(&set);
}

/* Replays the slots of a window with their durations, and with the mean of their kind. */
static void replay_window(struct pipeline_window *window, const struct pipeline_slot *slots,
                          size_t count)
{
    struct pipeline_step *steps = memory_list(count + 1, sizeof *steps);
    int64_t sums[PIPELINE_KINDS] = {0}, counts[PIPELINE_KINDS] = {0};
    for (size_t i = 0; i < count; i++) {
        const struct pipeline_slot *slot = &slots[i];
        if (i == 0 || slot[-1].rank != slot->rank)
            window->ranks++;
        steps[i] = (struct pipeline_step){.rank = (uint32_t)window->ranks - 1,
                                          .kind = slot->kind,
                                          .stage = slot->stage,
                                          .microbatch = slot->microbatch,
                                          .round = slot->round,
                                          .ns = (double)slot->busy};
        sums[slot->kind] = number_sum(sums[slot->kind], slot->busy);
        counts[slot->kind]++;
    }
    window->ideal = pipeline_replay(steps, count);
    for (size_t i = 0; i < count; i++)
        steps[i].ns = (double)sums[steps[i].kind] / (double)counts[steps[i].kind];
    window->balanced = pipeline_replay(steps, count);

    /* The name of the schedule, by the first round; "unknown" for no known one. */
    struct look all = {.stages = 1, .is_v = true, .is_forward_first = true, .is_alternating = true};
    int64_t ranks = 0;
    bool has_backward = false;
    for (size_t i = 0; i < count; i++) {
        ranks = steps[i].rank >= ranks ? (int64_t)steps[i].rank + 1 : ranks;
        has_backward = has_backward || steps[i].kind != PIPELINE_FORWARD;
    }
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && steps[to].rank == steps[from].rank;)
            to++;
        struct look look = look_at(steps + from, to - from, ranks);
        all.stages = look.stages > all.stages ? look.stages : all.stages;
        all.is_v = all.is_v && look.is_v;
        all.is_forward_first = all.is_forward_first && look.is_forward_first;
        all.is_alternating = all.is_alternating && look.is_alternating;
        all.has_halves = all.has_halves || look.has_halves;
    }
    if (all.has_halves)
        window->schedule = all.stages == 1 ? "zero_bubble"
                           : all.is_v      ? "zbv"
                                           : "interleaved_zero_bubble";
    else if (!has_backward)
        window->schedule = "unknown";
    else if (all.is_forward_first)
        window->schedule = all.stages == 1 ? "gpipe" : "looped_bfs";
    else
        window->schedule = !all.is_alternating ? "unknown"
                           : all.stages == 1   ? "1f1b"
                                               : "interleaved_1f1b";
    memory_free(steps);
}

void pipeline_rows_measure(struct pipeline_rows *self)
{
    for (size_t i = 0; i < self->ranks.count; i++) {
        interval_settle(&self->ranks.items[i].all);
        interval_settle(&self->ranks.items[i].moving);
        interval_settle(&self->ranks.items[i].waiting);
    }
    for (size_t i = 0; i < self->slots.count; i++)
        interval_settle(&self->slots.items[i].set);
    array_sort(&self->slots, by_host);

    /* Where names do not state the stage: the place of the rank in its group, or else among the
     * ranks of the pipeline with slots. */
    uint32_t *places = memory_zeroed(self->ranks.count + 1, sizeof *places);
    uint32_t *counts = memory_zeroed(self->ranks.count + 1, sizeof *counts);
    for (uint32_t i = 0; i < self->ranks.count; i++)
        if (self->ranks.items[i].has_slots)
            places[i] = counts[pipeline_leader(self, i)]++;
    for (size_t i = 0; i < self->slots.count; i++) {
        struct pipeline_slot *slot = &self->slots.items[i];
        uint32_t in_group = self->ranks.items[slot->rank].in_group;
        if (slot->stage == INT64_MIN)
            slot->stage = in_group ? in_group - 1 : places[slot->rank];
    }
    memory_free(places);
    memory_free(counts);
    make_windows(self);
    /* Takes out windows in which no slot launched anything. */
    size_t kept = 0;
    for (size_t i = 0; i < self->slots.count; i++) {
        struct pipeline_slot slot = self->slots.items[i];
        if (self->windows.items[slot.window].start < INT64_MAX)
            self->slots.items[kept++] = slot;
        else
            interval_free(&slot.set);
    }
    self->slots.count = kept;
    array_sort(&self->slots, by_position);
    for (size_t from = 0, to, part; from < self->slots.count; from = to) {
        struct pipeline_slot *slots = self->slots.items;
        for (to = part = from; to < self->slots.count && slots[to].window == slots[from].window;
             part = to) {
            while (to < self->slots.count && slots[to].window == slots[part].window &&
                   slots[to].rank == slots[part].rank)
                to++;
            add_part(self, slots + part, to - part);
        }
        replay_window(&self->windows.items[slots[from].window], slots + from, to - from);
    }
}

void pipeline_rows_free(void *rows)
{
    struct pipeline_rows *self = rows;
    for (size_t i = 0; i < self->ranks.count; i++)
        sqlite3_value_free(self->ranks.items[i].label);
}
