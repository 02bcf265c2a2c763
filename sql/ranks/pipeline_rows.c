/* pipeline_rows: Stages come from names, or else from the places of ranks. Windows are made at
 * their first slot, measured, and replayed with recorded and mean durations. */
#include "sql/ranks/pipeline_rows.h"

#include "src/base/map.h"
#include "src/base/number.h"
#include "src/base/order.h"

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

/* Where names do not state the stage: the place of the rank in its group, or else among the ranks
 * of the pipeline with slots. */
static bool find_stages(struct pipeline_rows *self)
{
    uint32_t *places = memory_zeroed(self->ranks.count + 1, sizeof *places);
    uint32_t *counts = memory_zeroed(self->ranks.count + 1, sizeof *counts);
    for (uint32_t i = 0; i < self->ranks.count && places && counts; i++)
        if (self->ranks.items[i].has_slots)
            places[i] = counts[pipeline_leader(self, i)]++;
    for (size_t i = 0; i < self->slots.count && places && counts; i++) {
        struct pipeline_slot *slot = &self->slots.items[i];
        uint32_t in_group = self->ranks.items[slot->rank].in_group;
        if (slot->stage == INT64_MIN)
            slot->stage = in_group ? in_group - 1 : places[slot->rank];
    }
    bool done = places && counts;
    memory_free(places);
    memory_free(counts);
    return done;
}

