/* pipeline: A slot runs with the next ones of its rank until one must wait. A rank's first round
 * shows which schedule it is. */
#include "sql/ranks/pipeline.h"

#include "src/base/map.h"
#include "src/base/memory.h"

#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ replay */

static uint32_t *put(struct map *places, const struct pipeline_step *step)
{
    return map_put(places, step->stage * PIPELINE_KINDS + (int64_t)step->kind,
                   step->microbatch << 32 | step->round);
}

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

bool pipeline_replay(const struct pipeline_step *steps, size_t count, double *length)
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
    bool done = self.needs && self.waiter && self.next && self.ready && self.ends;
    int64_t last = 0;
    size_t ready = 0;
    for (size_t i = 0; i < count && done; i++) {
        uint32_t *place = put(&places, &steps[i]);
        done = place != NULL;
        if (done && *place == 0)
            *place = (uint32_t)i + 1;
        last = steps[i].stage > last ? steps[i].stage : last;
    }
    for (size_t i = 0; i < count && done; i++) {
        self.needs[i] = find_need(&places, &steps[i], last);
        self.ends[i] = -1;
        if (i == 0 || steps[i - 1].rank != steps[i].rank)
            self.ready[ready++] = (uint32_t)i;
    }
    while (done && ready)
        run(&self, self.ready[--ready], &ready);
    bool is_stuck = false;
    *length = 0;
    for (size_t i = 0; i < count && done; i++) {
        is_stuck = is_stuck || self.ends[i] < 0;
        *length = self.ends[i] > *length ? self.ends[i] : *length;
    }
    *length = is_stuck ? NAN : *length;
    map_free(&places);
    memory_free(self.needs);
    memory_free(self.waiter);
    memory_free(self.next);
    memory_free(self.ready);
    memory_free(self.ends);
    return done;
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

const char *pipeline_schedule(const struct pipeline_step *steps, size_t count)
{
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
        return all.stages == 1 ? "zero_bubble" : all.is_v ? "zbv" : "interleaved_zero_bubble";
    if (!has_backward)
        return "unknown";
    if (all.is_forward_first)
        return all.stages == 1 ? "gpipe" : "looped_bfs";
    return !all.is_alternating ? "unknown" : all.stages == 1 ? "1f1b" : "interleaved_1f1b";
}