/* Finds the window of each slot, and makes it at its first one. */
static bool make_windows(struct pipeline_rows *self)
{
    struct map windows = {0};
    bool done = true;
    int64_t order = INT64_MIN;
    for (size_t i = 0; i < self->slots.count && done; i++) {
        struct pipeline_slot *slot = &self->slots.items[i];
        uint32_t leader = pipeline_leader(self, slot->rank);
        uint32_t *place = map_put(&windows, leader, slot->step);
        if (place && *place == 0 &&
            array_add(&self->windows, (struct pipeline_window){.leader = leader,
                                                               .step = slot->step,
                                                               .start = INT64_MAX,
                                                               .end = INT64_MIN}))
            *place = (uint32_t)self->windows.count;
        done = place && *place;
        if (!done)
            break;
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
    for (size_t i = 0; i < self->p2p.count && done; i++) {
        const struct pipeline_p2p *p2p = &self->p2p.items[i];
        uint32_t place = map_get(&windows, pipeline_leader(self, p2p->rank), p2p->step);
        if (!place)
            continue;
        self->windows.items[place - 1].pairs += p2p->is_pair;
        self->windows.items[place - 1].unmatched += !p2p->is_pair;
    }
    map_free(&windows);
    return done;
}

/* ------------------------------------------------------------------ figures */

/* Adds what covers a window of a set that is settled. */
static bool add_within(struct interval_set *to, const struct interval_set *from, int64_t start,
                       int64_t end)
{
    size_t i;
    ARRAY_LOWER_BOUND(i, from->list.count, from->list.items[i].end <= start);
    for (; i < from->list.count && from->list.items[i].start < end; i++) {
        const struct interval *one = &from->list.items[i];
        if (!interval_add(to, one->start > start ? one->start : start,
                          one->end < end ? one->end : end))
            return false;
    }
    return true;
}

/* Adds them, and gives how much more the set covers then. */
static bool measure_more(struct interval_set *to, const struct interval_set *from,
                         const struct pipeline_window *window, int64_t *more)
{
    int64_t before = (int64_t)interval_length(to);
    bool done = add_within(to, from, window->start, window->end);
    interval_settle(to);
    *more = (int64_t)interval_length(to) - before;
    return done;
}

/* Measures the slots of a rank in a window, which are `count`. */
static bool add_part(struct pipeline_rows *self, struct pipeline_slot *slots, size_t count)
{
    const struct pipeline_rank *rank = &self->ranks.items[slots->rank];
    const struct pipeline_window *window = &self->windows.items[slots->window];
    struct pipeline_part part = {.rank = slots->rank, .window = slots->window};
    struct interval_set set = {0};
    struct map rounds = {0};
    bool done = true, is_warm = true;
    for (size_t i = 0; i < count && done; i++) {
        uint32_t *round = map_put(&rounds, slots[i].stage * PIPELINE_KINDS + (int64_t)slots[i].kind,
                                  slots[i].microbatch);
        slots[i].round = round ? (*round)++ : 0;
        slots[i].position = (uint32_t)i;
        slots[i].busy = (int64_t)interval_length(&slots[i].set);
        is_warm = is_warm && slots[i].kind != PIPELINE_BACKWARD && slots[i].kind != PIPELINE_INPUT;
        part.warmup += is_warm;
        done = round && add_within(&set, &slots[i].set, window->start, window->end);
    }
    interval_settle(&set);
    part.compute = (int64_t)interval_length(&set);
    done = done && measure_more(&set, &rank->moving, window, &part.transfer) &&
           measure_more(&set, &rank->all, window, &part.other) &&
           measure_more(&set, &rank->waiting, window, &part.wait) && array_add(&self->parts, part);
    map_free(&rounds);
    interval_free(&set);
    return done;
}

/* Replays the slots of a window with their durations, and with the mean of their kind. */
static bool replay_window(struct pipeline_window *window, const struct pipeline_slot *slots,
                          size_t count)
{
    struct pipeline_step *steps = memory_list(count + 1, sizeof *steps);
    int64_t sums[PIPELINE_KINDS] = {0}, counts[PIPELINE_KINDS] = {0};
    for (size_t i = 0; i < count && steps; i++) {
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
    bool done = steps && pipeline_replay(steps, count, &window->ideal);
    for (size_t i = 0; i < count && done; i++)
        steps[i].ns = (double)sums[steps[i].kind] / (double)counts[steps[i].kind];
    done = done && pipeline_replay(steps, count, &window->balanced);
    if (done)
        window->schedule = pipeline_schedule(steps, count);
    memory_free(steps);
    return done;
}

bool pipeline_rows_measure(struct pipeline_rows *self)
{
    for (size_t i = 0; i < self->ranks.count; i++) {
        interval_settle(&self->ranks.items[i].all);
        interval_settle(&self->ranks.items[i].moving);
        interval_settle(&self->ranks.items[i].waiting);
    }
    for (size_t i = 0; i < self->slots.count; i++)
        interval_settle(&self->slots.items[i].set);
    array_sort(&self->slots, by_host);
    if (!find_stages(self) || !make_windows(self))
        return false;
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
    bool done = true;
    for (size_t from = 0, to, part; from < self->slots.count && done; from = to) {
        struct pipeline_slot *slots = self->slots.items;
        for (to = part = from;
             to < self->slots.count && slots[to].window == slots[from].window && done; part = to) {
            while (to < self->slots.count && slots[to].window == slots[part].window &&
                   slots[to].rank == slots[part].rank)
                to++;
            done = add_part(self, slots + part, to - part);
        }
        done = done &&
               replay_window(&self->windows.items[slots[from].window], slots + from, to - from);
    }
    return done;
}

void pipeline_rows_free(void *rows)
{
    struct pipeline_rows *self = rows;
    for (size_t i = 0; i < self->ranks.count; i++) {
        struct pipeline_rank *rank = &self->ranks.items[i];
        memory_free(rank->run);
        sqlite3_value_free(rank->rank);
        sqlite3_value_free(rank->label);
        interval_free(&rank->all);
        interval_free(&rank->moving);
        interval_free(&rank->waiting);
    }
    for (size_t i = 0; i < self->slots.count; i++)
        interval_free(&self->slots.items[i].set);
    array_free(&self->ranks);
    array_free(&self->slots);
    array_free(&self->p2p);
    array_free(&self->parts);
    array_free(&self->windows);
}
